//! Whether the process does what it should.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{LaneStatus, State};

/// Whether every lane that runs here moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readiness {
    /// Whether it does.
    pub ready: bool,
    /// What does not, and why.
    pub reasons: Vec<NotReady>,
}

/// A lane that does not move although it should.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotReady {
    /// The name of the projection.
    pub name: String,
    /// The key of the lane.
    pub key: String,
    /// What it does instead.
    pub state: State,
    /// Why, for people.
    pub reason: String,
}

impl Readiness {
    /// What these lanes say.
    pub fn of<'a>(lanes: impl IntoIterator<Item = &'a LaneStatus>) -> Self {
        let hangs = |lane: &&LaneStatus| {
            lane.is_here && (lane.state == State::Failed || lane.state.is_stalled())
        };
        let reasons: Vec<NotReady> = lanes
            .into_iter()
            .filter(hangs)
            .map(|lane| NotReady {
                name: lane.name.clone(),
                key: lane.key.clone(),
                state: lane.state,
                reason: lane.reason.clone().unwrap_or_default(),
            })
            .collect();
        Self {
            ready: reasons.is_empty(),
            reasons,
        }
    }
}
