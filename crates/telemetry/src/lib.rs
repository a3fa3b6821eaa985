//! What a projection tells the outside: typed events, and one table of metric names.
//!
//! Every occurrence is a struct with the facts that belong to it. Emitting it writes the log line
//! and moves the metrics, so that the same thing is never told in two ways. Log lines carry
//! coordinates and never payloads.

pub mod events;
pub mod failure_streak;
pub mod metric_names;

pub use events::{
    ClaimGranted, ClaimLost, EventsDeadLettered, ProjectionEnded, ProjectionFailed,
    RestartScheduled, StandingBy,
};
pub use failure_streak::FailureStreak;
