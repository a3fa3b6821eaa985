//! Evaluates an expression over an event that is a JSON value.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

use projectionist_language::cel::{CelError, Found, Lookup, Outcome, Program};
use projectionist_language::{JsonValue, Path, Step};
use serde_json::Value;

/// The places of a program in one event, each as JSON text.
struct Places(Vec<Option<String>>);

impl Lookup for Places {
    fn find(&self, place: usize) -> Found<'_> {
        match &self.0[place] {
            Some(json) => Found::Json(json),
            None => Found::Missing,
        }
    }
}

/// What stands at a path of the payload or the item, found without any code of the project.
fn at(path: &Path, payload: &Value) -> Option<Value> {
    let (mut value, steps) = match path {
        Path::Payload(steps) => (payload, steps),
        Path::Item(steps) => (&payload["item"], steps),
        Path::Metadata(_) => return Some(Value::from(1_719_331_200_000_i64)),
    };
    for step in steps {
        value = match step {
            Step::Key(key) => value.get(&**key)?,
            Step::Index(index) => value.get(*index)?,
        };
    }
    Some(value.clone())
}

/// Evaluates over the payload; names of the envelope are the milliseconds of 2024-06-25T16:00:00Z.
pub(crate) fn evaluate(expression: &str, payload: &str) -> Result<String, CelError> {
    let payload: Value = serde_json::from_str(payload).unwrap();
    let program = Program::compile(expression)?;
    let found = program.places().iter().map(|path| at(path, &payload));
    let places = Places(
        found
            .map(|value| value.map(|value| value.to_string()))
            .collect(),
    );
    let mut buffer = String::new();
    Ok(match program.evaluate(&places, &mut buffer)? {
        Outcome::Place(place) => format!("as it stands: {}", places.0[place].clone().unwrap()),
        Outcome::Value(value) => shown(value),
    })
}

/// A value as JSON.
fn shown(value: JsonValue<'_>) -> String {
    match value {
        JsonValue::Null => "null".to_owned(),
        JsonValue::Bool(truth) => truth.to_string(),
        JsonValue::Number(text) | JsonValue::Json(text) => text.to_owned(),
        JsonValue::Text(text) => Value::from(text).to_string(),
    }
}

/// The value over an event without anything.
pub(crate) fn value(expression: &str) -> String {
    evaluate(expression, "{}").unwrap_or_else(|error| format!("error: {error}"))
}

/// The error over the payload.
pub(crate) fn error(expression: &str, payload: &str) -> String {
    evaluate(expression, payload).unwrap_err().to_string()
}
