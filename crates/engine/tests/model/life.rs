//! What one process has done, as far as the model must know it.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::trace::Failure;

/// What became of an event in the present run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Handled,
    /// The last attempt failed, or did not come to its end.
    Failed(Failure),
    NotVouchedFor,
}

/// The attempts at an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub(crate) tries: u32,
    /// When the last one began.
    pub(crate) at: Instant,
    /// Whether that is not over, unless it was given up.
    pub(crate) running: bool,
}

/// What one process has done.
#[derive(Debug, Default)]
pub(crate) struct Life {
    /// Of the last claim that was granted to it.
    pub(crate) epoch: u64,
    /// Everything up to here was settled when its run began, or by its own commits since.
    pub(crate) saved: u64,
    /// Up to here its run is a replay.
    pub(crate) until: Option<u64>,
    /// What became of the events of its run.
    pub(crate) outcomes: BTreeMap<u64, Outcome>,
    /// The attempt that is not over.
    current: Option<(Vec<u64>, Instant)>,
    pub(crate) furthest_begun: u64,
    /// The attempts of its run, by their last event.
    pub(crate) begun: BTreeMap<u64, Begun>,
    pub(crate) paused_here: bool,
    /// At-most-once: the event that it has saved and not handled, and when it asked for that save.
    pub(crate) may_handle: Option<(u64, Instant)>,
    /// When the last commit was asked for.
    pub(crate) asked_at: Option<Instant>,
    /// At-most-once: what became of the last event, and is in no commit yet.
    uncounted: Option<(u64, Outcome)>,
    /// At-most-once: that, in the commit that is on its way.
    pub(crate) in_flight: Option<(u64, Outcome)>,
}

impl Life {
    /// A run begins.
    pub(crate) fn opened(&mut self, behind: Option<u64>, until: Option<u64>) {
        *self = Self {
            epoch: self.epoch,
            saved: behind.unwrap_or(0),
            until,
            paused_here: self.paused_here,
            ..Self::default()
        };
    }

    /// An attempt begins; that it does not end is a failure too.
    pub(crate) fn began(&mut self, events: Vec<u64>, at: Instant) {
        let failed = Outcome::Failed(Failure::Error);
        self.outcomes
            .extend(events.iter().map(|event| (*event, failed)));
        let last = events[events.len() - 1];
        self.furthest_begun = self.furthest_begun.max(last);
        let tries = self.begun.get(&last).map_or(1, |begun| begun.tries + 1);
        let running = true;
        self.begun.insert(last, Begun { tries, at, running });
        self.current = Some((events, at));
    }

    /// The last event of the attempt.
    pub(crate) fn last_begun(&self) -> u64 {
        let current = self.current.as_ref();
        current.map_or(0, |(events, _)| events[events.len() - 1])
    }

    /// The attempt ends.
    pub(crate) fn ended(&mut self, outcome: Outcome) {
        if let Some((events, _)) = self.current.take() {
            self.uncounted = events.last().map(|event| (*event, outcome));
            self.outcomes
                .extend(events.into_iter().map(|event| (event, outcome)));
        }
    }

    /// The attempt at one event of several is over, whatever became of it.
    pub(crate) fn is_over(&mut self, event: u64) {
        let is_this = |(events, _): &mut (Vec<u64>, Instant)| *events == [event];
        self.current.take_if(is_this);
    }

    /// A commit is on its way. An attempt that is not over was given up: it failed when that was
    /// because of its time, and is nothing when that was because of a stop.
    pub(crate) fn commit_asked(&mut self, at: Instant, timeout: Option<Duration>) {
        self.asked_at = Some(at);
        if let (Some((_, began)), Some(timeout)) = (&self.current, timeout)
            && at - *began >= timeout
        {
            self.ended(Outcome::Failed(Failure::Error));
        }
        // What a refused commit was to count goes into the next one.
        self.in_flight = self.uncounted.take().or(self.in_flight.take());
    }
}
