//! The schema as a whole.

use serde_json::{Map, Value, json};

use super::shape;
use crate::vocabulary::{
    COLUMN, DEBEZIUM, ENVELOPE, FILE, Level, MUTATION, OPERATIONS, PRESETS, PROJECTION, TARGET,
};

/// The JSON Schema (draft 2020-12) of a file of declared projections, as indented JSON.
///
/// A file that [`crate::parse()`] accepts is valid by it. A valid file may still have faults that
/// only `parse` can see, such as a column that is not declared.
#[must_use]
pub fn json_schema() -> String {
    let mut schema = level(&FILE);
    schema.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    schema.insert(
        "title".to_owned(),
        json!("projectionist: declared projections"),
    );
    schema.insert("type".to_owned(), json!("object"));
    schema.insert(
        "$defs".to_owned(),
        json!({
            (PROJECTION.name): object(&PROJECTION),
            (TARGET.name): object(&TARGET),
            (COLUMN.name): column(),
            (MUTATION.name): mutation(),
            "envelope": envelope(),
            "expression": {
                "description": "A literal, or a text with an expression: a path such as `event.user_id`, a text \
                                in quotes of its own such as \"'open'\", or CEL.",
                "type": ["string", "number", "boolean", "null"],
            },
        }),
    );
    let mut text = format!("{:#}", Value::Object(schema));
    text.push('\n');
    text
}

/// What holds for a mapping of that kind.
fn level(level: &Level) -> Map<String, Value> {
    let properties: Map<String, Value> = level
        .keys
        .iter()
        .map(|key| (key.name.to_owned(), shape::of_key(key)))
        .collect();
    let required: Vec<&str> = level
        .keys
        .iter()
        .filter(|key| key.required)
        .map(|key| key.name)
        .collect();
    let Value::Object(schema) = json!({
        "description": level.doc,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }) else {
        return Map::new();
    };
    schema
}

fn object(kind: &Level) -> Value {
    typed(kind, json!("object"))
}

fn typed(kind: &Level, types: Value) -> Value {
    let mut schema = level(kind);
    schema.insert("type".to_owned(), types);
    Value::Object(schema)
}

/// The short form is the name of the type; what is said of keys holds for mappings only.
fn column() -> Value {
    typed(&COLUMN, json!(["string", "object"]))
}

/// Each operation takes keys of its own.
fn mutation() -> Value {
    let rules: Vec<Value> = OPERATIONS
        .iter()
        .map(|operation| {
            let keys: Vec<&str> = MUTATION.names().filter(|key| operation.has(key)).collect();
            json!({
                "if": { "properties": { "op": { "const": operation.name } }, "required": ["op"] },
                "then": { "propertyNames": { "enum": keys }, "required": operation.needs },
            })
        })
        .collect();
    let mut schema = level(&MUTATION);
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("allOf".to_owned(), Value::Array(rules));
    Value::Object(schema)
}

/// A word, a mapping of places, or a mapping under the name of a preset that needs one.
fn envelope() -> Value {
    json!({
        "anyOf": [
            shape::words(&PRESETS),
            object(&ENVELOPE),
            {
                "description": DEBEZIUM.doc,
                "type": "object",
                "properties": { "debezium": object(&DEBEZIUM) },
                "required": ["debezium"],
                "additionalProperties": false,
            },
        ],
    })
}
