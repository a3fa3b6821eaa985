//! Why a value does not fit a column's type, said to whoever wrote the value.

use std::fmt;

use projectionist_core::row::ColumnType;

use super::JsonValue;

/// How much of a value an error shows, in characters.
const HEAD: usize = 40;

/// A value does not fit a column's type: what was met, and what the type wants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CoerceError {
    message: Box<str>,
}

impl CoerceError {
    /// The sentence, such as `"abc" is text; BIGINT wants a whole number`. It shows at most the
    /// first 40 characters of the value.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// `met` says what is wrong with the value; what the type wants is added.
    pub(super) fn new(value: JsonValue<'_>, met: &str, column_type: ColumnType) -> Self {
        let wanted = wanted(column_type);
        Self::build(format_args!(
            "{} {met}; {column_type} wants {wanted}",
            head(value)
        ))
    }

    pub(super) fn wrong_kind(value: JsonValue<'_>, column_type: ColumnType) -> Self {
        Self::new(value, kind(value), column_type)
    }

    pub(super) fn out_of_range(
        value: JsonValue<'_>,
        column_type: ColumnType,
        min: i64,
        max: i64,
    ) -> Self {
        Self::build(format_args!(
            "{} is out of range; {column_type} holds {min} to {max}",
            head(value)
        ))
    }

    /// `holds` are the magnitudes of the type beside zero.
    pub(super) fn beyond_float(value: JsonValue<'_>, column_type: ColumnType, holds: &str) -> Self {
        Self::build(format_args!(
            "{} is out of range; {column_type} holds zero and about {holds}, with either sign",
            head(value)
        ))
    }

    pub(super) fn too_many_characters(
        value: JsonValue<'_>,
        length: usize,
        column_type: ColumnType,
    ) -> Self {
        Self::build(format_args!(
            "{} has {length} characters, too many for {column_type}",
            head(value)
        ))
    }

    /// The same, of an element of an array; the first is 0, as in paths.
    pub(super) fn in_element(self, index: usize) -> Self {
        Self::build(format_args!("element [{index}]: {}", self.message))
    }

    pub(super) fn too_long(value: JsonValue<'_>, limit: u64) -> Self {
        Self::build(format_args!(
            "{} has more than {limit} digits when written out; NUMERIC holds at most {limit}",
            head(value)
        ))
    }

    pub(super) fn too_many_digits(
        value: JsonValue<'_>,
        side: &str,
        digits: u64,
        column_type: ColumnType,
        holds: u16,
    ) -> Self {
        let plural = if digits == 1 { "" } else { "s" };
        Self::build(format_args!(
            "{} has {digits} digit{plural} {side} the point; {column_type} holds {holds}",
            head(value)
        ))
    }

    pub(super) fn nul(value: JsonValue<'_>, column_type: ColumnType) -> Self {
        Self::build(format_args!(
            "{} holds the character U+0000, which {column_type} cannot",
            head(value)
        ))
    }

    fn build(message: fmt::Arguments<'_>) -> Self {
        Self {
            message: message.to_string().into(),
        }
    }
}

fn wanted(column_type: ColumnType) -> &'static str {
    match column_type {
        ColumnType::Text | ColumnType::Varchar { .. } => "a text, a number, true or false",
        ColumnType::BigInt | ColumnType::Int | ColumnType::SmallInt => "a whole number",
        ColumnType::Boolean => "true or false",
        ColumnType::Double | ColumnType::Real => "a number",
        ColumnType::Numeric { .. } => "a number, or a text that spells one",
        ColumnType::TimestampTz => {
            "a text such as 2024-06-25T16:00:00.000Z, or whole milliseconds since 1970"
        }
        ColumnType::Date => "a text such as 2024-06-25",
        ColumnType::Bytea => "a text of base64 in the standard alphabet, such as aGk=",
        ColumnType::Array(_) => "an array",
        ColumnType::Uuid => "a text such as 123e4567-e89b-12d3-a456-426614174000",
        ColumnType::Jsonb => "any JSON value without that",
    }
}

fn kind(value: JsonValue<'_>) -> &'static str {
    match value {
        JsonValue::Null => "is null",
        JsonValue::Bool(_) => "is a truth value",
        JsonValue::Number(_) => "is a number",
        JsonValue::Text(_) => "is text",
        JsonValue::Json(raw) if raw.trim_start().starts_with('[') => "is an array",
        JsonValue::Json(_) => "is an object",
    }
}

/// The beginning of a value, as its producer would write it.
fn head(value: JsonValue<'_>) -> String {
    let (text, quoted) = match value {
        JsonValue::Null => ("null", false),
        JsonValue::Bool(true) => ("true", false),
        JsonValue::Bool(false) => ("false", false),
        JsonValue::Number(text) | JsonValue::Json(text) => (text, false),
        JsonValue::Text(text) => (text, true),
    };
    let end = text.char_indices().nth(HEAD).map(|(index, _)| index);
    let shown = end.and_then(|end| text.get(..end)).unwrap_or(text);
    let more = if end.is_some() { "…" } else { "" };
    if quoted {
        format!("{shown:?}{more}")
    } else {
        // A control character of raw JSON must not reach a terminal.
        format!("{}{more}", shown.replace(char::is_control, " "))
    }
}
