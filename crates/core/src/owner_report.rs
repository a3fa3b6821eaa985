//! What the owner of a lane says of itself, kept for those who are not in its process.

use std::time::Duration;

use crate::{
    Epoch, ErrorClass, LaneState, ManagementRequest, Offset, Owner, ProjectionId, Timestamp,
};

/// What a projection does, in one word: its status without the reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwnerState {
    /// It asks for its lane.
    Starting,
    /// Another owner holds the lane.
    StandingBy,
    /// It handles events.
    Running,
    /// Everything that the source delivered is handled.
    Idle,
    /// Its source waits for something to read from.
    AwaitingSource,
    /// It takes no new events because too much of what it took cannot be settled.
    Blocked,
    /// An attempt failed and the next one follows.
    Retrying,
    /// Someone has paused it.
    Paused,
    /// A run failed and the next one follows.
    Restarting,
    /// The source ended and everything is saved.
    Completed,
    /// It was stopped.
    Stopped,
    /// It failed and is not restarted.
    Failed,
}

impl OwnerState {
    /// Every state.
    pub const ALL: [Self; 12] = [
        Self::Starting,
        Self::StandingBy,
        Self::Running,
        Self::Idle,
        Self::AwaitingSource,
        Self::Blocked,
        Self::Retrying,
        Self::Paused,
        Self::Restarting,
        Self::Completed,
        Self::Stopped,
        Self::Failed,
    ];

    /// The stored and printed name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::StandingBy => "standing by",
            Self::Running => "running",
            Self::Idle => "idle",
            Self::AwaitingSource => "awaiting source",
            Self::Blocked => "blocked",
            Self::Retrying => "retrying",
            Self::Paused => "paused",
            Self::Restarting => "restarting",
            Self::Completed => "completed",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether the projection has ended.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Stopped | Self::Failed)
    }
}

/// What the owner of a lane says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerReport {
    /// What it does.
    pub state: OwnerState,
    /// Why, in a line for people.
    pub reason: String,
    /// Since when it does so.
    pub since: Timestamp,
    /// When it said so. An owner without anything new to say is silent, so this may be long ago.
    pub told_at: Timestamp,
    /// How many records the source had behind the offset; `None` where it cannot tell.
    pub lag_events: Option<u64>,
    /// How long ago the event had happened that was delivered last; zero when nothing was behind
    /// it. `None` when the events do not tell their time, and before the first.
    pub lag: Option<Duration>,
    /// The envelope that cannot be handled now.
    pub failing: Option<FailingEnvelope>,
    /// The last error, also when it is over.
    pub last_error: Option<ReportedError>,
    /// How often a failed run was followed by another one, since the process spawned the
    /// projection.
    pub restarts: u64,
    /// How fast events were read last; `None` before that can be told.
    pub pace: Option<Pace>,
}

/// An envelope that cannot be handled now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingEnvelope {
    /// Its position.
    pub offset: Offset,
    /// How often it was tried.
    pub attempts: u32,
}

/// An error of a projection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedError {
    /// What it says.
    pub text: String,
    /// What kind of fault it is.
    pub class: ErrorClass,
    /// The position of the envelope that could not be handled; `None` when no envelope is to blame.
    pub offset: Option<Offset>,
    /// When it first came, of several in a row.
    pub since: Timestamp,
}

/// So many events within a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The events that were read.
    pub events: u64,
    /// Within this time, kept in whole milliseconds.
    pub within: Duration,
}

impl Pace {
    /// Events a second; zero for no time.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        if self.within.is_zero() {
            return 0.0;
        }
        self.events as f64 / self.within.as_secs_f64()
    }
}

/// A report as it is kept, with who gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredOwnerReport {
    /// Who gave it.
    pub owner: Owner,
    /// The epoch of the claim under which it was given.
    pub epoch: Epoch,
    /// What it says.
    pub report: OwnerReport,
}

/// A lane as a survey finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyedLane {
    /// Its identity.
    pub id: ProjectionId,
    /// Its row.
    pub row: LaneState,
    /// What its last owner said last; `None` when none has said anything.
    pub report: Option<StoredOwnerReport>,
}

/// A pause flag that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetPause {
    /// The name of the projection.
    pub name: String,
    /// The key of the lane; `None` for all lanes of the name.
    pub key: Option<String>,
    /// Since when.
    pub since: Timestamp,
}

/// What a store holds of all projections at one moment, apart from events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Every lane that was ever claimed, ordered by name and key.
    pub lanes: Vec<SurveyedLane>,
    /// Every pause flag that is set, ordered by name and key, the one of all lanes first.
    pub pauses: Vec<SetPause>,
    /// Every request without an answer, oldest first.
    pub requests: Vec<(ProjectionId, ManagementRequest)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_found_by_its_name() {
        for state in OwnerState::ALL {
            assert_eq!(OwnerState::from_name(state.name()), Some(state));
        }
        assert_eq!(OwnerState::from_name("Running"), None);
    }

    #[test]
    fn a_pace_is_events_a_second() {
        let within = Duration::from_millis(500);
        assert!((Pace { events: 3, within }.per_second() - 6.0).abs() < 1e-9);
        let within = Duration::ZERO;
        assert!(Pace { events: 3, within }.per_second().abs() < 1e-9);
    }
}
