//! Values into cells of TEXT, VARCHAR, JSONB and BYTEA.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use projectionist_core::row::{Cell, ColumnType};

use super::json_text::{self, Unstorable};
use super::{CoerceError, JsonValue};
use crate::model::{ColumnRules, NulRule};

/// Bits that a last character has beyond the last byte must be zero, so that no two texts but for
/// their padding give the same bytes.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_encode_padding(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(false),
);

const HALF_PAIR: &str = "holds half a surrogate pair, which is no character";

/// A text of at most `limit` characters.
pub(super) fn text<'a>(
    column_type: ColumnType,
    limit: Option<u32>,
    rules: ColumnRules,
    value: JsonValue<'a>,
    buffer: &'a mut String,
) -> Result<Cell<'a>, CoerceError> {
    let text = match value {
        JsonValue::Text(text) if text.contains('\0') => without_nul(text, rules.nul, buffer)
            .ok_or_else(|| CoerceError::nul(value, column_type))?,
        JsonValue::Text(text) | JsonValue::Number(text) => text,
        JsonValue::Bool(true) => "true",
        JsonValue::Bool(false) => "false",
        JsonValue::Null | JsonValue::Json(_) => {
            return Err(CoerceError::wrong_kind(value, column_type));
        }
    };
    if let Some(limit) = limit {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        // No text has more characters than bytes.
        if text.len() > limit && text.chars().count() > limit {
            let length = text.chars().count();
            return Err(CoerceError::too_many_characters(value, length, column_type));
        }
    }
    Ok(Cell::Text(text))
}

pub(super) fn json<'a>(
    rules: ColumnRules,
    value: JsonValue<'a>,
    buffer: &'a mut String,
) -> Result<Cell<'a>, CoerceError> {
    let column_type = ColumnType::Jsonb;
    let nul = || CoerceError::nul(value, column_type);
    match value {
        JsonValue::Null => Ok(Cell::Null),
        JsonValue::Bool(true) => Ok(Cell::Json("true")),
        JsonValue::Bool(false) => Ok(Cell::Json("false")),
        JsonValue::Number(token) => Ok(Cell::Json(token)),
        JsonValue::Text(text) => {
            buffer.clear();
            if text.contains('\0') {
                let mut clean = String::new();
                let clean = without_nul(text, rules.nul, &mut clean).ok_or_else(nul)?;
                json_text::quote(clean, buffer);
            } else {
                json_text::quote(text, buffer);
            }
            Ok(Cell::Json(buffer))
        }
        JsonValue::Json(raw) => match json_text::find_unstorable(raw) {
            None => Ok(Cell::Json(raw)),
            Some(Unstorable::Nul) => {
                let instead = replacement(rules.nul).ok_or_else(nul)?;
                buffer.clear();
                json_text::replace_nul(raw, instead, buffer)
                    .map_err(|_| CoerceError::new(value, HALF_PAIR, column_type))?;
                Ok(Cell::Json(buffer))
            }
            Some(Unstorable::LoneSurrogate) => Err(CoerceError::new(value, HALF_PAIR, column_type)),
        },
    }
}

pub(super) fn bytea<'a>(
    value: JsonValue<'a>,
    buffer: &'a mut Vec<u8>,
) -> Result<Cell<'a>, CoerceError> {
    let JsonValue::Text(text) = value else {
        return Err(CoerceError::wrong_kind(value, ColumnType::Bytea));
    };
    buffer.clear();
    BASE64
        .decode_vec(text, buffer)
        .map_err(|_| CoerceError::new(value, "is no base64", ColumnType::Bytea))?;
    Ok(Cell::Bytes(buffer))
}

/// The text as the rule wants it; `None` when the rule refuses it.
fn without_nul<'a>(text: &str, rule: NulRule, buffer: &'a mut String) -> Option<&'a str> {
    let instead = replacement(rule)?;
    buffer.clear();
    for (index, piece) in text.split('\0').enumerate() {
        if index > 0 {
            buffer.push_str(instead);
        }
        buffer.push_str(piece);
    }
    Some(buffer)
}

/// What stands in the place of U+0000; `None` when the value is refused.
fn replacement(rule: NulRule) -> Option<&'static str> {
    match rule {
        NulRule::Error => None,
        NulRule::Strip => Some(""),
        NulRule::Replace => Some("\u{fffd}"),
    }
}
