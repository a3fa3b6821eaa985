//! What a projection and its columns ask for beside values.

/// How a value becomes a cell of one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnRules {
    /// Whether a text that spells a number or a truth value counts as one: `coerce: lenient`.
    pub lenient: bool,
    /// The zone of texts that name a moment without one: `tz`. Such a text is an error when `None`.
    pub zone: Option<Zone>,
    /// What becomes of U+0000, which no text of SQL holds: `nul`.
    pub nul: NulRule,
}

/// The zone of a moment whose text has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Always the same distance from UTC, in minutes; positive is east.
    Offset(i16),
    /// A zone of the tz database. A moment that it has twice or not at all is a data error.
    Named(chrono_tz::Tz),
}

/// What becomes of U+0000 in a text or in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NulRule {
    /// The event is a data error.
    #[default]
    Error,
    /// The character is left out.
    Strip,
    /// The character becomes U+FFFD.
    Replace,
}

/// Where a projection starts that has not run before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// With the first event of the source.
    #[default]
    Earliest,
    /// Behind the last event that the source has then.
    Latest,
}

/// What is done about a `sequenceNumber` that does not follow the last one of its entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnGap {
    /// Nothing.
    #[default]
    Ignore,
    /// The event is applied, and a warning names the entity and both numbers.
    Warn,
}

/// How often an event that fails is tried again before it becomes a dead letter. An outage of the
/// store does not count: it is waited for without limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// `data_retries`: of an event whose values do not fit. 0, because it would fail again.
    pub data: u32,
    /// `max_retries`: of every other failure, 5; from 500 ms doubling to 30 s.
    pub other: u32,
}

impl Default for Retries {
    fn default() -> Self {
        Self { data: 0, other: 5 }
    }
}
