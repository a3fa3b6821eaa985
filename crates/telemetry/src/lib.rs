//! What a projection tells the outside: typed events, and one table of metrics.
//!
//! Every occurrence is a struct with the facts that belong to it. Emitting it writes the log line
//! and moves the metrics, so that the same thing is never told in two ways. Log lines carry
//! coordinates and never payloads. What moves with every commit is a [`LaneMetrics`], which is
//! made once a lane.
//!
//! The metrics go to whatever recorder of the `metrics` crate the process has. With the feature
//! `prometheus` there is one here whose values are read as text, with `otlp` one that pushes them
//! to a collector of OpenTelemetry.

#[cfg(any(feature = "prometheus", feature = "otlp"))]
mod describe;
mod event_counters;
pub mod events;
pub mod failure_streak;
mod handles;
#[cfg(any(feature = "prometheus", feature = "otlp"))]
pub mod install;
pub mod lane_activity;
pub mod lane_metrics;
pub mod metric_names;
pub mod metric_table;
mod open_streaks;
#[cfg(feature = "otlp")]
pub mod otlp;
#[cfg(feature = "prometheus")]
pub mod prometheus;

pub use events::{
    ClaimGranted, ClaimLost, ContextFault, EnvelopeParked, EnvelopeSkipped, EnvelopeUnparked,
    EventsDeadLettered, FlowContextLost, HandlerTimedOut, LaneAssigned, LaneEnded, LaneLost,
    LanePaused, LaneResumed, LaneRevoked, ManagementDone, ManagementRefused, ProjectionEnded,
    ProjectionFailed, RestartScheduled, StandingBy, VerificationRefused,
};
pub use failure_streak::FailureStreak;
#[cfg(any(feature = "prometheus", feature = "otlp"))]
pub use install::{Both, install};
pub use lane_activity::LaneActivity;
pub use lane_metrics::LaneMetrics;
pub use metric_table::{METRICS, Metric, MetricKind, MetricUnit};
#[cfg(feature = "otlp")]
pub use otlp::OtlpExporter;
#[cfg(feature = "prometheus")]
pub use prometheus::{Exporter, ExporterRecorder};
