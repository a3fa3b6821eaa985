//! What people ask of a projection: from its handle, and from other processes through the store.
//!
//! A handle's calls and the store's requests become [orders](order) in one [queue](wishes). They
//! interrupt the run; the owner of the lane [carries them out](obey) between two runs, under its
//! claim, each in the commit that answers it.

pub mod client;
pub(crate) mod desk;
pub(crate) mod obey;
pub(crate) mod order;
pub mod overview;
pub(crate) mod waiters;
pub(crate) mod wishes;

pub use client::ProjectionManagement;
pub use overview::{LaneCondition, LaneOverview, Liveness, Overview, OwnerOverview};
