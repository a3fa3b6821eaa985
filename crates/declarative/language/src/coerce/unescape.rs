//! Resolves the escapes of a JSON text.

use std::char::decode_utf16;

/// A text that cannot be read: an escape names half of a surrogate pair, which is no character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoneSurrogate;

/// Appends what stands between the quotes of a valid JSON text, with its escapes resolved.
///
/// # Errors
/// [`LoneSurrogate`]; what was appended before it stays.
pub fn unescape(inside: &str, out: &mut String) -> Result<(), LoneSurrogate> {
    let mut rest = inside;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escape) = rest.split_at(at);
        out.push_str(plain);
        let mut after = escape.chars();
        let kind = after.by_ref().nth(1);
        rest = after.as_str();
        match kind {
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => rest = unescape_unit(rest, out)?,
            Some(other) => out.push(other),
            None => {}
        }
    }
    out.push_str(rest);
    Ok(())
}

/// Resolves `XXXX`, or `XXXX\uXXXX` for a character beyond the basic plane; gives what follows.
fn unescape_unit<'a>(hex: &'a str, out: &mut String) -> Result<&'a str, LoneSurrogate> {
    let (first, rest) = unit(hex).ok_or(LoneSurrogate)?;
    let is_half = (0xd800..=0xdfff).contains(&first);
    let (second, rest) = match rest.strip_prefix("\\u").and_then(unit) {
        Some((second, rest)) if is_half => (Some(second), rest),
        _ => (None, rest),
    };
    for character in decode_utf16([first].into_iter().chain(second)) {
        match character {
            Ok(character) => out.push(character),
            Err(_) => return Err(LoneSurrogate),
        }
    }
    Ok(rest)
}

fn unit(hex: &str) -> Option<(u16, &str)> {
    let (digits, rest) = hex.split_at_checked(4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}
