//! A JSON array into a cell of an array type, element by element.

use std::fmt::Write as _;

use base64::Engine as _;
use projectionist_core::row::{
    Cell, ColumnType, ElementType, write_date, write_timestamp, write_uuid,
};

use super::text::BASE64;
use super::{CoerceBuffer, CoerceError, JsonValue, json_text, scalar};
use crate::model::ColumnRules;

pub(super) fn array<'a>(
    element_type: ElementType,
    rules: ColumnRules,
    value: JsonValue<'a>,
    buffer: &'a mut CoerceBuffer,
) -> Result<Cell<'a>, CoerceError> {
    let column_type = ColumnType::Array(element_type);
    let wrong_kind = || CoerceError::wrong_kind(value, column_type);
    let JsonValue::Json(raw) = value else {
        return Err(wrong_kind());
    };
    let elements = json_text::elements(raw).ok_or_else(wrong_kind)?;
    let CoerceBuffer {
        text,
        bytes,
        array,
        element,
    } = buffer;
    array.clear();
    array.push('[');
    for (index, raw) in elements.enumerate() {
        if index > 0 {
            array.push(',');
        }
        let value = json_text::value_of(raw, element).map_err(|_| {
            let message = "holds half a surrogate pair, which is no character";
            CoerceError::new(JsonValue::Json(raw), message, element_type.into()).in_element(index)
        })?;
        let cell = scalar(element_type.into(), rules, value, text, bytes)
            .map_err(|error| error.in_element(index))?;
        push(cell, array)
            .ok_or_else(|| CoerceError::wrong_kind(value, element_type.into()).in_element(index))?;
    }
    array.push(']');
    Ok(Cell::Array(array))
}

/// Appends an element as [`Cell::Array`] says. `None` for a cell that is no element.
fn push(cell: Cell<'_>, out: &mut String) -> Option<()> {
    match cell {
        Cell::Null => out.push_str("null"),
        Cell::Text(text) => json_text::quote(text, out),
        Cell::Int(value) => write!(out, "{value}").ok()?,
        // Always with a point or an exponent, so that a reader does not take it for an integer.
        Cell::Double(value) => write!(out, "{value:?}").ok()?,
        Cell::Bool(value) => write!(out, "{value}").ok()?,
        Cell::Numeric(text) => quoted(out, |out| {
            out.push_str(text);
            Some(())
        })?,
        Cell::Timestamp(moment) => quoted(out, |out| write_timestamp(out, moment))?,
        Cell::Date(days) => quoted(out, |out| write_date(out, days))?,
        Cell::Uuid(bytes) => quoted(out, |out| {
            write_uuid(out, &bytes);
            Some(())
        })?,
        Cell::Bytes(bytes) => quoted(out, |out| {
            BASE64.encode_string(bytes, out);
            Some(())
        })?,
        Cell::Json(_) | Cell::Array(_) => return None,
    }
    Some(())
}

/// Appends what `write` writes, which needs no escapes, as a JSON text.
fn quoted(out: &mut String, write: impl FnOnce(&mut String) -> Option<()>) -> Option<()> {
    out.push('"');
    write(out)?;
    out.push('"');
    Some(())
}
