//! Rebuilds from the outside: by processes, beside a run that goes on, killed and resumed, and
//! compared with a fresh run of the same events into a new target.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

#[path = "../common/mod.rs"]
mod common;

mod aborted;
mod beside;
mod changed;
mod in_place;
mod kills;
mod live;
mod refused;
mod reverted;
mod scene;
