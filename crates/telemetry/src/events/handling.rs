//! What goes wrong with a handler beyond the errors that it returns.

use std::time::Duration;

use projectionist_core::ProjectionId;

use crate::handles::lane_counter;
use crate::metric_names;

/// An attempt took longer than the handler's time limit, and was given up. It is a failed attempt
/// as well, which [`FailureStreak`](crate::FailureStreak) tells; so the line is at debug.
#[derive(Debug)]
pub struct HandlerTimedOut<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The position of the envelope, or of the last one of the group.
    pub offset: &'a str,
    /// 1 for the first attempt.
    pub attempt: u32,
    /// The time limit.
    pub limit: Duration,
}

impl HandlerTimedOut<'_> {
    /// Tells it.
    pub fn emit(self) {
        let Self {
            lane,
            offset,
            attempt,
            limit,
        } = self;
        lane_counter(metric_names::HANDLER_TIMEOUTS, lane).increment(1);
        tracing::debug!(projection = %lane, offset, attempt, ?limit, "the handler timed out");
    }
}

/// What a flow did with the context of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextFault {
    /// It came out neither as handled nor as filtered.
    Lost,
    /// It came out of the flow of another run.
    Foreign,
}

/// A flow did not give back each context once, in the run of its envelope; the run fails.
#[derive(Debug)]
pub struct FlowContextLost<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The position of the first envelope whose context is lost; for a foreign one, that of the
    /// first envelope of this run that is in flight.
    pub offset: &'a str,
    /// What is wrong with it.
    pub fault: ContextFault,
}

impl FlowContextLost<'_> {
    /// Tells it, each time: the restart's backoff keeps it from being told often.
    pub fn emit(self) {
        let Self {
            lane,
            offset,
            fault,
        } = self;
        let message = match fault {
            ContextFault::Lost => "the flow lost the context of an envelope",
            ContextFault::Foreign => "the flow gave back the context of another run's envelope",
        };
        tracing::error!(projection = %lane, offset, "{message}; correct the flow");
    }
}
