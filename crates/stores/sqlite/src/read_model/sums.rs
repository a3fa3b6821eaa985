//! SQL functions that add, and refuse a sum that its column cannot hold.
//!
//! SQLite's own `+` turns an integer that overflows into a float, which loses digits without a
//! word, and it has no exact decimals.

use projectionist_core::row::{ColumnType, add_decimal, add_real};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

use super::names::push_literal;

/// How the message of a refused sum begins. SQLite hands on nothing of an error but its text.
pub(super) const REFUSED: &str = "cannot add to column ";

const INTEGER: &str = "projectionist_add_int";
const DOUBLE: &str = "projectionist_add_double";
const REAL: &str = "projectionist_add_real";
const NUMERIC: &str = "projectionist_add_numeric";

/// Makes the functions known to a connection.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    // Views and triggers of the file have no use for them.
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function(INTEGER, 5, flags, add_integer)?;
    connection.create_scalar_function(DOUBLE, 3, flags, |context| {
        add_float(context, |old, by| {
            Some(old + by).filter(|sum| sum.is_finite())
        })
    })?;
    connection.create_scalar_function(REAL, 3, flags, |context| add_float(context, add_real))?;
    connection.create_scalar_function(NUMERIC, 5, flags, add_numeric)
}

/// Appends the sum of two expressions, as a column of this type holds it. The column is named for
/// the message of a refused sum.
///
/// `None` for a type that has no sums.
pub(super) fn push_sum(
    text: &mut String,
    column_type: ColumnType,
    column: &str,
    old: &str,
    by: &str,
) -> Option<()> {
    let (function, limits) = match column_type {
        ColumnType::BigInt | ColumnType::Int | ColumnType::SmallInt => {
            let integers = column_type.integers()?;
            let limits = format!(", {}, {}", integers.start(), integers.end());
            (INTEGER, limits)
        }
        ColumnType::Double => (DOUBLE, String::new()),
        ColumnType::Real => (REAL, String::new()),
        ColumnType::Numeric { limits: None } => (NUMERIC, ", NULL, NULL".to_owned()),
        ColumnType::Numeric {
            limits: Some((precision, scale)),
        } => (NUMERIC, format!(", {precision}, {scale}")),
        ColumnType::Text
        | ColumnType::Varchar { .. }
        | ColumnType::Boolean
        | ColumnType::TimestampTz
        | ColumnType::Date
        | ColumnType::Uuid
        | ColumnType::Bytea
        | ColumnType::Jsonb
        | ColumnType::Array(_) => return None,
    };
    text.push_str(function);
    text.push('(');
    text.push_str(old);
    text.push_str(", ");
    text.push_str(by);
    text.push_str(&limits);
    text.push_str(", ");
    push_literal(text, column);
    text.push(')');
    Some(())
}

fn add_integer(context: &Context<'_>) -> rusqlite::Result<i64> {
    let (old, by) = (integer(context, 0)?, integer(context, 1)?);
    let limits = context.get(2)?..=context.get(3)?;
    let sum = old.checked_add(by).filter(|sum| limits.contains(sum));
    sum.ok_or_else(|| {
        let limits = format!("is not between {} and {}", limits.start(), limits.end());
        refused(context, &format!("{old} + {by} {limits}"))
    })
}

fn integer(context: &Context<'_>, index: usize) -> rusqlite::Result<i64> {
    match context.get_raw(index) {
        ValueRef::Null => Ok(0),
        _ => context.get(index),
    }
}

fn add_float(
    context: &Context<'_>,
    add: impl Fn(f64, f64) -> Option<f64>,
) -> rusqlite::Result<f64> {
    let term = |index| match context.get_raw(index) {
        ValueRef::Null => Ok(0.0),
        _ => context.get::<f64>(index),
    };
    let (old, by) = (term(0)?, term(1)?);
    add(old, by).ok_or_else(|| refused(context, &format!("{old:e} + {by:e} is not finite")))
}

fn add_numeric(context: &Context<'_>) -> rusqlite::Result<String> {
    let term = |index| match context.get_raw(index) {
        ValueRef::Null => Ok("0"),
        value => value.as_str(),
    };
    let (old, by) = (term(0)?, term(1)?);
    let limits = context.get::<Option<u16>>(2)?.zip(context.get(3)?);
    add_decimal(old, by, limits).ok_or_else(|| {
        let column_type = ColumnType::Numeric { limits };
        refused(context, &format!("{old} + {by} is no {column_type}"))
    })
}

fn refused(context: &Context<'_>, reason: &str) -> rusqlite::Error {
    let column = match context.get_raw(context.len() - 1) {
        ValueRef::Text(name) => String::from_utf8_lossy(name),
        _ => "?".into(),
    };
    rusqlite::Error::UserFunctionError(format!("{REFUSED}`{column}`: {reason}").into())
}

#[cfg(test)]
mod tests {
    use rusqlite::types::Value;

    use super::*;

    fn add(column_type: ColumnType, old: Value, by: Value) -> rusqlite::Result<Value> {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        let mut text = String::from("SELECT ");
        push_sum(&mut text, column_type, "it's", "?1", "?2").unwrap();
        connection.query_row(&text, [old, by], |row| row.get(0))
    }

    #[test]
    fn integers_stay_integers_up_to_their_limits() {
        let int = Value::Integer;
        for (column_type, most) in [
            (ColumnType::BigInt, i64::MAX),
            (ColumnType::Int, i64::from(i32::MAX)),
            (ColumnType::SmallInt, i64::from(i16::MAX)),
        ] {
            let last = add(column_type, int(most - 1), int(1)).unwrap();
            assert_eq!(last, int(most));
            let error = add(column_type, int(most), int(1)).unwrap_err().to_string();
            assert!(
                error.starts_with("cannot add to column `it's`: "),
                "{error}"
            );
            let least = add(column_type, int(-most), int(-1)).unwrap();
            assert_eq!(least, int(-most - 1));
            assert!(add(column_type, least, int(-1)).is_err());
        }
    }

    #[test]
    fn decimals_are_exact() {
        let text = |text: &str| Value::Text(text.to_owned());
        let limits = Some((4, 2));
        let sum = add(ColumnType::Numeric { limits }, text("0.10"), text("0.20"));
        assert_eq!(sum.unwrap(), text("0.30"));
        let column_type = ColumnType::Numeric { limits };
        let error = add(column_type, text("99.99"), text("0.01")).unwrap_err();
        assert!(error.to_string().contains("no NUMERIC(4,2)"), "{error}");
        let free = ColumnType::Numeric { limits: None };
        assert_eq!(add(free, Value::Null, text("7.5")).unwrap(), text("7.5"));
    }

    #[test]
    fn doubles_stay_finite() {
        let real = Value::Real;
        assert_eq!(
            add(ColumnType::Double, real(0.5), real(0.25)).unwrap(),
            real(0.75)
        );
        assert_eq!(
            add(ColumnType::Double, Value::Null, real(2.0)).unwrap(),
            real(2.0)
        );
        assert!(add(ColumnType::Double, real(f64::MAX), real(f64::MAX)).is_err());
        let most = f64::from(f32::MAX);
        assert!(add(ColumnType::Real, real(most), real(most)).is_err());
        // A 32-bit float has no room for the last bit.
        let sum = add(ColumnType::Real, real(16_777_216.0), real(1.0)).unwrap();
        assert_eq!(sum, real(16_777_216.0));
    }

    #[test]
    fn a_text_has_no_sum() {
        assert_eq!(
            push_sum(&mut String::new(), ColumnType::Text, "a", "?1", "?2"),
            None
        );
    }
}
