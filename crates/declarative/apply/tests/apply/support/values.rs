//! The oracle's values: how JSON fits a column, and how numbers add up.

use projectionist_core::Timestamp;
use projectionist_core::row::{Column, ColumnType, OwnedCell};
use serde_json::Value;

/// Decimals are held as whole millionths.
const MILLION: i128 = 1_000_000;

/// A value that fits its column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Val {
    Null,
    Text(String),
    Int(i128),
    Decimal(i128),
    Double(f64),
    Json(Value),
    Moment(i64),
}

/// An event that does not fit.
pub(crate) struct Misfit;

pub(crate) fn default_of(column: &Column) -> Val {
    column.default.as_ref().map_or(Val::Null, seen)
}

/// A stored cell as the oracle sees it.
pub(crate) fn seen(cell: &OwnedCell) -> Val {
    match cell {
        OwnedCell::Null => Val::Null,
        OwnedCell::Text(text) => Val::Text(text.to_string()),
        OwnedCell::Int(value) => Val::Int(i128::from(*value)),
        OwnedCell::Double(value) => Val::Double(*value),
        OwnedCell::Numeric(text) => Val::Decimal(decimal(text).unwrap()),
        OwnedCell::Json(text) => Val::Json(serde_json::from_str(text).unwrap()),
        OwnedCell::Timestamp(Timestamp { unix_millis }) => Val::Moment(*unix_millis),
        OwnedCell::Bool(_)
        | OwnedCell::Date(_)
        | OwnedCell::Uuid(_)
        | OwnedCell::Bytes(_)
        | OwnedCell::Array(_) => unreachable!("no such column"),
    }
}

fn decimal(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole: i128 = whole.parse().ok()?;
    let millionths: i128 = format!("{fraction:0<6}").parse().ok()?;
    let sum = whole * MILLION + millionths;
    Some(if negative { -sum } else { sum })
}

fn integer(value: &Value, min: i64, max: i64) -> Option<i128> {
    let whole = match value.as_i64() {
        Some(whole) => whole,
        // The only one that is spelt with a fraction and is whole.
        None if value.as_f64() == Some(1.0) => 1,
        None => return None,
    };
    (min..=max).contains(&whole).then_some(whole.into())
}

pub(crate) fn fit(column_type: ColumnType, value: Value) -> Result<Val, Misfit> {
    if value.is_null() {
        return Ok(Val::Null);
    }
    let fitted = match column_type {
        ColumnType::Text => match value {
            Value::String(text) => (!text.contains('\0')).then_some(Val::Text(text)),
            Value::Number(number) => Some(Val::Text(number.to_string())),
            Value::Bool(truth) => Some(Val::Text(truth.to_string())),
            _ => None,
        },
        ColumnType::Int => integer(&value, i32::MIN.into(), i32::MAX.into()).map(Val::Int),
        ColumnType::BigInt => integer(&value, i64::MIN, i64::MAX).map(Val::Int),
        ColumnType::Numeric { limits } => {
            let text = match &value {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            };
            let number = text.and_then(|text| decimal(&text));
            let number = number.filter(|n| limits.is_none() || n % (MILLION / 10) == 0);
            number
                .filter(|number| decimal_fits(limits, *number))
                .map(Val::Decimal)
        }
        ColumnType::Double => match value {
            Value::Number(number) => number.as_f64().map(|number| Val::Double(number + 0.0)),
            _ => None,
        },
        ColumnType::Jsonb => (!holds_nul(&value)).then_some(Val::Json(value)),
        ColumnType::TimestampTz => value.as_i64().map(Val::Moment),
        ColumnType::Boolean
        | ColumnType::Varchar { .. }
        | ColumnType::SmallInt
        | ColumnType::Real
        | ColumnType::Date
        | ColumnType::Uuid
        | ColumnType::Bytea
        | ColumnType::Array(_) => unreachable!("no such column"),
    };
    fitted.ok_or(Misfit)
}

/// The only limits here are (4, 1): three digits before the point.
fn decimal_fits(limits: Option<(u16, u16)>, number: i128) -> bool {
    limits.is_none() || number.abs() < 1_000 * MILLION
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(fields) => fields.values().any(holds_nul),
        _ => false,
    }
}

pub(crate) fn plus(column: &Column, current: &Val, amount: &Val) -> Result<Val, Misfit> {
    let current = match current {
        Val::Null => default_of(column),
        current => current.clone(),
    };
    let sum = match (column.column_type, amount) {
        (ColumnType::Double, Val::Double(amount)) => {
            let current = if let Val::Double(current) = current {
                current
            } else {
                0.0
            };
            Some(current + amount)
                .filter(|s| s.is_finite())
                .map(Val::Double)
        }
        (ColumnType::Numeric { limits }, Val::Decimal(amount)) => {
            let current = if let Val::Decimal(current) = current {
                current
            } else {
                0
            };
            let sum = current + amount;
            decimal_fits(limits, sum).then_some(Val::Decimal(sum))
        }
        (column_type, Val::Int(amount)) => {
            let current = if let Val::Int(current) = current {
                current
            } else {
                0
            };
            let sum = current + amount;
            let fits = match column_type {
                ColumnType::Int => i32::try_from(sum).is_ok(),
                _ => i64::try_from(sum).is_ok(),
            };
            fits.then_some(Val::Int(sum))
        }
        _ => None,
    };
    sum.ok_or(Misfit)
}
