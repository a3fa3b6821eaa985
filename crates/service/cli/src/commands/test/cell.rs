//! A cell as SQLite shows it, and whether two cells are equal.

use projectionist_core::row::{OwnedCell, write_date, write_timestamp, write_uuid};
use serde_json::{Value, json};

/// The cell as text.
pub(super) fn as_text(cell: &OwnedCell) -> String {
    match as_json(cell) {
        Value::Null => "null".to_owned(),
        Value::String(text) => text,
        value => value.to_string(),
    }
}

/// The cell as a client of SQLite gets it: a truth value is 1 or 0, everything that is no number is
/// a text.
pub(super) fn as_json(cell: &OwnedCell) -> Value {
    let mut text = String::new();
    match cell {
        OwnedCell::Null => return Value::Null,
        OwnedCell::Int(value) => return json!(value),
        OwnedCell::Bool(value) => return json!(u8::from(*value)),
        OwnedCell::Double(value) => return json!(value),
        OwnedCell::Text(value)
        | OwnedCell::Numeric(value)
        | OwnedCell::Json(value)
        | OwnedCell::Array(value) => text.push_str(value),
        OwnedCell::Uuid(bytes) => write_uuid(&mut text, bytes),
        OwnedCell::Bytes(bytes) => {
            text = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        }
        // Both stay empty outside the years that a table holds.
        OwnedCell::Timestamp(moment) => drop(write_timestamp(&mut text, *moment)),
        OwnedCell::Date(days) => drop(write_date(&mut text, *days)),
    }
    Value::String(text)
}

/// Whether two cells of one column are equal. JSON is compared by what it means.
pub(super) fn is_equal(expected: &OwnedCell, actual: &OwnedCell) -> bool {
    match (expected, actual) {
        (OwnedCell::Json(expected), OwnedCell::Json(actual)) if expected != actual => {
            let value = |text: &str| serde_json::from_str::<Value>(text).ok();
            value(expected).is_some() && value(expected) == value(actual)
        }
        _ => expected == actual,
    }
}
