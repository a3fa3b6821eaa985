//! The cases that every store must pass, one macro line a store.
//!
//! The rules are the numbered sentences of `docs/spec/store.md`; each case cites the ones that it
//! proves. A store brings a [`StoreHarness`] and runs the whole list:
//!
//! ```text
//! projectionist_conformance::store_suite!(MyStore, MyHarness::fresh().await);
//! ```
//!
//! A store without transactions brings an [`OffsetStoreHarness`] and runs the part of the list that
//! needs none: [`offset_store_suite!`](crate::offset_store_suite).
//!
//! * [`harness`] is what a store's tests must be able to do beside the contracts.
//! * [`registry`] is the one list of cases; the two macros make a test of each, so that none can be
//!   left out.
//! * The other modules hold the cases, one theme each.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the cases are tests: a step that fails must name its line"
)]

pub mod ahead;
pub mod capability;
pub mod claims;
pub mod clock;
pub mod counters;
pub mod dead_letters;
pub mod declarations;
pub mod durable;
pub mod durable_views;
pub mod effects;
mod everything;
pub mod guard;
pub mod harness;
pub mod killed_commits;
pub mod killed_transactions;
pub mod management;
pub mod offsets;
pub mod older;
pub mod parked;
mod process;
pub mod read_model;
pub mod registry;
pub mod reports;
pub mod requests;
pub mod resets;
pub mod session;
pub mod settled_letters;
pub mod steps;
pub mod suite;
pub mod sums;
pub mod tables;
pub mod transaction_commits;
pub mod transactions;
pub mod values;

pub use capability::Capability;
pub use clock::SteeredClock;
pub use harness::{OffsetStoreHarness, OlderStore, Store, StoreHarness};
pub use registry::{CASES, Case};
