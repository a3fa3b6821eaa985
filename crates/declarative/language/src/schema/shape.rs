//! What may stand under one key, as a schema.

use serde_json::{Value, json};

use crate::vocabulary::limits::{MAX_COLUMNS, MAX_INDEX_COLUMNS, MAX_INDEXES, MAX_NAME_BYTES};
use crate::vocabulary::{COLUMN, Key, Shape, Word};

/// The schema of a key, with what it does and what holds without it.
pub(super) fn of_key(key: &Key) -> Value {
    let mut schema = of(&key.shape);
    if let Value::Object(parts) = &mut schema {
        parts.insert("description".to_owned(), json!(key.doc));
        if let Some(default) = key.default {
            let value = serde_json::from_str(default).unwrap_or_else(|_| json!(default));
            parts.insert("default".to_owned(), value);
        }
    }
    schema
}

fn of(shape: &Shape) -> Value {
    match shape {
        Shape::Words { words: choices, .. } => words(choices),
        Shape::Truth => json!({ "type": "boolean" }),
        Shape::Count(most) => json!({ "type": "integer", "minimum": 0, "maximum": most }),
        // A name is counted in bytes, of which it has no fewer than characters.
        Shape::Name => json!({ "type": "string", "minLength": 1, "maxLength": MAX_NAME_BYTES }),
        Shape::Names { most } => names(*most),
        Shape::Indexes => json!({
            "type": "array",
            "items": names(MAX_INDEX_COLUMNS),
            "maxItems": MAX_INDEXES,
            "uniqueItems": true,
        }),
        Shape::ColumnType => json!({
            "type": "string",
            "minLength": 1,
            "examples": ["TEXT", "BIGINT", "BOOLEAN", "NUMERIC(12,2)", "TIMESTAMPTZ"],
        }),
        Shape::Value => json!({}),
        Shape::Condition | Shape::Path => json!({ "type": "string", "minLength": 1 }),
        Shape::Place => json!({ "type": "string", "pattern": "^\\$" }),
        Shape::Expressions { may_be_empty } => json!({
            "type": "object",
            "minProperties": i32::from(!may_be_empty),
            "additionalProperties": reference("expression"),
        }),
        Shape::Mapping(level) => reference(level.name),
        Shape::Named { level, most } => json!({
            "type": "object",
            "minProperties": 1,
            "maxProperties": most,
            "additionalProperties": reference(level.name),
        }),
        Shape::Columns => json!({
            "type": "object",
            "minProperties": 1,
            "maxProperties": MAX_COLUMNS,
            "additionalProperties": reference(COLUMN.name),
        }),
        Shape::Envelope => reference("envelope"),
    }
}

/// One of the words that are taken, each with what it does.
pub(super) fn words(words: &[Word]) -> Value {
    let taken: Vec<Value> = words
        .iter()
        .filter(|word| !word.refused)
        .map(|word| json!({ "const": word.text, "description": word.doc }))
        .collect();
    json!({ "oneOf": taken })
}

fn names(most: usize) -> Value {
    json!({
        "type": "array",
        "items": { "type": "string", "minLength": 1 },
        "minItems": 1,
        "maxItems": most,
        "uniqueItems": true,
    })
}

fn reference(definition: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{definition}") })
}
