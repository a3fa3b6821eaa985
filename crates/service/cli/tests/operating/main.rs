//! Operating projections from another process: status, pause, resume, skip and offset, with an
//! owner that lives, is frozen, was killed, or was never there.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

#[path = "../common/mod.rs"]
mod common;

mod desk;
mod frozen;
mod moving;
mod pausing;
mod skipping;
mod status;
mod watching;
