//! Events that the read model goes on without. None is passed over in silence.

use projectionist_core::{ErrorClass, ProjectionId};

use crate::handles::projection_counter;
use crate::metric_names;

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
    pub fn emit(self) {
        let Self {
            lane,
            events,
            first,
            class,
            field,
        } = self;
        count_passed_over(lane, events);
        tracing::warn!(projection = %lane, events, first, class, field, "kept as dead letters");
    }
}

/// An envelope was passed over where dead letters are not kept.
#[derive(Debug)]
pub struct EnvelopeSkipped<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The position of the envelope.
    pub offset: &'a str,
    /// How often it was tried.
    pub attempts: u32,
    /// What kind of fault it had. Not its text, which may repeat a value of the event.
    pub class: ErrorClass,
}

impl EnvelopeSkipped<'_> {
    /// Tells it, each time: the line is all that is left of the event.
    pub fn emit(self) {
        let Self {
            lane,
            offset,
            attempts,
            class,
        } = self;
        count_passed_over(lane, 1);
        let class = class.name();
        tracing::warn!(projection = %lane, offset, attempts, class, "skipped, and not kept");
    }
}

/// The source did not vouch for an envelope that it had delivered. It is passed over; this event
/// tells that too.
#[derive(Debug)]
pub struct VerificationRefused<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The position of the envelope.
    pub offset: &'a str,
    /// Whether it had been handled already, in a transaction that is rolled back.
    pub handled: bool,
}

impl VerificationRefused<'_> {
    /// Tells it, each time.
    pub fn emit(self) {
        let Self {
            lane,
            offset,
            handled,
        } = self;
        count_passed_over(lane, 1);
        tracing::warn!(
            projection = %lane,
            offset,
            handled,
            "skipped; the source does not vouch for it any more"
        );
    }
}

fn count_passed_over(lane: &ProjectionId, events: u64) {
    projection_counter(metric_names::EVENTS_SKIPPED, lane).increment(events);
}
