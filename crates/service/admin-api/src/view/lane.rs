//! What is shown of a lane.

use projectionist_core::Counters;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FailureView, OffsetView};

/// What a lane does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It asks for its claim.
    Starting,
    /// Another owner holds the lane, and this process waits for it.
    StandingBy,
    /// It handles events.
    Running,
    /// It waits for new events.
    Idle,
    /// Its source waits for something to read from.
    AwaitingSource,
    /// Too much of what it took cannot be settled.
    Blocked,
    /// An attempt failed, the next one follows.
    Retrying,
    /// Someone has paused it.
    Paused,
    /// A run failed, the next one follows.
    Restarting,
    /// The source ended and everything is saved.
    Completed,
    /// Nobody runs it.
    Stopped,
    /// It failed and is not restarted.
    Failed,
    /// Its owner died or is silent.
    Lost,
    /// It is declared, and has not run yet.
    NotStarted,
    /// Its file declares it no more.
    NotDeclared,
}

impl State {
    /// Whether it does not move although it should.
    #[must_use]
    pub fn is_stalled(self) -> bool {
        matches!(self, Self::Blocked | Self::Retrying | Self::Restarting)
    }
}

/// What became of the events of a lane, cumulative over all runs, in events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CountersView {
    /// Events that reached the projection.
    pub read: u64,
    /// Events whose effect is in the read model.
    pub applied: u64,
    /// Events of a type that the projection does not name.
    pub unmatched: u64,
    /// Events whose condition was false.
    pub filtered: u64,
    /// Events that by declaration change nothing.
    pub ignored: u64,
    /// Events at or below the last applied sequence number of their entity.
    pub stale: u64,
    /// Events that were passed over and not kept.
    pub skipped: u64,
    /// Events that are kept as dead letters.
    pub dead_lettered: u64,
    /// Events that are parked now.
    pub parked: u64,
    /// Events that were read and are not settled yet.
    pub pending: u64,
    /// How many of the applied were folded into a later write of the same batch.
    pub folded: u64,
    /// Records of the source that are no events. They are not in `read`.
    pub malformed: u64,
}

impl From<&Counters> for CountersView {
    fn from(counters: &Counters) -> Self {
        Self {
            read: counters.read,
            applied: counters.applied,
            unmatched: counters.unmatched,
            filtered: counters.filtered,
            ignored: counters.ignored,
            stale: counters.stale,
            skipped: counters.skipped,
            dead_lettered: counters.dead_lettered,
            parked: counters.parked(),
            pending: counters.pending(),
            folded: counters.folded,
            malformed: counters.malformed,
        }
    }
}

/// A lane as a desk knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LaneStatus {
    /// The name of the projection.
    pub name: String,
    /// The key of the lane.
    pub key: String,
    /// What it does.
    pub state: State,
    /// Why, for people.
    pub reason: Option<String>,
    /// Since when it does so.
    pub since_ms: Option<i64>,
    /// Whether the process that answers runs it.
    pub is_here: bool,
    /// Who holds its claim, for people.
    pub owner: Option<String>,
    /// The fencing number of its last claim.
    pub epoch: u64,
    /// Everything up to here is settled and stored.
    pub offset: Option<OffsetView>,
    /// When offset or counters last moved.
    pub updated_at_ms: Option<i64>,
    /// How many records the source has behind the offset, where it can tell.
    pub lag_events: Option<u64>,
    /// How long ago the last settled event happened while others wait behind it, else 0, in seconds;
    /// absent where events do not tell their time.
    pub lag_seconds: Option<f64>,
    /// What became of its events.
    pub counters: CountersView,
    /// What fails at the moment, or why it ended.
    pub failure: Option<FailureView>,
}

/// A lane as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LaneView {
    /// What the lane says of itself.
    #[serde(flatten)]
    pub status: LaneStatus,
    /// Events read a second, over the last seconds.
    pub events_per_second: f64,
}

/// What the process can do besides the commands that every process can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Capabilities {
    /// Whether projections can be rebuilt from here.
    pub rebuild: bool,
}

/// All lanes, ordered by name and key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Overview {
    /// When this was read.
    pub at_ms: i64,
    /// The version of the program.
    pub version: String,
    /// What can be done from here.
    pub capabilities: Capabilities,
    /// The lanes.
    pub lanes: Vec<LaneView>,
}
