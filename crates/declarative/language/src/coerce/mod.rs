//! From a value as it stands in an event or a file to a cell of a column's type, without loss.
//!
//! Lossless means: what a reader of the table sees is what the producer wrote. A digit string is
//! no number, 5.5 is no integer, and a moment finer than a millisecond is refused rather than cut.
//! Values of the file and values of events go through the same door, so that a literal can never
//! mean something else than the same text in an event.

mod array;
mod buffer;
mod calendar;
mod date;
mod decimal;
mod error;
mod json_text;
mod number;
mod text;
mod timestamp;
mod unescape;
mod uuid;

use projectionist_core::row::{Cell, ColumnType};

pub use buffer::CoerceBuffer;
pub use error::CoerceError;
pub(crate) use json_text::quote as quote_json;
pub(crate) use timestamp::in_range as is_moment;
pub use timestamp::unix_millis;
pub use unescape::{LoneSurrogate, unescape};

use crate::model::{ColumnRules, Literal};

/// A JSON value as a one-pass parser meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonValue<'a> {
    /// `null`, or nothing at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number: its text, which is a valid JSON number.
    Number(&'a str),
    /// A text, with its escapes resolved.
    Text(&'a str),
    /// An array or an object: its text, which is valid JSON.
    Json(&'a str),
}

impl<'a> From<&'a Literal> for JsonValue<'a> {
    fn from(literal: &'a Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Number(text) => Self::Number(text),
            Literal::Text(text) => Self::Text(text),
        }
    }
}

/// Converts `value` to a cell of `column_type`, as the column's `rules` have it.
///
/// Null is null in every type; whether the column allows it is not judged here. The cell borrows
/// from the value where it can, and from `buffer`, which is overwritten, where it has to be built:
/// for NUMERIC that is not in canonical spelling yet, for a text in JSONB, for BYTEA, for arrays,
/// and where U+0000 is taken out. The types:
///
/// | type | takes |
/// | --- | --- |
/// | TEXT | a text; a number as it is spelt; `true` and `false` |
/// | VARCHAR(n) | the same in at most n characters |
/// | BIGINT, INT, SMALLINT | a number without a fraction, also spelt `5.0` or `1e3`, in range |
/// | BOOLEAN | `true` and `false` |
/// | DOUBLE, REAL | a number in range, rounded to the nearest float; negative zero becomes zero |
/// | NUMERIC | a number, or a text that spells one, within precision and scale and 1,000 digits |
/// | TIMESTAMPTZ | RFC 3339 text with a zone, or whole Unix milliseconds; years 0001 to 9999 |
/// | DATE | a text such as `2024-06-25`; years 0001 to 9999 |
/// | UUID | a text of 32 hexadecimal digits in any case, bare or with the four hyphens |
/// | BYTEA | a text of base64 in the standard alphabet, with or without its padding |
/// | JSONB | any value |
/// | T\[\] | an array of what T takes, and of nulls |
///
/// The rules hold for the elements of an array too: with `lenient` a text that spells a JSON
/// number is one for integers and floats, and `"true"` and `"false"` are truth values; with a
/// `zone` a text without one is a moment; `nul` says what becomes of U+0000.
///
/// # Errors
///
/// When the value does not fit, or holds U+0000 where text is kept and the rules do not take it
/// out. The error says what was met and what the type wants.
pub fn coerce<'a>(
    column_type: ColumnType,
    rules: ColumnRules,
    value: JsonValue<'a>,
    buffer: &'a mut CoerceBuffer,
) -> Result<Cell<'a>, CoerceError> {
    match column_type {
        ColumnType::Array(_) if value == JsonValue::Null => Ok(Cell::Null),
        ColumnType::Array(element) => array::array(element, rules, value, buffer),
        _ => scalar(
            column_type,
            rules,
            value,
            &mut buffer.text,
            &mut buffer.bytes,
        ),
    }
}

/// As [`coerce`], for every type but arrays.
fn scalar<'a>(
    column_type: ColumnType,
    rules: ColumnRules,
    value: JsonValue<'a>,
    buffer: &'a mut String,
    bytes: &'a mut Vec<u8>,
) -> Result<Cell<'a>, CoerceError> {
    if value == JsonValue::Null {
        return Ok(Cell::Null);
    }
    let integer = |min, max| number::integer(column_type, rules, value, min, max);
    match column_type {
        ColumnType::Text => text::text(column_type, None, rules, value, buffer),
        ColumnType::Varchar { limit } => text::text(column_type, Some(limit), rules, value, buffer),
        ColumnType::BigInt => integer(i64::MIN, i64::MAX),
        ColumnType::Int => integer(i32::MIN.into(), i32::MAX.into()),
        ColumnType::SmallInt => integer(i16::MIN.into(), i16::MAX.into()),
        ColumnType::Boolean => match value {
            JsonValue::Bool(truth) => Ok(Cell::Bool(truth)),
            JsonValue::Text("true") if rules.lenient => Ok(Cell::Bool(true)),
            JsonValue::Text("false") if rules.lenient => Ok(Cell::Bool(false)),
            _ => Err(CoerceError::wrong_kind(value, column_type)),
        },
        ColumnType::Double => number::double(rules, value),
        ColumnType::Real => number::real(rules, value),
        ColumnType::Numeric { limits } => number::numeric(limits, value, buffer),
        ColumnType::TimestampTz => timestamp::moment(rules.zone, value),
        ColumnType::Date => date::date(value),
        ColumnType::Uuid => match value {
            JsonValue::Text(text) => uuid::parse(text)
                .map(Cell::Uuid)
                .ok_or_else(|| CoerceError::new(value, "is no UUID", column_type)),
            _ => Err(CoerceError::wrong_kind(value, column_type)),
        },
        ColumnType::Bytea => text::bytea(value, bytes),
        ColumnType::Jsonb => text::json(rules, value, buffer),
        ColumnType::Array(_) => Err(CoerceError::wrong_kind(value, column_type)),
    }
}
