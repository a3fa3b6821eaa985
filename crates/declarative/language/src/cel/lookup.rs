//! Where an evaluation finds the values of an event.

/// A value of the event as it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// Nothing is there.
    Missing,
    /// A valid JSON value, as it stands in the record.
    Json(&'a str),
    /// A text whose escapes are resolved.
    Text(&'a str),
}

impl Found<'_> {
    /// Whether nothing is there, or an explicit null.
    pub(super) fn is_null(self) -> bool {
        matches!(self, Self::Missing | Self::Json("null"))
    }
}

/// Finds the values of one event.
pub trait Lookup: Send + Sync {
    /// What stands at a place: an index into [`super::Program::places`].
    fn find(&self, place: usize) -> Found<'_>;
}
