//! The in-memory store: the semantic reference for every other store.
//!
//! [`MemoryStore`] fulfils every contract of a store and keeps nothing beyond the process. Where a
//! contract leaves room, what this store does is what is meant; the rules and the cases that prove
//! them are in `docs/spec/store.md`.
//!
//! Its [transaction](Tx) lends handlers entries of their own (`put`, `get`, `delete`), so that
//! something moves together with the offset also where no read model is declared.

mod dead_letter_store;
mod declaration_store;
mod entries;
mod lanes;
mod management;
mod offset_store;
mod owner_report_store;
mod parked_store;
mod read_model;
mod sequence_guard;
mod state;
mod store;
mod transaction;
mod transactional_dead_letter_store;
mod turns;

pub use store::MemoryStore;
pub use transaction::Tx;
