//! Projections that are started and managed together, and run independently.
//!
//! A [`ProjectionGroup`] reserves every identity before it starts anything. From then on each of
//! its projections has its own claim, offset, handler and restarts: what happens to one leaves the
//! others running. Scale-out is local: a group runs in one process.

mod blueprint;
mod failure;
mod handle;

pub(crate) use blueprint::check_identity;
pub use blueprint::{AnyProjection, ProjectionGroup};
pub use failure::GroupFailure;
pub use handle::ProjectionGroupHandle;
