//! What is shown and asked of rebuilds.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How far a rebuild is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RebuildPhase {
    /// None is under way.
    None,
    /// The new table is being filled.
    Building,
    /// The new table takes the place of the old one.
    Swapping,
    /// It ended well.
    Done,
    /// It was given up.
    Aborted,
    /// It failed; the table in use was not touched.
    Failed,
}

/// How a rebuild is to be done.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RebuildStart {
    /// Whether the replaced table is kept, so that the rebuild can be reverted. Default false.
    #[serde(default)]
    pub keep: bool,
}

/// The rebuild of a projection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RebuildView {
    /// The name of the projection.
    pub name: String,
    /// How far it is.
    pub phase: RebuildPhase,
    /// How many events it has read.
    pub read: u64,
    /// What part of the source it has read, 0 to 1, where that can be told.
    pub fraction: Option<f64>,
    /// Events read a second.
    pub events_per_second: Option<f64>,
    /// When it began.
    pub started_at_ms: Option<i64>,
    /// When it ended.
    pub ended_at_ms: Option<i64>,
    /// Whether the replaced table is still there and can be put back.
    pub can_be_reverted: bool,
    /// Why it failed.
    pub error: Option<String>,
}
