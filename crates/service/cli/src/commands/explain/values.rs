//! Rows as a target keeps them, for people and for programs.

use projectionist_core::row::OwnedCell;
use projectionist_store_sqlite::rusqlite::types::Value;
use projectionist_store_sqlite::stored_value;
use serde_json::json;

/// The values of a row in the order of the declared columns.
pub(in crate::commands) type Row = Vec<Value>;

/// A row as the target would keep it.
pub(in crate::commands) fn stored_row(cells: &[OwnedCell]) -> Row {
    let cells = cells.iter();
    cells.map(|cell| stored_value(cell.as_cell())).collect()
}

/// A value as text, in full; bytes as a literal of SQL.
pub(in crate::commands) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => {
            let hex = bytes.iter().map(|byte| format!("{byte:02x}"));
            format!("x'{}'", hex.collect::<String>())
        }
    }
}

/// A value as a client of the target gets it; bytes as a literal of SQL.
pub(in crate::commands) fn json_of(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Integer(value) => json!(value),
        Value::Real(value) => json!(value),
        Value::Text(_) | Value::Blob(_) => json!(text_of(value)),
    }
}
