//! What fails in a lane.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::OffsetView;

/// What fails at the moment, or why a lane ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FailureView {
    /// What went wrong.
    pub error: String,
    /// The position of the envelope that cannot be handled, or of the last one of its group;
    /// absent when no envelope is to blame.
    pub offset: Option<OffsetView>,
    /// How often it was tried, or how many runs failed in a row.
    pub attempts: Option<u32>,
    /// The wait before the next attempt, counted from the failure, in milliseconds.
    pub next_after_ms: Option<u64>,
    /// Whether `skip` can pass over the envelope.
    pub can_be_skipped: bool,
}
