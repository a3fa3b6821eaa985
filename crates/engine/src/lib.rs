//! The projection engine: moves events from a source through a handler into a store.
//!
//! Follow an event: [`delivery`] fills a buffer from the source's stream and calls the handler;
//! [`recovery`] decides about an attempt that failed; [`progress`] knows what is settled and what
//! is stored; [`claim`] holds the right to move the lane; [`restart`] runs all that again when it
//! failed. A [`Projection`] is the inert blueprint, a [`ProjectionRuntime`] brings it to life, a
//! [`ProjectionHandle`] speaks with it.

pub mod claim;
pub mod delivery;
pub mod handle;
pub mod progress;
pub mod projection;
pub mod recovery;
pub mod restart;
pub mod runtime;
pub mod settings;
mod signals;
pub mod status;

pub use claim::{ClaimConfig, WhenHeld};
pub use delivery::{AtLeastOnce, Delivery, GroupConfig, GroupedExactlyOnce, SaveConfig};
pub use handle::{ProjectionHandle, StopSignal};
pub use projection::Projection;
pub use recovery::{Recovery, RetryDelay};
pub use restart::RestartBackoff;
pub use runtime::ProjectionRuntime;
pub use settings::Settings;
pub use status::{Completion, ProjectionStatus};
