//! The projection engine: moves events from a source through a handler into a store.
//!
//! Follow an event: [`delivery`] fills a buffer from the source's stream and calls the handler;
//! [`recovery`] decides about an attempt that failed; [`progress`] knows what is settled and what
//! is stored; [`parking`] sets keys aside that cannot be handled; [`claim`] holds the right to move the lane; [`restart`] runs all that again when it
//! failed. A [`Projection`] is the inert blueprint, a [`ProjectionRuntime`] brings it to life, a
//! [`ProjectionHandle`] speaks with it.
//!
//! Several projections: a [`group`] runs them side by side, [`lanes`] follow a source whose lanes
//! come and go, a [`hub`] reads one source once for all.

pub mod claim;
pub mod delivery;
pub mod group;
pub mod handle;
pub mod handlers;
pub mod hub;
pub mod lanes;
pub mod management;
pub mod parking;
pub mod progress;
pub mod projection;
pub mod recovery;
pub mod restart;
pub mod runtime;
pub mod settings;
mod signals;
pub mod status;

pub use claim::{ClaimConfig, WhenHeld};
pub use delivery::{
    AtLeastOnce, AtMostOnce, Delivery, ExactlyOnce, FlowAtLeastOnce, FlowConfig, FlowFault,
    GroupConfig, GroupedAtLeastOnce, GroupedExactlyOnce, KeyedAtLeastOnce, KeyedConfig, SaveConfig,
    SettledAtLeastOnce,
};
pub use group::{AnyProjection, GroupFailure, ProjectionGroup, ProjectionGroupHandle};
pub use handle::{ProjectionHandle, StatusReceiver, StopSignal};
pub use hub::{Hub, HubConfig, HubSource};
pub use lanes::{
    LanePhase, LaneReport, LanedProjection, LanedProjectionHandle, LanedReceiver, LanedStatus,
};
pub use management::{
    LaneCondition, LaneOverview, Liveness, Overview, OwnerOverview, ProjectionManagement,
};
pub use parking::{NoParking, ParkConfig, Parking};
pub use progress::WindowLimits;
pub use projection::Projection;
pub use recovery::{
    FailedAttempt, FailurePolicy, LossRecovery, Recovery, RetryDelay, WhenExhausted,
};
pub use restart::RestartBackoff;
pub use runtime::ProjectionRuntime;
pub use settings::Settings;
pub use status::{Completion, ProjectionReport, ProjectionStatus};
