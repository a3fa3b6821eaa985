//! From an expression of the model back to a value of the file.

use std::fmt::Write as _;

use super::json::Json;
use crate::expression::metadata_name;
use crate::model::{Expression, Literal, Path, Step};

/// The expression as it stands in a file.
pub(crate) fn expression(expression: &Expression) -> Json {
    match expression {
        Expression::Literal(Literal::Null) => Json::Raw("null".to_owned()),
        Expression::Literal(Literal::Bool(truth)) => Json::number(truth),
        Expression::Literal(Literal::Number(number)) => Json::number(number),
        Expression::Literal(Literal::Text(text)) => Json::Text(quoted(text)),
        Expression::Path(found) => Json::Text(path(found)),
        Expression::Cel(cel) => Json::text(cel.text.trim()),
    }
}

/// The path as it stands in an expression.
pub(super) fn path(path: &Path) -> String {
    let (root, steps) = match path {
        Path::Metadata(metadata) => return format!("event.{}", metadata_name(*metadata)),
        Path::Payload(steps) if is_short(steps) => ("event", steps),
        Path::Payload(steps) => ("event.payload", steps),
        Path::Item(steps) => ("item", steps),
    };
    let mut text = root.to_owned();
    push_steps(&mut text, steps);
    text
}

/// Appends steps such as `.a['b c'][0]`.
pub(super) fn push_steps(text: &mut String, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Key(key) if is_name(key) => {
                text.push('.');
                text.push_str(key);
            }
            Step::Key(key) => {
                text.push('[');
                text.push_str(&quoted(key));
                text.push(']');
            }
            Step::Index(index) => {
                // Writing to a string cannot fail.
                let _ = write!(text, "[{index}]");
            }
        }
    }
}

/// Whether `event` alone leads into the payload: the first step is no name of the envelope.
fn is_short(steps: &[Step]) -> bool {
    let Some(Step::Key(first)) = steps.first() else {
        return false;
    };
    !matches!(&**first, "payload" | "meta") && !crate::expression::is_metadata(first)
}

/// Whether a key may follow a point.
fn is_name(key: &str) -> bool {
    let mut characters = key.chars();
    characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The text as a literal of an expression.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("'");
    for character in text.chars() {
        match character {
            '\'' => quoted.push_str("\\'"),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\0' => quoted.push_str("\\u0000"),
            other => quoted.push(other),
        }
    }
    quoted.push('\'');
    quoted
}
