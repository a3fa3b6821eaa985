//! The metrics that the owner of a lane moves as it goes.

use std::fmt;

use metrics::{Counter, Gauge};
use projectionist_core::{Counters, ProjectionId, Timestamp};

use crate::LaneActivity;
use crate::event_counters::EventCounters;
use crate::handles::{
    LateGauge, lane_counter, lane_counter_with, lane_gauge, lane_gauge_with, projection_counter,
};
use crate::metric_names as names;

/// The metrics that the owner of a lane moves as it goes.
///
/// Made once a lane, from its spawn to its end. The metrics are looked up then, in the recorder
/// that the process has at that time; moving them later looks nothing up and allocates nothing,
/// but for the first value of a gauge that has no value before.
///
/// Counters tell what this process did, and start at 0 with it. Gauges of what is stored (what is
/// parked, the lag) are told by the one who holds the claim: see [`claimed`](Self::claimed) and
/// [`released`](Self::released). Dropping it sets all gauges to 0, except the time of the last
/// commit, which stays true.
pub struct LaneMetrics {
    lane: ProjectionId,
    events: EventCounters,
    commits: Counter,
    last_commit: LateGauge,
    parked_events: Gauge,
    parked_keys: Gauge,
    lag_events: LateGauge,
    lag_seconds: LateGauge,
    /// In the order of [`LaneActivity::ALL`].
    states: [Gauge; LaneActivity::ALL.len()],
    standing_by: Gauge,
    paused: Gauge,
}

impl LaneMetrics {
    /// The metrics of this lane, all at 0.
    #[must_use]
    pub fn new(lane: &ProjectionId) -> Self {
        show_rare_counters(lane);
        let state = |activity: LaneActivity| {
            lane_gauge_with(names::STATE, lane, (names::STATE_LABEL, activity.name()))
        };
        Self {
            lane: lane.clone(),
            events: EventCounters::new(lane),
            commits: lane_counter(names::COMMITS, lane),
            last_commit: LateGauge::new(names::LAST_COMMIT, lane),
            parked_events: lane_gauge(names::PARKED_EVENTS, lane),
            parked_keys: lane_gauge(names::PARKED_KEYS, lane),
            lag_events: LateGauge::new(names::LAG_EVENTS, lane),
            lag_seconds: LateGauge::new(names::LAG_SECONDS, lane),
            states: LaneActivity::ALL.map(state),
            standing_by: lane_gauge(names::STANDING_BY, lane),
            paused: lane_gauge(names::PAUSED, lane),
        }
    }

    /// The lane was claimed; `stored` are the counters that its row holds.
    pub fn claimed(&self, stored: &Counters) {
        self.parked_events.set(in_gauge(stored.parked()));
    }

    /// The claim was released or lost: the next owner tells what is parked and how far the lane is
    /// behind.
    pub fn released(&self) {
        self.parked_events.set(0.0);
        self.parked_keys.set(0.0);
        self.lag_events.reset(0.0);
        self.lag_seconds.reset(0.0);
    }

    /// The store has carried out a commit at `at`, which added `delta` to the lane's counters.
    pub fn committed(&self, delta: &Counters, at: Timestamp) {
        self.committed_many(delta, 1, at);
    }

    /// As [`committed`](Self::committed), for several commits, the last of which was at `at`;
    /// `delta` is what they added together. For commits that follow each other so fast that to tell
    /// each would cost as much as the commit.
    pub fn committed_many(&self, delta: &Counters, commits: u64, at: Timestamp) {
        self.events.add(delta);
        self.commits.increment(commits);
        self.last_commit.set(at.unix_millis as f64 / 1_000.0);
        if delta.parked_total != delta.unparked_total {
            let change = in_gauge(delta.parked_total) - in_gauge(delta.unparked_total);
            self.parked_events.increment(change);
        }
    }

    /// How many keys of the lane are parked.
    pub fn parked_keys(&self, keys: usize) {
        self.parked_keys.set(keys as f64);
    }

    /// How far the lane is behind its source, as far as that is known: the number of events behind
    /// what is settled, and how long ago the last settled event happened (0 when none is behind
    /// it).
    ///
    /// A gauge appears with its first known value, and is NaN while that is not known any more.
    pub fn lag(&self, events: Option<u64>, seconds: Option<f64>) {
        for (gauge, lag) in [
            (&self.lag_events, events.map(in_gauge)),
            (&self.lag_seconds, seconds),
        ] {
            match lag {
                Some(lag) => gauge.set(lag),
                None => gauge.reset(f64::NAN),
            }
        }
    }

    /// As [`lag`](Self::lag), for the time alone.
    pub fn lag_seconds(&self, seconds: Option<f64>) {
        if let Some(lag) = seconds {
            self.lag_seconds.set(lag);
        }
    }

    /// The projection has ended: the lane does nothing any more.
    pub fn ended(&self) {
        self.released();
        self.show(None);
    }

    /// What the lane does from now on.
    pub fn state(&self, now: LaneActivity) {
        self.show(Some(now));
    }

    fn show(&self, now: Option<LaneActivity>) {
        let flag = |activity| f64::from(u8::from(now == Some(activity)));
        for (gauge, activity) in self.states.iter().zip(LaneActivity::ALL) {
            gauge.set(flag(activity));
        }
        self.standing_by.set(flag(LaneActivity::StandingBy));
        self.paused.set(flag(LaneActivity::Paused));
    }
}

impl Drop for LaneMetrics {
    fn drop(&mut self) {
        self.ended();
    }
}

impl fmt::Debug for LaneMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LaneMetrics").field(&self.lane).finish()
    }
}

/// Lets the counters that events move exist from the beginning: a rise from nothing to 1 is no
/// rise to whoever evaluates them.
fn show_rare_counters(lane: &ProjectionId) {
    for name in [names::EVENTS_SKIPPED, names::FAILURES] {
        projection_counter(name, lane).increment(0);
    }
    for name in [
        names::HANDLER_TIMEOUTS,
        names::RESTARTS,
        names::CLAIMS_GRANTED,
        names::CLAIMS_LOST,
    ] {
        lane_counter(name, lane).increment(0);
    }
    for (name, outcomes) in [
        (names::ENDED, &["completed", "stopped", "failed"][..]),
        (names::MANAGEMENT_COMMANDS, &["done", "refused"]),
    ] {
        for outcome in outcomes {
            lane_counter_with(name, lane, (names::OUTCOME, outcome)).increment(0);
        }
    }
}

/// Gauges are floating-point; a count is exact in them up to 2^53.
fn in_gauge(count: u64) -> f64 {
    count as f64
}
