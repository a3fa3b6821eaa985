//! Text into JSON, and a look through raw JSON for what no store keeps.

use std::fmt::Write;

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
    while let Some(at) = rest.find('\\') {
        rest = &rest[at..];
        let Some(unit) = escaped_unit(rest) else {
            // A backslash and one ASCII character, which may be a backslash itself.
            rest = rest.get(2..).unwrap_or_default();
            continue;
        };
        rest = &rest[6..];
        match unit {
            0 => return Some(Unstorable::Nul),
            0xd800..=0xdbff => {
                if !matches!(escaped_unit(rest), Some(0xdc00..=0xdfff)) {
                    return Some(Unstorable::LoneSurrogate);
                }
                rest = &rest[6..];
            }
            0xdc00..=0xdfff => return Some(Unstorable::LoneSurrogate),
            _ => {}
        }
    }
    None
}

/// The UTF-16 unit of an escape such as `\u0041` at the front.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}
