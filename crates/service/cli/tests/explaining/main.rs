//! Rows explained and tables audited from the outside: processes, and what a plain client of the
//! target has changed behind their back. What is expected is written by hand.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

#[path = "../common/mod.rs"]
mod common;

mod letters;
mod live;
mod operations;
mod order;
mod random_world;
mod replacements;
mod sources;
mod stand;
mod tampered;
mod tenants;
mod wrong_questions;
