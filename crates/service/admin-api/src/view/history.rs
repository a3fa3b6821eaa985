//! What lanes did in the last minutes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A lane at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Sample {
    /// When.
    pub at_ms: i64,
    /// Events read until then, cumulative.
    pub read: u64,
    /// As in the status.
    pub lag_events: Option<u64>,
    /// As in the status.
    pub lag_seconds: Option<f64>,
}

/// What one lane did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LaneHistory {
    /// The name of the projection.
    pub name: String,
    /// The key of the lane.
    pub key: String,
    /// The oldest one first. They are a second apart while somebody looks, else more.
    pub samples: Vec<Sample>,
}

/// What all lanes did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// Each lane.
    pub lanes: Vec<LaneHistory>,
}
