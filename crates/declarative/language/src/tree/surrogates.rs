//! Characters that JSON writes as two escapes: YAML has one escape for each of them.
//!
//! JSON is YAML but for this: a character beyond U+FFFF may stand in JSON as a pair of `\u`
//! escapes, which YAML refuses one by one. In a file of JSON such a pair is rewritten to the one
//! escape of YAML, and places are told as they are in the file.

use std::borrow::Cow;

use crate::source::Place;

/// How many characters a pair is longer than the escape of YAML.
const SHORTER: usize = "\\ud83d\\ude00".len() - "\\U0001f600".len();

/// A text with its pairs rewritten.
#[derive(Debug)]
pub(super) struct Joined<'a> {
    pub(super) text: Cow<'a, str>,
    /// Where the escapes of YAML stand in `text`, in its order.
    pairs: Vec<Place>,
}

impl<'a> Joined<'a> {
    /// Rewrites the pairs of a text that begins as an object of JSON does.
    pub(super) fn new(text: &'a str) -> Self {
        let begins = text.trim_start_matches('\u{feff}').trim_start();
        let mut joined = Self {
            text: Cow::Borrowed(text),
            pairs: Vec::new(),
        };
        if begins.starts_with('{') && text.contains("\\u") {
            joined.rewrite(text);
        }
        joined
    }

    /// The place in the file that is at `place` in the rewritten text.
    pub(super) fn original(&self, place: Place) -> Place {
        let line = Place { column: 0, ..place };
        let first = self.pairs.partition_point(|pair| *pair < line);
        let before = self.pairs.partition_point(|pair| *pair < place) - first;
        place.right(before * SHORTER)
    }

    fn rewrite(&mut self, text: &str) {
        let mut out = String::with_capacity(text.len());
        let mut place = Place::START;
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let mut taken = character.len_utf8();
            if let Some(pair) = surrogate_pair(rest) {
                self.pairs.push(place);
                let escape = format!("\\U{:08x}", u32::from(pair));
                place.column += escape.len();
                out.push_str(&escape);
                rest = rest.get(2 * ESCAPE..).unwrap_or_default();
                continue;
            }
            // What follows a backslash belongs to it, another backslash above all.
            if character == '\\' {
                taken += rest.chars().nth(1).map_or(0, char::len_utf8);
            }
            let (kept, tail) = rest.split_at(taken);
            out.push_str(kept);
            rest = tail;
            let ends_line = match character {
                '\n' => true,
                '\r' => !rest.starts_with('\n'),
                _ => false,
            };
            if ends_line {
                place.line += 1;
                place.column = 1;
            } else if character != '\u{feff}' {
                place.column += kept.chars().count();
            }
        }
        self.text = Cow::Owned(out);
    }
}

/// The length of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// The character of the two escapes at the front.
fn surrogate_pair(text: &str) -> Option<char> {
    let high = unit(text)?;
    let low = unit(text.get(ESCAPE..)?)?;
    let units = [high, low];
    let mut decoded = char::decode_utf16(units);
    let first = decoded.next()?.ok()?;
    decoded.next().is_none().then_some(first)
}

/// The UTF-16 unit of the escape at the front.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}
