//! The cases that every store must pass, one macro line a store.
//!
//! The rules are the numbered sentences of `docs/spec/store.md`; each case cites the ones that it
//! proves. A store brings a [`StoreHarness`] and runs the whole list:
//!
//! ```text
//! projectionist_conformance::store_suite!(MyStore, MyHarness::fresh().await);
//! ```
//!
//! * [`harness`] is what a store's tests must be able to do beside the contracts.
//! * [`registry`] is the one list of cases; [`store_suite!`](crate::store_suite) makes a test of
//!   each, so that none can be left out.
//! * The other modules hold the cases, one theme each.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the cases are tests: a step that fails must name its line"
)]

pub mod capability;
pub mod claims;
pub mod clock;
pub mod counters;
pub mod dead_letters;
pub mod durable;
pub mod effects;
pub mod guard;
pub mod harness;
pub mod management;
pub mod offsets;
pub mod read_model;
pub mod registry;
pub mod session;
pub mod steps;
pub mod suite;
pub mod sums;
pub mod tables;
pub mod transactions;
pub mod values;

pub use capability::Capability;
pub use clock::SteeredClock;
pub use harness::{Store, StoreHarness};
pub use registry::{CASES, Case};
