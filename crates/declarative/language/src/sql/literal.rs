//! The default of a column as a literal.

use projectionist_core::row::{OwnedCell, write_date, write_timestamp, write_uuid};
use serde_json::Value;

/// The cell as a literal, of SQLite or else of PostgreSQL. `None` for one that has none.
pub(super) fn literal(cell: &OwnedCell, is_sqlite: bool) -> Option<String> {
    Some(match cell {
        OwnedCell::Null => "NULL".to_owned(),
        OwnedCell::Text(text) | OwnedCell::Json(text) | OwnedCell::Numeric(text) => quoted(text),
        OwnedCell::Int(value) => value.to_string(),
        OwnedCell::Bool(value) if is_sqlite => u8::from(*value).to_string(),
        OwnedCell::Bool(value) => value.to_string(),
        OwnedCell::Double(value) => format!("{value:e}"),
        OwnedCell::Timestamp(moment) => {
            let mut text = String::new();
            write_timestamp(&mut text, *moment)?;
            quoted(&text)
        }
        OwnedCell::Date(days) => {
            let mut text = String::new();
            write_date(&mut text, *days)?;
            quoted(&text)
        }
        OwnedCell::Bytes(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            if is_sqlite {
                format!("x'{hex}'")
            } else {
                format!("'\\x{hex}'")
            }
        }
        OwnedCell::Array(text) if is_sqlite => quoted(text),
        OwnedCell::Array(text) => quoted(&array_text(text)?),
        OwnedCell::Uuid(bytes) => {
            let mut text = String::new();
            write_uuid(&mut text, bytes);
            quoted(&text)
        }
    })
}

/// An array of scalars, which stands as JSON, as PostgreSQL spells it.
fn array_text(json: &str) -> Option<String> {
    let elements: Vec<Value> = serde_json::from_str(json).ok()?;
    let texts = elements.iter().map(|element| match element {
        Value::Null => "NULL".to_owned(),
        Value::String(text) => {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{escaped}\"")
        }
        other => other.to_string(),
    });
    Some(format!("{{{}}}", texts.collect::<Vec<_>>().join(",")))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
