//! One projection over a source whose lanes come and go.
//!
//! A [`LanedProjection`] watches a [`LaneSource`](projectionist_core::contract::LaneSource) and
//! runs a projection of its own for every lane that is assigned: with its own claim, offset,
//! handler, backpressure and restarts. Follow a lane: the [`watch`] tells what happens to it, the
//! [`supervisor`] starts and ends its [`instance`].

mod blueprint;
mod handle;
mod instance;
mod status;
mod supervisor;
mod watch;

pub use blueprint::LanedProjection;
pub use handle::{LanedProjectionHandle, LanedReceiver};
pub use status::{LanePhase, LaneReport, LanedStatus};
