//! What a projection does at the moment.

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::{Epoch, Error};

/// What a projection does at the moment, and why. Every variant is produced by its cause.
#[derive(Clone, Debug)]
pub enum ProjectionStatus {
    /// It asks for its lane: it was spawned, or has lost its claim.
    Starting,
    /// Another owner holds the lane.
    StandingBy {
        /// The holder, for people.
        holder: String,
    },
    /// It handles events.
    Running {
        /// The fencing number of its claim.
        epoch: Epoch,
    },
    /// A run failed; the next one begins after `delay`.
    Restarting {
        /// How many runs have failed in a row.
        failures: u32,
        /// The wait before the next run, counted from the failure.
        delay: Duration,
        /// Why the run failed.
        error: Arc<Error>,
    },
    /// The source ended and everything is saved.
    Completed,
    /// It was stopped and everything that was handled is saved.
    Stopped,
    /// It failed and is not restarted.
    Failed {
        /// Why.
        error: Arc<Error>,
    },
}

impl ProjectionStatus {
    /// Whether the projection has ended.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Stopped | Self::Failed { .. })
    }
}

/// How a projection ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The source ended.
    Completed,
    /// It was stopped.
    Stopped,
}
