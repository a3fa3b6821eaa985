//! The benchmarks: every figure stands beside a peer's or the machine's own limit, from the same
//! run, in processor time.
//!
//! Each benchmark is a program of its own in `src/bin`; its parts are modules here.
//!
//! * [`engine_alone`] is what the engine costs an envelope when nothing else costs anything.
//! * [`declared_sqlite`] is the program on a large file, beside loops written by hand.
//!
//! `README.md` beside this package says how to run them and why the comparisons are fair.

pub mod arguments;
pub mod child;
pub mod cpu;
pub mod declared_sqlite;
pub mod engine_alone;
pub mod failure;
pub mod sample;
pub mod table;
