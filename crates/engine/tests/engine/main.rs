//! The engine, from the outside: one binary, so that the engine is compiled for its tests once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers included"
)]

mod at_least_once;
mod at_most_once;
mod awaiting_source;
mod claims;
mod common;
mod dyn_store;
mod exactly_once;
mod failure_hook;
mod failure_policy;
mod flow;
mod group;
mod grouped_at_least_once;
mod grouped_exactly_once;
mod handlers;
mod hub;
mod isolation;
mod keyed;
mod lane_moves;
mod lanes;
mod management;
mod management_faults;
mod management_races;
mod management_through_store;
mod outages;
mod overview;
mod parking;
mod recovery;
mod replay;
mod restart;
mod second_spawn;
mod settling;
mod skipping;
mod start_position;
mod status_variants;
mod stored_status;
mod takeover;
mod timeouts;
mod verification;
mod verification_in_parts;
mod wait_until;
