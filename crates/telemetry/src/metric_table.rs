//! The one table of metrics: what the guide shows and what exporters describe.

use crate::metric_names::{self as names, KEY, OUTCOME, PROJECTION, STATE_LABEL};

/// What is known of a metric before it has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// How its value moves.
    pub kind: MetricKind,
    /// In what it is counted.
    pub unit: MetricUnit,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// What the value says, as a sentence.
    pub meaning: &'static str,
}

/// How a value moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// It only rises, from 0 at the start of the process.
    Counter,
    /// It rises and falls.
    Gauge,
}

/// In what a value is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricUnit {
    /// In things of its name.
    Count,
    /// 1 for yes, 0 for no.
    Flag,
    /// In seconds.
    Seconds,
    /// In seconds since 1970-01-01T00:00:00Z.
    UnixSeconds,
}

impl MetricKind {
    /// The printed name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
        }
    }
}

impl MetricUnit {
    /// The printed name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Flag => "0 or 1",
            Self::Seconds => "seconds",
            Self::UnixSeconds => "Unix seconds",
        }
    }
}

const OF_PROJECTION: &[&str] = &[PROJECTION];
const OF_LANE: &[&str] = &[PROJECTION, KEY];
const BY_OUTCOME: &[&str] = &[PROJECTION, KEY, OUTCOME];

const fn counter(
    name: &'static str,
    labels: &'static [&'static str],
    meaning: &'static str,
) -> Metric {
    Metric {
        name,
        kind: MetricKind::Counter,
        unit: MetricUnit::Count,
        labels,
        meaning,
    }
}

const fn gauge(
    name: &'static str,
    unit: MetricUnit,
    labels: &'static [&'static str],
    meaning: &'static str,
) -> Metric {
    Metric {
        name,
        kind: MetricKind::Gauge,
        unit,
        labels,
        meaning,
    }
}

/// Every metric that this crate moves.
pub const METRICS: &[Metric] = &[
    counter(
        names::EVENTS_READ,
        OF_LANE,
        "Events that reached the projection.",
    ),
    counter(
        names::EVENTS,
        BY_OUTCOME,
        "Events that commits settled: applied, unmatched, filtered, ignored, stale, skipped or dead_lettered.",
    ),
    counter(
        names::EVENTS_FOLDED,
        OF_LANE,
        "Applied events that were folded into a later write of the same batch.",
    ),
    counter(
        names::EVENTS_PARKED,
        OF_LANE,
        "Events that were parked, because they or an earlier one of their key could not be handled.",
    ),
    counter(
        names::EVENTS_UNPARKED,
        OF_LANE,
        "Parked events that were let go: handled, or given up.",
    ),
    gauge(
        names::PARKED_EVENTS,
        MetricUnit::Count,
        OF_LANE,
        "Events that are parked now.",
    ),
    gauge(
        names::PARKED_KEYS,
        MetricUnit::Count,
        OF_LANE,
        "Keys that are parked now.",
    ),
    counter(
        names::RECORDS_MALFORMED,
        OF_LANE,
        "Records of the source that are no envelopes.",
    ),
    counter(
        names::EVENTS_SKIPPED,
        OF_PROJECTION,
        "Events that were passed over: dead letters, skipped ones, and such as the source did not vouch for.",
    ),
    counter(
        names::COMMITS,
        OF_LANE,
        "Commits that the store has carried out.",
    ),
    gauge(
        names::LAST_COMMIT,
        MetricUnit::UnixSeconds,
        OF_LANE,
        "When the last commit was; absent before the first one.",
    ),
    gauge(
        names::LAG_EVENTS,
        MetricUnit::Count,
        OF_LANE,
        "Events that the source has behind what is settled; absent where the source cannot tell.",
    ),
    gauge(
        names::LAG_SECONDS,
        MetricUnit::Seconds,
        OF_LANE,
        "How long ago the last settled event happened while others wait behind it, else 0; absent where the source cannot tell.",
    ),
    counter(
        names::FAILURES,
        OF_PROJECTION,
        "Attempts of handlers that failed.",
    ),
    gauge(
        names::STALLED,
        MetricUnit::Flag,
        OF_PROJECTION,
        "Whether a failure streak is open on any lane: the last attempt failed and nothing was handled since.",
    ),
    counter(
        names::HANDLER_TIMEOUTS,
        OF_LANE,
        "Failed attempts that took longer than the handler's time limit.",
    ),
    counter(
        names::RESTARTS,
        OF_LANE,
        "Runs that failed and are followed by another one.",
    ),
    counter(
        names::ENDED,
        BY_OUTCOME,
        "Projections that ended in this process: completed, stopped or failed.",
    ),
    counter(
        names::CLAIMS_GRANTED,
        OF_LANE,
        "Claims of the lane that this process was granted.",
    ),
    counter(
        names::CLAIMS_LOST,
        OF_LANE,
        "Claims of the lane that this process lost to another owner or could not renew in time.",
    ),
    gauge(
        names::STATE,
        MetricUnit::Flag,
        &[PROJECTION, KEY, STATE_LABEL],
        "What the lane does now: 1 for starting, standing_by, running, blocked, paused or backing_off, 0 for the others; all 0 when it has ended.",
    ),
    gauge(
        names::STANDING_BY,
        MetricUnit::Flag,
        OF_LANE,
        "Whether the lane waits because another owner holds it.",
    ),
    gauge(
        names::PAUSED,
        MetricUnit::Flag,
        OF_LANE,
        "Whether the lane is paused.",
    ),
    counter(
        names::MANAGEMENT_COMMANDS,
        BY_OUTCOME,
        "Commands of management that were answered: done or refused.",
    ),
];
