//! The cases that every store must pass, one macro line a store.
