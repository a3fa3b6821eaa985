//! From the values that an expression computes with to JSON.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cel::common::types::{
    CelBool, CelBytes, CelDouble, CelInt, CelMap, CelMapKey, CelNull, CelString, CelTimestamp,
    CelUInt,
};
use cel::common::value::Val;

use crate::coerce::{JsonValue, quote_json};

/// Why a value is none that JSON can say.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EncodeFault {
    /// NaN or infinite.
    NotFinite(f64),
    /// Another type, by its name.
    Type(String),
}

/// The value as the conversion to a column takes it. Its text is written to `buffer`.
pub(super) fn encode<'a>(
    value: &dyn Val,
    buffer: &'a mut String,
) -> Result<JsonValue<'a>, EncodeFault> {
    buffer.clear();
    if let Some(text) = value.downcast_ref::<CelString>() {
        buffer.push_str(text);
        return Ok(JsonValue::Text(buffer));
    }
    if let Some(truth) = value.downcast_ref::<CelBool>() {
        return Ok(JsonValue::Bool(*truth.inner()));
    }
    if value.downcast_ref::<CelNull>().is_some() {
        return Ok(JsonValue::Null);
    }
    if write_number(value, buffer)? {
        return Ok(JsonValue::Number(buffer));
    }
    if write_text(value, buffer) {
        return Ok(JsonValue::Text(buffer));
    }
    write_json(value, buffer)?;
    Ok(JsonValue::Json(buffer))
}

/// Writes the number that the value is, if it is one.
fn write_number(value: &dyn Val, out: &mut String) -> Result<bool, EncodeFault> {
    // Writing to a string cannot fail.
    if let Some(number) = value.downcast_ref::<CelInt>() {
        let _ = write!(out, "{}", number.inner());
    } else if let Some(number) = value.downcast_ref::<CelUInt>() {
        let _ = write!(out, "{}", number.inner());
    } else if let Some(number) = value.downcast_ref::<CelDouble>() {
        write_double(*number.inner(), out)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// The shortest decimal text that reads back as the same double.
fn write_double(number: f64, out: &mut String) -> Result<(), EncodeFault> {
    if !number.is_finite() {
        return Err(EncodeFault::NotFinite(number));
    }
    let exponent = number != 0.0 && !(1e-5..1e16).contains(&number.abs());
    let _ = if exponent {
        write!(out, "{number:e}")
    } else {
        write!(out, "{number}")
    };
    Ok(())
}

/// Writes a moment as RFC 3339, and bytes as base64, as events hold them.
fn write_text(value: &dyn Val, out: &mut String) -> bool {
    if let Some(moment) = value.downcast_ref::<CelTimestamp>() {
        let moment = moment.inner().to_utc();
        let nanos = moment.timestamp_subsec_nanos();
        let _ = write!(out, "{}", moment.format("%Y-%m-%dT%H:%M:%S"));
        if nanos > 0 {
            let digits = format!("{nanos:09}");
            let _ = write!(out, ".{}", digits.trim_end_matches('0'));
        }
        out.push('Z');
        return true;
    }
    if let Some(bytes) = value.downcast_ref::<CelBytes>() {
        STANDARD.encode_string(bytes.inner(), out);
        return true;
    }
    false
}

/// Appends the value as JSON. The keys of maps come in their order.
pub(super) fn write_json(value: &dyn Val, out: &mut String) -> Result<(), EncodeFault> {
    if let Some(text) = value.downcast_ref::<CelString>() {
        quote_json(text, out);
    } else if let Some(truth) = value.downcast_ref::<CelBool>() {
        out.push_str(if *truth.inner() { "true" } else { "false" });
    } else if value.downcast_ref::<CelNull>().is_some() {
        out.push_str("null");
    } else if write_number(value, out)? {
    } else if let Some(map) = value.downcast_ref::<CelMap>() {
        write_map(map, out)?;
    } else if let Some(list) = value.as_iterable() {
        let mut elements = list.iter();
        let mut before = '[';
        while let Some(element) = elements.next() {
            out.push(before);
            before = ',';
            write_json(element, out)?;
        }
        if before == '[' {
            out.push('[');
        }
        out.push(']');
    } else {
        let mut text = String::new();
        if !write_text(value, &mut text) {
            return Err(EncodeFault::Type(value.get_type().name().to_owned()));
        }
        quote_json(&text, out);
    }
    Ok(())
}

fn write_map(map: &CelMap<'_>, out: &mut String) -> Result<(), EncodeFault> {
    let mut entries: Vec<(String, &dyn Val)> = map
        .inner()
        .iter()
        .map(|(key, value)| (key_text(key), value.as_ref()))
        .collect();
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut before = '{';
    for (key, value) in entries {
        out.push(before);
        before = ',';
        quote_json(&key, out);
        out.push(':');
        write_json(value, out)?;
    }
    if before == '{' {
        out.push('{');
    }
    out.push('}');
    Ok(())
}

/// A key of a map as a key of an object.
pub(super) fn key_text(key: &CelMapKey<'_>) -> String {
    match key {
        CelMapKey::Bool(key) => key.inner().to_string(),
        CelMapKey::Int(key) => key.inner().to_string(),
        CelMapKey::UInt(key) => key.inner().to_string(),
        CelMapKey::String(key) => key.inner().to_owned(),
    }
}
