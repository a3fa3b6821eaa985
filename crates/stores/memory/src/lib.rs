//! The in-memory store: the semantic reference for every other store.
