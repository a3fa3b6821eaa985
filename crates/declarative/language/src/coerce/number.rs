//! Values into cells of the types of numbers.

use projectionist_core::row::{Cell, ColumnType};

use super::decimal::{self, Decimal, IntegerFault, NumericFault};
use super::{CoerceError, JsonValue};
use crate::model::ColumnRules;

/// The number that `value` is, or in a lenient column spells.
fn token(
    column_type: ColumnType,
    rules: ColumnRules,
    value: JsonValue<'_>,
) -> Result<&str, CoerceError> {
    match value {
        JsonValue::Number(token) => Ok(token),
        JsonValue::Text(text) if rules.lenient && Decimal::parse(text).is_some() => Ok(text),
        _ => Err(CoerceError::wrong_kind(value, column_type)),
    }
}

pub(super) fn integer(
    column_type: ColumnType,
    rules: ColumnRules,
    value: JsonValue<'_>,
    min: i64,
    max: i64,
) -> Result<Cell<'_>, CoerceError> {
    let token = token(column_type, rules, value)?;
    let out_of_range = || CoerceError::out_of_range(value, column_type, min, max);
    match decimal::integer(token) {
        Ok(number) if (min..=max).contains(&number) => Ok(Cell::Int(number)),
        Ok(_) | Err(IntegerFault::Range) => Err(out_of_range()),
        Err(IntegerFault::Fraction) => Err(CoerceError::new(value, "has a fraction", column_type)),
        Err(IntegerFault::NoNumber) => Err(CoerceError::new(value, "is no number", column_type)),
    }
}

pub(super) fn double(rules: ColumnRules, value: JsonValue<'_>) -> Result<Cell<'_>, CoerceError> {
    let column_type = ColumnType::Double;
    let token = token(column_type, rules, value)?;
    let number: f64 = token
        .parse()
        .map_err(|_| CoerceError::new(value, "is no number", column_type))?;
    float(number, token)
        .ok_or_else(|| CoerceError::beyond_float(value, column_type, "5e-324 to 1.8e308"))
}

/// Rounded once, from the digits: by way of a double it could be rounded twice.
pub(super) fn real(rules: ColumnRules, value: JsonValue<'_>) -> Result<Cell<'_>, CoerceError> {
    let column_type = ColumnType::Real;
    let token = token(column_type, rules, value)?;
    let number: f32 = token
        .parse()
        .map_err(|_| CoerceError::new(value, "is no number", column_type))?;
    float(number.into(), token)
        .ok_or_else(|| CoerceError::beyond_float(value, column_type, "1.4e-45 to 3.4e38"))
}

/// The cell of a float that `token` was rounded to; `None` when it was beyond the type.
fn float(number: f64, token: &str) -> Option<Cell<'static>> {
    let vanished = number == 0.0 && Decimal::parse(token).is_some_and(|exact| !exact.is_zero());
    // Negative zero and zero are one key to a store but two to whoever compares bits.
    (number.is_finite() && !vanished).then_some(Cell::Double(number + 0.0))
}

pub(super) fn numeric<'a>(
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
