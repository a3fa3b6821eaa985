//! The columns as they stand in a file: `fields`, every one in its long form.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use projectionist_core::row::{Column, OwnedCell, write_date, write_uuid};

use super::json::Json;
use crate::model::{ColumnRules, NulRule, Projection, Zone};

/// The value of `fields`.
pub(super) fn fields(projection: &Projection) -> Json {
    let columns = projection.columns.iter().zip(projection.rules.iter());
    let fields = columns.enumerate().map(|(index, (column, rules))| {
        let is_key = projection.key.contains(&index);
        (column.name.to_string(), field(column, rules, is_key))
    });
    Json::Object(fields.collect())
}

fn field(column: &Column, rules: &ColumnRules, is_key: bool) -> Json {
    let mut field = vec![(
        "type".to_owned(),
        Json::Text(column.column_type.to_string()),
    )];
    // A column of the key is never null; the file does not repeat that.
    if !is_key {
        field.push(("nullable".to_owned(), Json::number(column.nullable)));
    }
    if let Some(default) = &column.default {
        field.push(("default".to_owned(), default_value(default)));
    }
    if rules.lenient {
        field.push(("coerce".to_owned(), Json::text("lenient")));
    }
    if let Some(zone) = rules.zone {
        field.push(("tz".to_owned(), Json::Text(zone_text(zone))));
    }
    match rules.nul {
        NulRule::Error => {}
        NulRule::Strip => field.push(("nul".to_owned(), Json::text("strip"))),
        NulRule::Replace => field.push(("nul".to_owned(), Json::text("replace"))),
    }
    Json::Object(field)
}

/// A default is a value of the file and no expression.
fn default_value(default: &OwnedCell) -> Json {
    match default {
        OwnedCell::Null => Json::Raw("null".to_owned()),
        OwnedCell::Text(text) => Json::text(&**text),
        OwnedCell::Int(value) => Json::number(value),
        OwnedCell::Bool(value) => Json::number(value),
        // The shortest text that is read as the same float.
        OwnedCell::Double(value) => Json::Raw(format!("{value:?}")),
        OwnedCell::Numeric(text) => Json::number(text),
        OwnedCell::Timestamp(moment) => Json::number(moment.unix_millis),
        OwnedCell::Uuid(bytes) => {
            let mut text = String::new();
            write_uuid(&mut text, bytes);
            Json::Text(text)
        }
        OwnedCell::Date(days) => {
            let mut text = String::new();
            // A day that has no text is no default: it was read from one.
            let _ = write_date(&mut text, *days);
            Json::Text(text)
        }
        OwnedCell::Bytes(bytes) => Json::Text(STANDARD.encode(bytes)),
        OwnedCell::Json(text) | OwnedCell::Array(text) => Json::number(text),
    }
}

fn zone_text(zone: Zone) -> String {
    match zone {
        Zone::Named(zone) => zone.name().to_owned(),
        Zone::Offset(minutes) => {
            let sign = if minutes < 0 { '-' } else { '+' };
            let minutes = minutes.unsigned_abs();
            format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
    }
}
