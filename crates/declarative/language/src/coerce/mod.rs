//! From a value as it stands in an event or a file to a cell of a column's type, without loss.
//!
//! Lossless means: what a reader of the table sees is what the producer wrote. A digit string is
//! no number, 5.5 is no integer, and a moment finer than a millisecond is refused rather than cut.
//! Values of the file and values of events go through the same door, so that a literal can never
//! mean something else than the same text in an event.

mod decimal;
mod error;
mod json_text;
mod timestamp;
mod uuid;

use projectionist_core::Timestamp;
use projectionist_core::row::{Cell, ColumnType};

pub use error::CoerceError;
pub(crate) use json_text::quote as quote_json;

use self::decimal::{Decimal, IntegerFault, NumericFault};
use crate::model::Literal;

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

/// Converts `value` to a cell of `column_type`.
///
/// Null is null in every type; whether the column allows it is not judged here. The cell borrows
/// from the value where it can, and from `buffer`, which is overwritten, where its text has to be
/// built: only for NUMERIC that is not in canonical spelling yet and for a text in JSONB. The
/// types:
///
/// | type | takes |
/// | --- | --- |
/// | TEXT | a text; a number as it is spelt; `true` and `false` |
/// | BIGINT, INT | a number without a fraction, also spelt `5.0` or `1e3`, in range |
/// | BOOLEAN | `true` and `false` |
/// | DOUBLE | a number in range, rounded to the nearest double; negative zero becomes zero |
/// | NUMERIC | a number, or a text that spells one, within precision and scale and 1,000 digits |
/// | TIMESTAMPTZ | RFC 3339 text with a zone, or whole Unix milliseconds; years 0001 to 9999 |
/// | UUID | a text of 32 hexadecimal digits in any case, bare or with the four hyphens |
/// | JSONB | any value |
///
/// # Errors
///
/// When the value does not fit, or holds U+0000 where text is kept. The error says what was met
/// and what the type wants.
pub fn coerce<'a>(
    column_type: ColumnType,
    value: JsonValue<'a>,
    buffer: &'a mut String,
) -> Result<Cell<'a>, CoerceError> {
    if value == JsonValue::Null {
        return Ok(Cell::Null);
    }
    match column_type {
        ColumnType::Text => text(value),
        ColumnType::BigInt => integer(column_type, value, i64::MIN, i64::MAX),
        ColumnType::Int => integer(column_type, value, i32::MIN.into(), i32::MAX.into()),
        ColumnType::Boolean => match value {
            JsonValue::Bool(truth) => Ok(Cell::Bool(truth)),
            _ => Err(CoerceError::wrong_kind(value, column_type)),
        },
        ColumnType::Double => double(value),
        ColumnType::Numeric { limits } => numeric(limits, value, buffer),
        ColumnType::TimestampTz => moment(value),
        ColumnType::Uuid => match value {
            JsonValue::Text(text) => uuid::parse(text)
                .map(Cell::Uuid)
                .ok_or_else(|| CoerceError::new(value, "is no UUID", column_type)),
            _ => Err(CoerceError::wrong_kind(value, column_type)),
        },
        ColumnType::Jsonb => json(value, buffer),
    }
}

fn text(value: JsonValue<'_>) -> Result<Cell<'_>, CoerceError> {
    match value {
        JsonValue::Text(text) if text.contains('\0') => {
            Err(CoerceError::nul(value, ColumnType::Text))
        }
        JsonValue::Text(text) | JsonValue::Number(text) => Ok(Cell::Text(text)),
        JsonValue::Bool(true) => Ok(Cell::Text("true")),
        JsonValue::Bool(false) => Ok(Cell::Text("false")),
        JsonValue::Null | JsonValue::Json(_) => {
            Err(CoerceError::wrong_kind(value, ColumnType::Text))
        }
    }
}

fn integer(
    column_type: ColumnType,
    value: JsonValue<'_>,
    min: i64,
    max: i64,
) -> Result<Cell<'_>, CoerceError> {
    let JsonValue::Number(token) = value else {
        return Err(CoerceError::wrong_kind(value, column_type));
    };
    let out_of_range = || CoerceError::out_of_range(value, column_type, min, max);
    match decimal::integer(token) {
        Ok(number) if (min..=max).contains(&number) => Ok(Cell::Int(number)),
        Ok(_) | Err(IntegerFault::Range) => Err(out_of_range()),
        Err(IntegerFault::Fraction) => Err(CoerceError::new(value, "has a fraction", column_type)),
        Err(IntegerFault::NoNumber) => Err(CoerceError::new(value, "is no number", column_type)),
    }
}

fn double(value: JsonValue<'_>) -> Result<Cell<'_>, CoerceError> {
    let JsonValue::Number(token) = value else {
        return Err(CoerceError::wrong_kind(value, ColumnType::Double));
    };
    let number: f64 = token
        .parse()
        .map_err(|_| CoerceError::new(value, "is no number", ColumnType::Double))?;
    let vanished = number == 0.0 && Decimal::parse(token).is_some_and(|exact| !exact.is_zero());
    if !number.is_finite() || vanished {
        return Err(CoerceError::beyond_double(value));
    }
    // Negative zero and zero are one key to a store but two to whoever compares bits.
    Ok(Cell::Double(number + 0.0))
}

fn numeric<'a>(
    limits: Option<(u16, u16)>,
    value: JsonValue<'a>,
    buffer: &'a mut String,
) -> Result<Cell<'a>, CoerceError> {
    let column_type = ColumnType::Numeric { limits };
    let (JsonValue::Number(token) | JsonValue::Text(token)) = value else {
        return Err(CoerceError::wrong_kind(value, column_type));
    };
    let Some(number) = Decimal::parse(token) else {
        return Err(CoerceError::wrong_kind(value, column_type));
    };
    number
        .check(limits)
        .map_err(|fault| numeric_error(fault, value, column_type))?;
    if number.is_canonical(limits) {
        return Ok(Cell::Numeric(token));
    }
    buffer.clear();
    number.write_canonical(limits, buffer);
    Ok(Cell::Numeric(buffer))
}

fn numeric_error(
    fault: NumericFault,
    value: JsonValue<'_>,
    column_type: ColumnType,
) -> CoerceError {
    match fault {
        NumericFault::TooLong => CoerceError::too_long(value, decimal::MAX_DIGITS),
        NumericFault::Scale { digits, holds } => {
            CoerceError::too_many_digits(value, "after", digits, column_type, holds)
        }
        NumericFault::Precision { digits, holds } => {
            CoerceError::too_many_digits(value, "before", digits, column_type, holds)
        }
    }
}

fn moment(value: JsonValue<'_>) -> Result<Cell<'_>, CoerceError> {
    let column_type = ColumnType::TimestampTz;
    let millis = match value {
        JsonValue::Text(text) => timestamp::parse(text)
            .map_err(|fault| CoerceError::new(value, fault.description(), column_type))?,
        JsonValue::Number(token) => match decimal::integer(token) {
            Ok(millis) if timestamp::in_range(millis) => millis,
            Ok(_) | Err(IntegerFault::Range) => {
                let fault = timestamp::Fault::Range;
                return Err(CoerceError::new(value, fault.description(), column_type));
            }
            Err(IntegerFault::Fraction) => {
                let fault = timestamp::Fault::TooFine;
                return Err(CoerceError::new(value, fault.description(), column_type));
            }
            Err(IntegerFault::NoNumber) => {
                return Err(CoerceError::new(value, "is no number", column_type));
            }
        },
        _ => return Err(CoerceError::wrong_kind(value, column_type)),
    };
    Ok(Cell::Timestamp(Timestamp::from_unix_millis(millis)))
}

fn json<'a>(value: JsonValue<'a>, buffer: &'a mut String) -> Result<Cell<'a>, CoerceError> {
    let column_type = ColumnType::Jsonb;
    match value {
        JsonValue::Null => Ok(Cell::Null),
        JsonValue::Bool(true) => Ok(Cell::Json("true")),
        JsonValue::Bool(false) => Ok(Cell::Json("false")),
        JsonValue::Number(token) => Ok(Cell::Json(token)),
        JsonValue::Text(text) if text.contains('\0') => Err(CoerceError::nul(value, column_type)),
        JsonValue::Text(text) => {
            buffer.clear();
            json_text::quote(text, buffer);
            Ok(Cell::Json(buffer))
        }
        JsonValue::Json(raw) => match json_text::find_unstorable(raw) {
            None => Ok(Cell::Json(raw)),
            Some(json_text::Unstorable::Nul) => Err(CoerceError::nul(value, column_type)),
            Some(json_text::Unstorable::LoneSurrogate) => Err(CoerceError::new(
                value,
                "holds half a surrogate pair, which is no character",
                column_type,
            )),
        },
    }
}
