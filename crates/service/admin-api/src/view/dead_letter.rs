//! What is shown and asked of dead letters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Most letters of one page, and of one command.
pub const MAX_LETTERS: u32 = 500;

/// Which dead letters are listed: those for which all holds that is given.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DeadLetterQuery {
    /// Letters of this projection; the empty name for records that are no events.
    pub projection: Option<String>,
    /// Letters of lanes with this key.
    pub key: Option<String>,
    /// Letters that were kept after the one of this number.
    pub after: Option<u64>,
    /// At most so many, 1 to 500. Default 100.
    pub limit: Option<u32>,
}

/// A dead letter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterView {
    /// Its number.
    pub id: u64,
    /// The projection; empty for a record that is no event.
    pub projection: String,
    /// The key of the lane.
    pub key: String,
    /// The position of the event.
    pub offset: String,
    /// The type of the event, where it can be read.
    pub event_type: Option<String>,
    /// The entity of the event, where it can be read.
    pub entity: Option<String>,
    /// The tenant of the event.
    pub tenant: Option<String>,
    /// The number of the event within its entity.
    pub sequence: Option<i64>,
    /// What kind of fault it is.
    pub class: String,
    /// What was wrong.
    pub error: String,
    /// The column, path or key at which it was wrong.
    pub field: Option<String>,
    /// The head of the value that was refused.
    pub value: Option<String>,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was given up first.
    pub first_failed_at_ms: i64,
    /// When it was given up last.
    pub failed_at_ms: i64,
    /// The event as it was read; only where one letter is asked for, and only where it is a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The event in hexadecimal digits, where it is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_hex: Option<String>,
}

/// Some dead letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterPage {
    /// The letters, those that were kept first in front.
    pub dead_letters: Vec<DeadLetterView>,
    /// When there are more: the number to go on after.
    pub more_after: Option<u64>,
}

/// Which dead letters a command is for: those for which all holds that is given, and at least one
/// thing must be given.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeadLetterSelection {
    /// The letters of these numbers, at most 500.
    #[serde(default)]
    pub ids: Vec<u64>,
    /// Letters of this projection.
    #[serde(default)]
    pub projection: Option<String>,
    /// Letters of lanes with this key.
    #[serde(default)]
    pub key: Option<String>,
}

/// Asks to apply the events of dead letters again.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// The letters of these numbers, at most 500.
    #[serde(default)]
    pub ids: Vec<u64>,
    /// Letters of this projection.
    #[serde(default)]
    pub projection: Option<String>,
    /// Letters of lanes with this key.
    #[serde(default)]
    pub key: Option<String>,
    /// Also letters of projections that cannot tell whether a later event was applied.
    #[serde(default)]
    pub force: bool,
}

impl ReplayRequest {
    /// Which letters are meant.
    #[must_use]
    pub fn selection(&self) -> DeadLetterSelection {
        DeadLetterSelection {
            ids: self.ids.clone(),
            projection: self.projection.clone(),
            key: self.key.clone(),
        }
    }
}

/// What became of a dead letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LetterDone {
    /// Its number.
    pub id: u64,
    /// What became of it in one word, such as `applied`, `discarded`, `failed_again` or
    /// `superseded`.
    pub outcome: String,
    /// Why it was kept, and what to do.
    pub detail: Option<String>,
    /// Whether it is gone.
    pub is_gone: bool,
}

/// What became of dead letters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LettersDone {
    /// Each of them, in the order in which they were taken up, at most 500.
    pub letters: Vec<LetterDone>,
    /// How many had each outcome, by its word.
    pub summary: BTreeMap<String, usize>,
    /// Whether there are more of the same selection: repeat the command.
    pub has_more: bool,
}
