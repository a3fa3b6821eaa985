//! Dead letters from the outside: listed, replayed and discarded by processes, and compared with
//! what a plain client of the target finds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

#[path = "../common/mod.rs"]
mod common;

mod at_once;
mod desk;
mod discard;
mod replay;
mod selection;
