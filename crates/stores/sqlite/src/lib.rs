//! The SQLite store: offsets, claims, dead letters and read models in one file.
