//! Events that could not be applied, kept with what is needed to apply them later.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;

use crate::{Counters, ErrorClass, Offset, Timestamp};

/// Longest head of an offending value that is kept, in bytes.
pub const VALUE_HEAD_BYTES: usize = 120;

/// Whose fault a dead letter records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeadLetterOrigin {
    /// A projection could not apply the event.
    Projection,
    /// The record is no envelope: it is kept under an empty projection name, once a position,
    /// however many projections read past it.
    Source,
}

/// What was wrong with an event, as the one who refused it says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// What kind of fault it is.
    pub class: ErrorClass,
    /// What happened, as a sentence.
    pub error: String,
    /// The column, path or key it happened at, when there is one.
    pub field: Option<String>,
    /// The first [`VALUE_HEAD_BYTES`] of the value that was refused.
    pub value: Option<String>,
}

impl Defect {
    /// A fault without a field.
    #[must_use]
    pub fn new(class: ErrorClass, error: impl Into<String>) -> Self {
        Self {
            class,
            error: error.into(),
            field: None,
            value: None,
        }
    }

    /// Names the column, path or key at which it happened.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Keeps the head of the value that was refused.
    #[must_use]
    pub fn with_value(mut self, value: &str) -> Self {
        let mut end = value.len().min(VALUE_HEAD_BYTES);
        while !value.is_char_boundary(end) {
            end -= 1;
        }
        self.value = value.get(..end).map(ToOwned::to_owned);
        self
    }
}

/// An event that was passed over, with what is needed to look at it and to apply it later.
///
/// Identity: the projection (none for [`DeadLetterOrigin::Source`]), the key of the lane, and the
/// position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// Whose fault it is.
    pub origin: DeadLetterOrigin,
    /// The event's position in its lane.
    pub offset: Offset,
    /// What was wrong.
    pub defect: Defect,
    /// The event, as the source's codec encodes it; of a malformed record what was read.
    pub event: Bytes,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was given up first.
    pub first_failed_at: Timestamp,
    /// When it was given up last.
    pub failed_at: Timestamp,
}

/// The name of a dead letter within its store: what people call it by. No name is ever given
/// twice, and letters that were kept later have higher ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeadLetterId(pub u64);

impl fmt::Display for DeadLetterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for DeadLetterId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().map(Self);
        number.map_err(|_| "is no number of a dead letter, such as 17".to_owned())
    }
}

/// What became of a dead letter that was taken up again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeadLetterFate {
    /// It is gone. Its lane counts one dead letter less and these counts more, which are those of
    /// one event without `read`: it was counted as read when it was first delivered. The letter of
    /// a malformed record is in no lane's counts: nothing is counted when it goes.
    Settled(Counters),
    /// It was tried once more in vain: it is kept, in its place, with one attempt more.
    FailedAgain {
        /// What was wrong this time.
        defect: Defect,
        /// When.
        at: Timestamp,
    },
}

impl DeadLetterFate {
    /// It was given up for good.
    #[must_use]
    pub fn discarded() -> Self {
        Self::Settled(Counters {
            skipped: 1,
            ..Counters::ZERO
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_value_ends_between_characters() {
        let long = "é".repeat(VALUE_HEAD_BYTES);
        let defect = Defect::new(ErrorClass::Data, "too long").with_value(&long);
        assert_eq!(defect.value.unwrap(), "é".repeat(VALUE_HEAD_BYTES / 2));
    }
}
