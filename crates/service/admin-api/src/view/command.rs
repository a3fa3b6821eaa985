//! What is asked of a lane, and the answers.

use projectionist_core::Offset;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An offset as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OffsetView {
    /// The position, as its source writes it.
    pub text: String,
    /// The name of the text's format.
    pub manifest: String,
}

impl From<&Offset> for OffsetView {
    fn from(offset: &Offset) -> Self {
        Self {
            text: offset.text.clone(),
            manifest: offset.manifest.to_string(),
        }
    }
}

/// Which lanes a pause is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseScope {
    /// The lane alone.
    #[default]
    Lane,
    /// All lanes of the projection's name.
    AllLanes,
}

/// Asks to pause or to resume.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseRequest {
    /// Which lanes. Default: the lane alone.
    #[serde(default)]
    pub scope: PauseScope,
}

/// Asks to pass over the envelope that cannot be handled.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SkipRequest {
    /// The text of its offset: refused when another envelope fails meanwhile. Default: the one that
    /// fails.
    #[serde(default)]
    pub at: Option<String>,
}

/// The answer to a [`SkipRequest`].
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Skipped {
    /// The envelope that was passed over.
    pub offset: OffsetView,
}

/// Asks to move a lane.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OffsetSet {
    /// The text of the offset behind which the lane goes on.
    pub to: String,
    /// The text of the offset that the lane must hold still; in any case where it is left out.
    #[serde(default)]
    pub expected: Option<String>,
}

/// It was done.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
pub struct Done {
    /// Always true: what was not done is answered as an error.
    pub done: bool,
}

impl Done {
    /// It was done.
    pub const YES: Self = Self { done: true };
}
