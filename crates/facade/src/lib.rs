//! Turns streams of events into read models that can be trusted.
//!
//! A [`Projection`] reads a source, calls a handler and keeps in a store how far it is. It survives
//! crashes with the guarantee that it was built with, restarts itself with backoff, and never lets
//! two owners move the same lane.
//!
//! ```
//! use std::sync::Arc;
//!
//! use projectionist::contract::{Mode, SourceProvider, handler_fn};
//! use projectionist::memory::MemoryStore;
//! use projectionist::{Completion, Error, Projection, ProjectionId, ProjectionRuntime};
//!
//! /// Prints the words of any source.
//! async fn print_words<P>(source: P) -> Result<Completion, Arc<Error>>
//! where
//!     P: SourceProvider<Envelope = String>,
//! {
//!     let id = ProjectionId::new("printer", "all")?;
//!     let projection = Projection::at_least_once(id, source, MemoryStore::new(), || {
//!         handler_fn(|word: &String| {
//!             println!("{word}");
//!             async { Ok(()) }
//!         })
//!     })
//!     .with_mode(Mode::Current);
//!     let handle = ProjectionRuntime::new().spawn(projection)?;
//!     handle.wait().await
//! }
//! ```
//!
//! # Features
//! * `sqlite` (default): the store [`sqlite`]; `file` (default): the source [`file`].
//! * `declared`: projections declared in a file, [`declared`].
//! * `testkit`: [`testkit`] for tests of your own projections.
//! * `prometheus`: [`telemetry::Exporter`], the metrics of the process as Prometheus text.

pub use projectionist_core::{
    Ahead, BoxError, COUNTER_NAMES, Claim, ClaimOutcome, ClaimRequest, Clock, Commit, Counters,
    DeadLetter, DeadLetterFate, DeadLetterId, DeadLetterOrigin, Defect, Epoch, Error, ErrorClass,
    FailingEnvelope, FlowContext, FlowContexts, FlowFeed, FlowInput, Holder, LaneManagement,
    LaneState, Malformed, ManagementCommand, ManagementRequest, Offset, OffsetText, Owner,
    OwnerReport, OwnerState, Pace, ParkedEnvelope, ParkedKey, Pause, PauseScope, Position,
    ProcessIdentity, ProjectionId, ReportedError, RequestAnswer, RequestId, Result, SetPause,
    SettledRange, SourceItem, StoredOwnerReport, Survey, SurveyedLane, SystemClock, Take,
    Timestamp, contract, row,
};
pub use projectionist_engine::{
    AnyProjection, AtLeastOnce, AtMostOnce, ClaimConfig, Completion, Delivery, ExactlyOnce,
    FailedAttempt, FailurePolicy, FlowAtLeastOnce, FlowConfig, FlowFault, GroupConfig,
    GroupFailure, GroupedAtLeastOnce, GroupedExactlyOnce, Hub, HubConfig, HubSource,
    KeyedAtLeastOnce, KeyedConfig, LaneCondition, LaneOverview, LanePhase, LaneReport,
    LanedProjection, LanedProjectionHandle, LanedReceiver, LanedStatus, Liveness, LossRecovery,
    NoParking, Overview, OwnerOverview, ParkConfig, Parking, Projection, ProjectionGroup,
    ProjectionGroupHandle, ProjectionHandle, ProjectionManagement, ProjectionReport,
    ProjectionRuntime, ProjectionStatus, Recovery, RestartBackoff, RetryDelay, SaveConfig,
    Settings, SettledAtLeastOnce, StatusReceiver, StopSignal, WhenExhausted, WhenHeld,
    WindowLimits, claim, handlers,
};
pub use projectionist_store_memory as memory;
pub use projectionist_telemetry as telemetry;

#[cfg(feature = "file")]
pub use projectionist_source_file as file;

#[cfg(feature = "sqlite")]
pub use projectionist_store_sqlite as sqlite;

#[cfg(feature = "testkit")]
pub use projectionist_testkit as testkit;

/// Projections declared in a file.
#[cfg(feature = "declared")]
pub mod declared {
    pub use projectionist_apply as apply;
    pub use projectionist_language as language;
}
