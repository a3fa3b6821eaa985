//! Measures the projections of the crate `datum-persistence` 0.11.3 through its public API: the
//! runtime alone, over a source of our own, its memory store, and a handler that does nothing.
//!
//! A workspace of its own, so that the peer's dependencies stay out of the project's lock file.

mod handler;
mod mode;
mod numbers;
mod report;
mod scenario;

pub use report::main;
