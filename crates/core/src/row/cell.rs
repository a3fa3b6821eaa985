//! One typed value of a row.

use crate::Timestamp;

/// One value, borrowed from the batch that holds it.
///
/// The variants are the column types of [`super::ColumnType`] after coercion: a store converts a
/// cell to its own representation and never judges it again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// TEXT. Free of U+0000.
    Text(&'a str),
    /// BIGINT or INT.
    Int(i64),
    /// DOUBLE. Finite.
    Double(f64),
    /// BOOLEAN.
    Bool(bool),
    /// NUMERIC, in its canonical spelling; see [`super::ColumnType::Numeric`].
    Numeric(&'a str),
    /// TIMESTAMPTZ.
    Timestamp(Timestamp),
    /// UUID, big-endian bytes.
    Uuid([u8; 16]),
    /// JSONB: the text of one JSON value, free of U+0000.
    Json(&'a str),
}

/// One value that owns its text, for defaults and for keeping rows apart from a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnedCell {
    /// See [`Cell::Null`].
    Null,
    /// See [`Cell::Text`].
    Text(Box<str>),
    /// See [`Cell::Int`].
    Int(i64),
    /// See [`Cell::Double`].
    Double(f64),
    /// See [`Cell::Bool`].
    Bool(bool),
    /// See [`Cell::Numeric`].
    Numeric(Box<str>),
    /// See [`Cell::Timestamp`].
    Timestamp(Timestamp),
    /// See [`Cell::Uuid`].
    Uuid([u8; 16]),
    /// See [`Cell::Json`].
    Json(Box<str>),
}

impl OwnedCell {
    /// The value, borrowed.
    #[must_use]
    pub fn as_cell(&self) -> Cell<'_> {
        match self {
            Self::Null => Cell::Null,
            Self::Text(text) => Cell::Text(text),
            Self::Int(value) => Cell::Int(*value),
            Self::Double(value) => Cell::Double(*value),
            Self::Bool(value) => Cell::Bool(*value),
            Self::Numeric(text) => Cell::Numeric(text),
            Self::Timestamp(moment) => Cell::Timestamp(*moment),
            Self::Uuid(bytes) => Cell::Uuid(*bytes),
            Self::Json(text) => Cell::Json(text),
        }
    }
}

impl From<Cell<'_>> for OwnedCell {
    fn from(cell: Cell<'_>) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Text(text) => Self::Text(text.into()),
            Cell::Int(value) => Self::Int(value),
            Cell::Double(value) => Self::Double(value),
            Cell::Bool(value) => Self::Bool(value),
            Cell::Numeric(text) => Self::Numeric(text.into()),
            Cell::Timestamp(moment) => Self::Timestamp(moment),
            Cell::Uuid(bytes) => Self::Uuid(bytes),
            Cell::Json(text) => Self::Json(text.into()),
        }
    }
}
