//! What became of the events of a lane, as registered counters.

use metrics::Counter;
use projectionist_core::{Counters, ProjectionId};

use crate::handles::{lane_counter, lane_counter_with};
use crate::metric_names as names;

/// One registered counter for each of [`Counters`].
pub(crate) struct EventCounters {
    read: Counter,
    applied: Counter,
    unmatched: Counter,
    filtered: Counter,
    ignored: Counter,
    stale: Counter,
    skipped: Counter,
    dead_lettered: Counter,
    parked: Counter,
    unparked: Counter,
    folded: Counter,
    malformed: Counter,
}

impl EventCounters {
    pub(crate) fn new(lane: &ProjectionId) -> Self {
        let outcome = |value| lane_counter_with(names::EVENTS, lane, (names::OUTCOME, value));
        Self {
            read: lane_counter(names::EVENTS_READ, lane),
            applied: outcome("applied"),
            unmatched: outcome("unmatched"),
            filtered: outcome("filtered"),
            ignored: outcome("ignored"),
            stale: outcome("stale"),
            skipped: outcome("skipped"),
            dead_lettered: outcome("dead_lettered"),
            parked: lane_counter(names::EVENTS_PARKED, lane),
            unparked: lane_counter(names::EVENTS_UNPARKED, lane),
            folded: lane_counter(names::EVENTS_FOLDED, lane),
            malformed: lane_counter(names::RECORDS_MALFORMED, lane),
        }
    }

    /// Adds what a commit counted. Every count is named, so that a new one cannot be forgotten.
    pub(crate) fn add(&self, delta: &Counters) {
        let Counters {
            read,
            applied,
            unmatched,
            filtered,
            ignored,
            stale,
            skipped,
            dead_lettered,
            parked_total,
            unparked_total,
            folded,
            malformed,
        } = *delta;
        self.read.increment(read);
        self.applied.increment(applied);
        self.unmatched.increment(unmatched);
        self.filtered.increment(filtered);
        self.ignored.increment(ignored);
        self.stale.increment(stale);
        self.skipped.increment(skipped);
        self.dead_lettered.increment(dead_lettered);
        self.parked.increment(parked_total);
        self.unparked.increment(unparked_total);
        self.folded.increment(folded);
        self.malformed.increment(malformed);
    }
}
