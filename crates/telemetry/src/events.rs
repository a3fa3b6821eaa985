//! What happens to a projection, one struct an occurrence.

use std::time::Duration;

use projectionist_core::{Epoch, Error, ProjectionId};

use crate::metric_names;

/// A lane was claimed.
#[derive(Debug)]
pub struct ClaimGranted<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The fencing number of the claim.
    pub epoch: Epoch,
}

impl ClaimGranted<'_> {
    /// Tells it.
    pub fn emit(self) {
        tracing::debug!(projection = %self.lane, epoch = self.epoch.0, "claimed");
    }
}

/// A claim was lost to another owner, or could not be renewed in time.
#[derive(Debug)]
pub struct ClaimLost<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The fencing number of the claim that was lost.
    pub epoch: Epoch,
}

impl ClaimLost<'_> {
    /// Tells it.
    pub fn emit(self) {
        tracing::warn!(
            projection = %self.lane,
            epoch = self.epoch.0,
            "the claim was lost; nothing more is committed under it"
        );
    }
}

/// Another owner holds the lane; this one waits.
#[derive(Debug)]
pub struct StandingBy<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The holder, for people.
    pub holder: &'a str,
}

impl StandingBy<'_> {
    /// Tells it.
    pub fn emit(self) {
        tracing::info!(projection = %self.lane, holder = self.holder, "standing by");
    }
}

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
        tracing::debug!(projection = %self.lane, completed = self.completed, "ended");
    }
}

/// Events were passed over and kept as dead letters.
#[derive(Debug)]
pub struct EventsDeadLettered<'a> {
    /// The projection.
    pub lane: &'a ProjectionId,
    /// How many.
    pub events: u64,
    /// The position of the first one.
    pub first: &'a str,
    /// What kind of fault the first one had. Not its text, which may repeat a value of the event.
    pub class: &'a str,
    /// The column, path or key at which it happened, where there is one.
    pub field: &'a str,
}

impl EventsDeadLettered<'_> {
    /// Tells it.
    #[expect(
        clippy::disallowed_macros,
        reason = "metrics are moved here and nowhere else"
    )]
    pub fn emit(self) {
        let Self {
            lane,
            events,
            first,
            class,
            field,
        } = self;
        let name = lane.name().to_owned();
        metrics::counter!(metric_names::EVENTS_SKIPPED, metric_names::PROJECTION => name)
            .increment(events);
        tracing::warn!(projection = %lane, events, first, class, field, "kept as dead letters");
    }
}
