//! The statement that makes a table.

use std::fmt::Write as _;

use projectionist_core::row::{
    Column, ColumnType, OwnedCell, Table, write_date, write_timestamp, write_uuid,
};
use projectionist_core::{Error, Result};

use super::names::{column_fault, push_literal, push_quoted};

/// The type of a column in a STRICT table.
pub(super) fn stored_type(column_type: ColumnType) -> &'static str {
    match column_type {
        ColumnType::BigInt | ColumnType::Int | ColumnType::SmallInt | ColumnType::Boolean => {
            "INTEGER"
        }
        ColumnType::Double | ColumnType::Real => "REAL",
        ColumnType::Bytea => "BLOB",
        ColumnType::Text
        | ColumnType::Varchar { .. }
        | ColumnType::Numeric { .. }
        | ColumnType::TimestampTz
        | ColumnType::Date
        | ColumnType::Uuid
        | ColumnType::Jsonb
        | ColumnType::Array(_) => "TEXT",
    }
}

/// Whether a column refuses null: those of the key always do.
pub(super) fn is_required(table: &Table, index: usize, column: &Column) -> bool {
    !column.nullable || table.is_key(index)
}

/// The statement that makes `table` under `name`.
pub(super) fn create_table(table: &Table, name: &str) -> Result<String> {
    let mut text = String::from("CREATE TABLE ");
    push_quoted(&mut text, name);
    text.push_str(" (");
    for index in 0..table.columns.len() {
        push_column(&mut text, table, index)?;
        text.push_str(", ");
    }
    text.push_str("PRIMARY KEY (");
    push_key(&mut text, table);
    text.push_str(")) STRICT, WITHOUT ROWID");
    Ok(text)
}

/// Appends a column as a statement defines it.
pub(super) fn push_column(text: &mut String, table: &Table, index: usize) -> Result<()> {
    let Some(column) = table.columns.get(index) else {
        return Ok(());
    };
    if let Some(reason) = column_fault(&column.name) {
        return Err(Error::Configuration {
            subject: format!("table {}", table.name),
            reason: reason.to_owned(),
        });
    }
    push_quoted(text, &column.name);
    text.push(' ');
    text.push_str(stored_type(column.column_type));
    if is_required(table, index, column) {
        text.push_str(" NOT NULL");
    }
    if let Some(default) = &column.default {
        text.push_str(" DEFAULT ");
        push_value(text, default).ok_or_else(|| Error::Configuration {
            subject: format!("table {}", table.name),
            reason: format!("the default of column {} cannot be stored", column.name),
        })?;
    }
    Ok(())
}

/// Appends the columns of the key, separated by commas.
pub(super) fn push_key(text: &mut String, table: &Table) {
    for (place, column) in table.key.iter().enumerate() {
        if place > 0 {
            text.push_str(", ");
        }
        let name = table.columns.get(*column).map_or("", |column| &column.name);
        push_quoted(text, name);
    }
}

/// Appends a value as a literal. `None` for one that no column can hold.
pub(super) fn push_value(text: &mut String, value: &OwnedCell) -> Option<()> {
    match value {
        OwnedCell::Null => text.push_str("NULL"),
        // SQLite's texts end at U+0000 in a statement.
        OwnedCell::Text(value) | OwnedCell::Json(value) | OwnedCell::Array(value)
            if value.contains('\0') =>
        {
            return None;
        }
        OwnedCell::Text(value)
        | OwnedCell::Json(value)
        | OwnedCell::Array(value)
        | OwnedCell::Numeric(value) => push_literal(text, value),
        OwnedCell::Int(value) => write!(text, "{value}").ok()?,
        OwnedCell::Bool(value) => write!(text, "{}", u8::from(*value)).ok()?,
        // With an exponent it is a float also when it is whole.
        OwnedCell::Double(value) if value.is_finite() => write!(text, "{value:e}").ok()?,
        OwnedCell::Double(_) => return None,
        OwnedCell::Timestamp(moment) => {
            text.push('\'');
            write_timestamp(text, *moment)?;
            text.push('\'');
        }
        OwnedCell::Date(days) => {
            text.push('\'');
            write_date(text, *days)?;
            text.push('\'');
        }
        OwnedCell::Bytes(bytes) => {
            text.push_str("x'");
            for byte in bytes {
                write!(text, "{byte:02x}").ok()?;
            }
            text.push('\'');
        }
        OwnedCell::Uuid(bytes) => {
            text.push('\'');
            write_uuid(text, bytes);
            text.push('\'');
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use projectionist_core::Timestamp;
    use rusqlite::Connection;
    use rusqlite::types::Value;

    use super::*;

    #[test]
    fn literals_are_the_values_that_they_spell() {
        let connection = Connection::open_in_memory().unwrap();
        let text = |text: &str| Value::Text(text.to_owned());
        let moment = Timestamp::from_unix_millis(0);
        for (value, expected) in [
            (OwnedCell::Null, Value::Null),
            (OwnedCell::Text("it's".into()), text("it's")),
            (OwnedCell::Int(i64::MIN), Value::Integer(i64::MIN)),
            (OwnedCell::Int(i64::MAX), Value::Integer(i64::MAX)),
            (OwnedCell::Bool(true), Value::Integer(1)),
            (OwnedCell::Double(-1e300), Value::Real(-1e300)),
            (OwnedCell::Double(0.1), Value::Real(0.1)),
            (OwnedCell::Double(3.0), Value::Real(3.0)),
            (OwnedCell::Numeric("12.50".into()), text("12.50")),
            (
                OwnedCell::Timestamp(moment),
                text("1970-01-01T00:00:00.000Z"),
            ),
            (
                OwnedCell::Uuid([0; 16]),
                text("00000000-0000-0000-0000-000000000000"),
            ),
            (OwnedCell::Json(r#"{"a":"'"}"#.into()), text(r#"{"a":"'"}"#)),
            (OwnedCell::Array(r#"["'"]"#.into()), text(r#"["'"]"#)),
            (OwnedCell::Date(-1), text("1969-12-31")),
            (
                OwnedCell::Bytes([0, 39, 255].into()),
                Value::Blob(vec![0, 39, 255]),
            ),
        ] {
            let mut sql = String::from("SELECT ");
            push_value(&mut sql, &value).unwrap();
            let found: Value = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
            assert_eq!(found, expected, "{sql}");
        }
    }

    #[test]
    fn what_no_column_holds_has_no_literal() {
        for value in [
            OwnedCell::Text("a\0b".into()),
            OwnedCell::Double(f64::NAN),
            OwnedCell::Timestamp(Timestamp::from_unix_millis(i64::MAX)),
            OwnedCell::Date(i32::MIN),
        ] {
            assert_eq!(push_value(&mut String::new(), &value), None, "{value:?}");
        }
    }
}
