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
    /// TEXT or VARCHAR. Free of U+0000.
    Text(&'a str),
    /// BIGINT, INT or SMALLINT.
    Int(i64),
    /// DOUBLE or REAL. Finite; of a REAL column a value that 32 bits hold.
    Double(f64),
    /// BOOLEAN.
    Bool(bool),
    /// NUMERIC, in its canonical spelling; see [`super::ColumnType::Numeric`].
    Numeric(&'a str),
    /// TIMESTAMPTZ.
    Timestamp(Timestamp),
    /// DATE, as days since 1970-01-01; the years 0001 to 9999.
    Date(i32),
    /// UUID, big-endian bytes.
    Uuid([u8; 16]),
    /// BYTEA.
    Bytes(&'a [u8]),
    /// JSONB: the text of one JSON value, free of U+0000.
    Json(&'a str),
    /// An array: the text of a JSON array without spaces between its elements. Integers and floats
    /// are JSON numbers, truth values `true` and `false`, nulls `null`, all other elements JSON
    /// texts: NUMERIC in its canonical spelling, because readers of JSON take its numbers for
    /// doubles; moments, days and UUIDs as in [`super::cell_text`]; BYTEA in base64 with padding.
    Array(&'a str),
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
    /// See [`Cell::Date`].
    Date(i32),
    /// See [`Cell::Uuid`].
    Uuid([u8; 16]),
    /// See [`Cell::Bytes`].
    Bytes(Box<[u8]>),
    /// See [`Cell::Json`].
    Json(Box<str>),
    /// See [`Cell::Array`].
    Array(Box<str>),
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
            Self::Date(days) => Cell::Date(*days),
            Self::Uuid(bytes) => Cell::Uuid(*bytes),
            Self::Bytes(bytes) => Cell::Bytes(bytes),
            Self::Json(text) => Cell::Json(text),
            Self::Array(text) => Cell::Array(text),
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
            Cell::Date(days) => Self::Date(days),
            Cell::Uuid(bytes) => Self::Uuid(bytes),
            Cell::Bytes(bytes) => Self::Bytes(bytes.into()),
            Cell::Json(text) => Self::Json(text.into()),
            Cell::Array(text) => Self::Array(text.into()),
        }
    }
}
