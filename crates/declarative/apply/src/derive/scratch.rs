//! Buffers for deriving one event after the other.

use projectionist_core::row::{Change, RowRef};
use projectionist_language::coerce::CoerceBuffer;

use crate::span::Span;

/// Buffers for deriving one event after the other.
#[derive(Debug, Default)]
pub(crate) struct DeriveScratch {
    /// A text whose escapes are resolved.
    pub(crate) text: String,
    /// What a conversion spells anew.
    pub(crate) converted: CoerceBuffer,
    /// The elements of an array.
    pub(crate) elements: Vec<Span>,
    /// The wanted places of one element.
    pub(crate) item: Vec<Span>,
    /// The rows of one event.
    pub(crate) rows: Vec<RowRef>,
    /// The columns that a patch sets.
    pub(crate) set: Vec<usize>,
    /// How a patch changes each column.
    pub(crate) shape: Vec<Change>,
}
