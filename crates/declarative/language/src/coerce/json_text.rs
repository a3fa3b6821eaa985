//! Text into JSON, the elements of raw JSON, and a look through it for what no store keeps.

use std::fmt::Write;

use super::{JsonValue, LoneSurrogate, unescape};

/// What raw JSON may hold and a store may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unstorable {
    /// U+0000, also as `\u0000`.
    Nul,
    /// An escape of one half of a surrogate pair without the other.
    LoneSurrogate,
}

/// Appends `text` as a JSON string.
pub(crate) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// Finds the first thing in valid JSON that cannot be stored.
pub(super) fn find_unstorable(raw: &str) -> Option<Unstorable> {
    if raw.contains('\0') {
        return Some(Unstorable::Nul);
    }
    let mut rest = raw;
    while let Some((_, escape, after)) = next_escape(rest) {
        match escape {
            Escape::Nul => return Some(Unstorable::Nul),
            Escape::Half => return Some(Unstorable::LoneSurrogate),
            Escape::Other => rest = after,
        }
    }
    None
}

/// Appends valid JSON with `instead`, which needs no escapes, in the place of each U+0000.
pub(super) fn replace_nul(raw: &str, instead: &str, out: &mut String) -> Result<(), LoneSurrogate> {
    let mut rest = raw;
    while let Some((before, escape, after)) = next_escape(rest) {
        match escape {
            Escape::Nul => {
                out.push_str(before);
                out.push_str(instead);
            }
            Escape::Half => return Err(LoneSurrogate),
            Escape::Other => out.push_str(&rest[..rest.len() - after.len()]),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(())
}

/// What an escape of valid JSON stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    /// U+0000.
    Nul,
    /// Half a surrogate pair without the other half.
    Half,
    /// A character that can be stored.
    Other,
}

/// The first escape: what stands before it, what it is, and what follows.
fn next_escape(text: &str) -> Option<(&str, Escape, &str)> {
    let (before, rest) = text.split_at(text.find('\\')?);
    let Some(unit) = escaped_unit(rest) else {
        // A backslash and one ASCII character, which may be a backslash itself.
        return Some((before, Escape::Other, rest.get(2..).unwrap_or_default()));
    };
    let after = &rest[6..];
    Some(match unit {
        0 => (before, Escape::Nul, after),
        0xd800..=0xdbff if matches!(escaped_unit(after), Some(0xdc00..=0xdfff)) => {
            (before, Escape::Other, &after[6..])
        }
        0xd800..=0xdfff => (before, Escape::Half, after),
        _ => (before, Escape::Other, after),
    })
}

/// The elements of a valid JSON array, each without spaces around it. `None` for what is no array.
pub(super) fn elements(raw: &str) -> Option<impl Iterator<Item = &str>> {
    let inside = trim(raw).strip_prefix('[')?.strip_suffix(']')?;
    let mut rest = Some(trim(inside)).filter(|inside| !inside.is_empty());
    Some(std::iter::from_fn(move || {
        let text = rest?;
        let end = first_comma(text);
        rest = end.and_then(|end| text.get(end + 1..));
        Some(trim(end.map_or(text, |end| &text[..end])))
    }))
}

/// Where the first comma stands that is in no text and in no container.
fn first_comma(text: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    text.bytes().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => return depth == 0,
            _ => {}
        }
        false
    })
}

fn trim(raw: &str) -> &str {
    raw.trim_matches([' ', '\t', '\n', '\r'])
}

/// The value of valid JSON without spaces around it. The escapes of a text are resolved in
/// `buffer`, which is overwritten.
pub(super) fn value_of<'a>(
    raw: &'a str,
    buffer: &'a mut String,
) -> Result<JsonValue<'a>, LoneSurrogate> {
    let inside = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
    if let Some(inside) = inside {
        if !inside.contains('\\') {
            return Ok(JsonValue::Text(inside));
        }
        buffer.clear();
        unescape(inside, buffer)?;
        return Ok(JsonValue::Text(buffer));
    }
    Ok(match raw {
        "null" => JsonValue::Null,
        "true" => JsonValue::Bool(true),
        "false" => JsonValue::Bool(false),
        _ if raw.starts_with(['[', '{']) => JsonValue::Json(raw),
        _ => JsonValue::Number(raw),
    })
}

/// The UTF-16 unit of an escape such as `\u0041` at the front.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}
