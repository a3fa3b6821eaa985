//! How the runs of a projection end.

use std::time::Duration;

use projectionist_core::{Error, ProjectionId};

use crate::handles::{lane_counter, lane_counter_with};
use crate::metric_names::{self, OUTCOME};

/// A run failed and another one follows.
#[derive(Debug)]
pub struct RestartScheduled<'a> {
    /// The projection.
    pub lane: &'a ProjectionId,
    /// How many runs have failed in a row.
    pub failures: u32,
    /// How long until the next one.
    pub delay: Duration,
    /// Why the run failed.
    pub error: &'a Error,
}

impl RestartScheduled<'_> {
    /// Tells it, each time: the backoff keeps it from being told often.
    pub fn emit(self) {
        let Self {
            lane,
            failures,
            delay,
            error,
        } = self;
        lane_counter(metric_names::RESTARTS, lane).increment(1);
        tracing::warn!(projection = %lane, failures, ?delay, %error, "restarting");
    }
}

/// A projection stopped for good and will not be restarted.
#[derive(Debug)]
pub struct ProjectionFailed<'a> {
    /// The projection.
    pub lane: &'a ProjectionId,
    /// Why.
    pub error: &'a Error,
}

impl ProjectionFailed<'_> {
    /// Tells it.
    pub fn emit(self) {
        count_end(self.lane, "failed");
        tracing::error!(
            target: "projectionist::ended",
            projection = %self.lane,
            error = %self.error,
            "failed; it is not restarted"
        );
    }
}

/// A projection ended as asked: stopped, or at the end of its source.
#[derive(Debug)]
pub struct ProjectionEnded<'a> {
    /// The projection.
    pub lane: &'a ProjectionId,
    /// Whether the source ended; else it was stopped.
    pub completed: bool,
}

impl ProjectionEnded<'_> {
    /// Tells it.
    pub fn emit(self) {
        let outcome = if self.completed {
            "completed"
        } else {
            "stopped"
        };
        count_end(self.lane, outcome);
        tracing::debug!(projection = %self.lane, completed = self.completed, "ended");
    }
}

fn count_end(lane: &ProjectionId, outcome: &'static str) {
    lane_counter_with(metric_names::ENDED, lane, (OUTCOME, outcome)).increment(1);
}
