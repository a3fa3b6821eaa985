//! Events that could not be applied, kept with what is needed to apply them later.

use bytes::Bytes;

use crate::{ErrorClass, Offset, Timestamp};

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
    /// When it was given up.
    pub failed_at: Timestamp,
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
