//! One lane of an overview.

use std::time::Duration;

use projectionist_core::{
    Counters, Epoch, FailingEnvelope, LaneState, ManagementRequest, Offset, OwnerState, Pause,
    ReportedError, StoredOwnerReport, Timestamp,
};

use super::condition::LaneCondition;
use super::liveness::{Liveness, Processes};
use crate::claim::process::Vitality;

/// One lane of an overview; or a projection that has no lane yet.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneOverview {
    /// The name of the projection.
    pub name: String,
    /// The key of the lane; `None` for a projection that has no lane yet.
    pub key: Option<String>,
    /// What it does.
    pub condition: LaneCondition,
    /// Why, in a line for people.
    pub reason: String,
    /// Since when it does so, where that is known.
    pub since: Option<Timestamp>,
    /// Who holds it, or has died holding it; `None` when nobody does.
    pub owner: Option<OwnerOverview>,
    /// The fencing number of its last claim; zero when it was never claimed.
    pub epoch: Epoch,
    /// Everything up to here is settled and stored; `None` before the first commit.
    pub offset: Option<Offset>,
    /// When the offset or the counters last moved.
    pub updated_at: Option<Timestamp>,
    /// How far it had come before it was moved back; `None` when it is not behind that.
    pub replay_until: Option<Offset>,
    /// How many records the source had behind the offset when the owner told so last; `None` where
    /// that is not known, as after the offset was moved by command.
    pub lag_events: Option<u64>,
    /// How long ago the event happened that was handled last; zero when nothing is behind it. It
    /// grows while nothing moves. `None` as for `lag_events`.
    pub lag: Option<Duration>,
    /// How many events a second are read at the moment; `None` where no living owner tells.
    pub events_per_second: Option<f64>,
    /// What became of the events so far, cumulative over all runs.
    pub counters: Counters,
    /// The envelope that cannot be handled now.
    pub failing: Option<FailingEnvelope>,
    /// The last error that the last owner told, also when it is over.
    pub last_error: Option<ReportedError>,
    /// How often the last owner began again after a failed run; `None` when none has told.
    pub restarts: Option<u64>,
    /// What the last owner said last.
    pub said: Option<OwnerState>,
    /// When it said so. An owner that has nothing new to say is silent.
    pub told_at: Option<Timestamp>,
    /// The flag that pauses it, whether or not it is obeyed yet.
    pub pause: Option<Pause>,
    /// What is asked of its owner and not answered yet, oldest first.
    pub requests: Vec<ManagementRequest>,
}

/// Who holds a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerOverview {
    /// The owner, for people.
    pub label: String,
    /// Whether it is there.
    pub liveness: Liveness,
    /// Until when its claim holds if it is not renewed; `None` when it was given up for it.
    pub expires_at: Option<Timestamp>,
}

/// What is said of a lane, and why.
struct Finding {
    condition: LaneCondition,
    reason: String,
    since: Option<Timestamp>,
    owner: Option<OwnerOverview>,
}

impl LaneOverview {
    /// Something that has no row.
    pub(super) fn not_started(name: String, key: Option<String>, reason: &str) -> Self {
        Self {
            name,
            key,
            condition: LaneCondition::NotStarted,
            reason: reason.to_owned(),
            since: None,
            owner: None,
            epoch: Epoch(0),
            offset: None,
            updated_at: None,
            replay_until: None,
            lag_events: None,
            lag: None,
            events_per_second: None,
            counters: Counters::ZERO,
            failing: None,
            last_error: None,
            restarts: None,
            said: None,
            told_at: None,
            pause: None,
            requests: Vec::new(),
        }
    }

    /// The lane of a row, with what its last owner said.
    pub(super) fn of_row(
        (name, key): (String, String),
        row: LaneState,
        stored: Option<StoredOwnerReport>,
        processes: &mut Processes,
        now: Timestamp,
    ) -> Self {
        let finding = finding(&row, stored.as_ref(), processes, now);
        let is_alive = |owner: &OwnerOverview| owner.liveness == Liveness::Alive;
        let is_alive = finding.owner.as_ref().is_some_and(is_alive);
        // An older claim's owner knew another offset.
        let is_present = stored.as_ref().is_some_and(|said| said.epoch == row.epoch);
        let report = stored.map(|stored| stored.report);
        let present = report.as_ref().filter(|_| is_present);
        Self {
            name,
            key: Some(key),
            condition: finding.condition,
            reason: finding.reason,
            since: finding.since,
            owner: finding.owner,
            epoch: row.epoch,
            offset: row.offset,
            updated_at: row.updated_at,
            replay_until: row.replay_until,
            lag_events: present.and_then(|report| report.lag_events),
            lag: present.and_then(|report| match report.lag? {
                Duration::ZERO => Some(Duration::ZERO),
                lag => Some(lag + now.since(report.told_at)),
            }),
            events_per_second: present
                .filter(|_| is_alive)
                .and_then(|report| Some(report.pace?.per_second())),
            counters: row.counters,
            failing: present.and_then(|report| report.failing.clone()),
            restarts: report.as_ref().map(|report| report.restarts),
            said: report.as_ref().map(|report| report.state),
            told_at: report.as_ref().map(|report| report.told_at),
            last_error: report.and_then(|report| report.last_error),
            pause: None,
            requests: Vec::new(),
        }
    }

    /// It is declared no more: where nobody runs it, that is what is said of it.
    pub(super) fn withdraw(&mut self) {
        if self.owner.is_none() {
            self.condition = LaneCondition::NotDeclared;
            self.reason = format!("its file declares it no more; before that: {}", self.reason);
        }
    }
}

fn finding(
    row: &LaneState,
    stored: Option<&StoredOwnerReport>,
    processes: &mut Processes,
    now: Timestamp,
) -> Finding {
    let Some(holder) = &row.holder else {
        return of_a_free_lane(stored, processes);
    };
    let label = holder.owner.label();
    let liveness = processes.liveness(holder, now);
    let said = stored.filter(|said| said.epoch == row.epoch);
    let last_words = said.map_or_else(String::new, last_words);
    let (condition, reason, since) = match (liveness, said) {
        (Liveness::Dead, _) => {
            let reason = format!("{label} died{last_words}");
            (LaneCondition::Died, reason, None)
        }
        (Liveness::Silent, _) if holder.expires_at <= now => {
            let reason = format!(
                "{label} has not renewed its claim; whoever asks next gets the lane{last_words}"
            );
            (LaneCondition::Silent, reason, Some(holder.expires_at))
        }
        (Liveness::Silent, _) => {
            let reason = format!("{label} is suspended, and its claim holds still{last_words}");
            (LaneCondition::Silent, reason, None)
        }
        (Liveness::Alive, Some(said)) => {
            let StoredOwnerReport { report, .. } = said;
            let condition = LaneCondition::Says(report.state);
            (condition, report.reason.clone(), Some(report.since))
        }
        (Liveness::Alive, None) => {
            let reason = format!("{label} holds the lane and has said nothing yet");
            (LaneCondition::Says(OwnerState::Starting), reason, None)
        }
    };
    Finding {
        condition,
        reason,
        since,
        owner: Some(OwnerOverview {
            label,
            liveness,
            expires_at: Some(holder.expires_at),
        }),
    }
}

/// A lane that nobody holds: its last owner has said how it ended, or could not any more.
fn of_a_free_lane(stored: Option<&StoredOwnerReport>, processes: &mut Processes) -> Finding {
    let Some(stored) = stored else {
        return Finding {
            condition: LaneCondition::Says(OwnerState::Stopped),
            reason: "nobody runs it".to_owned(),
            since: None,
            owner: None,
        };
    };
    let report = &stored.report;
    if report.state.is_terminal() {
        return Finding {
            condition: LaneCondition::Says(report.state),
            reason: report.reason.clone(),
            since: Some(report.since),
            owner: None,
        };
    }
    let label = stored.owner.label();
    if processes.vitality(&stored.owner) == Vitality::Running {
        return Finding {
            condition: LaneCondition::Says(OwnerState::Starting),
            reason: format!("{label} has given the lane back and asks for it again"),
            since: None,
            owner: None,
        };
    }
    Finding {
        condition: LaneCondition::Died,
        reason: format!("{label} ended without a last word{}", last_words(stored)),
        since: None,
        owner: Some(OwnerOverview {
            label,
            liveness: Liveness::Dead,
            expires_at: None,
        }),
    }
}

fn last_words(stored: &StoredOwnerReport) -> String {
    format!("; it said last: {}", stored.report.reason)
}
