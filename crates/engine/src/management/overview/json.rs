//! An overview as JSON: the one place that names its parts for programs.

use std::collections::BTreeMap;

use projectionist_core::{Counters, Pause, PauseScope, ReportedError, Timestamp};
use serde_json::{Value, json};

use super::lane::LaneOverview;
use super::read::Overview;

impl Overview {
    /// The overview as JSON: `{"taken_at": …, "projections": {NAME: [LANE, …]}}`.
    ///
    /// Moments are Unix milliseconds, what takes time is in seconds, and what is not known is null.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let mut projections: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for lane in &self.lanes {
            let lanes = projections.entry(&lane.name).or_default();
            lanes.push(lane.as_json());
        }
        json!({ "taken_at": self.taken_at.unix_millis, "projections": projections })
    }
}

impl LaneOverview {
    /// The lane as JSON; its name stands above it.
    fn as_json(&self) -> Value {
        json!({
            "key": self.key,
            "state": self.condition.words(),
            "reason": self.reason,
            "since": self.since.map(millis),
            "owner": self.owner.as_ref().map(|owner| json!({
                "label": owner.label,
                "liveness": owner.liveness.name(),
                "expires_at": owner.expires_at.map(millis),
            })),
            "epoch": self.epoch.0,
            "offset": self.offset.as_ref().map(|offset| &offset.text),
            "manifest": self.offset.as_ref().map(|offset| &offset.manifest),
            "updated_at": self.updated_at.map(millis),
            "replay_until": self.replay_until.as_ref().map(|offset| &offset.text),
            "lag_events": self.lag_events,
            "lag_seconds": self.lag.map(|lag| lag.as_secs_f64()),
            "events_per_second": self.events_per_second,
            "counters": counters_as_json(&self.counters),
            "malformed": self.counters.malformed,
            "dead_letters": self.counters.dead_lettered,
            "failing": self.failing.as_ref().map(|failing| json!({
                "offset": failing.offset.text,
                "attempts": failing.attempts,
            })),
            "last_error": self.last_error.as_ref().map(error),
            "restarts": self.restarts,
            "said": self.said.map(|state| state.name()),
            "told_at": self.told_at.map(millis),
            "paused": self.pause.map(pause),
            "requests": self.requests.iter().map(|request| json!({
                "id": request.id.0,
                "command": request.command.to_string(),
                "requested_at": millis(request.requested_at),
            })).collect::<Vec<_>>(),
        })
    }
}

fn millis(moment: Timestamp) -> i64 {
    moment.unix_millis
}

fn error(error: &ReportedError) -> Value {
    json!({
        "text": error.text,
        "class": error.class.name(),
        "offset": error.offset.as_ref().map(|offset| &offset.text),
        "since": millis(error.since),
    })
}

fn pause(pause: Pause) -> Value {
    let by = match pause.scope {
        PauseScope::Lane => "lane",
        PauseScope::AllLanes => "all lanes",
    };
    json!({ "by": by, "since": millis(pause.since) })
}

/// The counts of events of one lane, by their names; they add up. Malformed records are none of
/// them.
#[must_use]
pub fn counters_as_json(counters: &Counters) -> Value {
    json!({
        "read": counters.read,
        "applied": counters.applied,
        "unmatched": counters.unmatched,
        "filtered": counters.filtered,
        "ignored": counters.ignored,
        "stale": counters.stale,
        "skipped": counters.skipped,
        "dead_lettered": counters.dead_lettered,
        "parked": counters.parked(),
        "pending": counters.pending(),
        "folded": counters.folded,
    })
}
