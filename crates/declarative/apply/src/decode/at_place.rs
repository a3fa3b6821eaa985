//! Takes values that were found at places for the names of the envelope.

use std::fmt::Write;

use projectionist_language::coerce::{unescape, unix_millis};
use projectionist_language::model::Metadata;

use super::envelope::kind;
use super::metadata::{HEAD, Names, inside_quotes, integer, key};
use crate::span::Span;

/// Whether a number stands for its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    Refused,
    Taken,
}

impl<'a> Names<'a> {
    /// Takes the value at a place for a text that must be there and must not be blank.
    pub(super) fn required_at(
        &mut self,
        name: Metadata,
        shown: &str,
        value: Option<&'a str>,
        numbers: Numbers,
    ) -> Result<(), String> {
        match value {
            None => Err(format!("{shown} is missing")),
            Some(number) if numbers == Numbers::Taken && is_number(number) => {
                let start = self.aside.len();
                self.aside.push_str(number);
                self.set_aside(name, start)
            }
            Some(value) if inside_quotes(value).is_none() => {
                let wanted = match numbers {
                    Numbers::Taken => "a text or a number",
                    Numbers::Refused => "a text",
                };
                Err(misfit(shown, value, wanted))
            }
            Some(value) => {
                self.replace(name, Span::of(value, self.record));
                self.required_as(name, shown)
            }
        }
    }

    /// Takes the value at a place for a text that may be missing or null.
    pub(super) fn optional_at(
        &mut self,
        name: Metadata,
        shown: &str,
        value: Option<&'a str>,
    ) -> Result<(), String> {
        let Some(value) = value else {
            return Ok(());
        };
        if value != "null" && inside_quotes(value).is_none() {
            return Err(misfit(shown, value, "a text"));
        }
        self.replace(name, Span::of(value, self.record));
        self.optional_as(name, shown).map(|_| ())
    }

    /// Takes the value at a place for an integer that may be missing or null.
    pub(super) fn integer_at(
        &mut self,
        name: Metadata,
        shown: &str,
        value: Option<&'a str>,
    ) -> Result<Option<i64>, String> {
        let Some(value) = value.filter(|value| *value != "null") else {
            return Ok(None);
        };
        let number = integer(shown, value)?;
        self.replace(name, Span::of(value, self.record));
        Ok(Some(number))
    }

    /// As [`Self::integer_at`] for the sequence number, which may also be a text of digits.
    pub(super) fn sequence_at(
        &mut self,
        shown: &str,
        value: Option<&'a str>,
    ) -> Result<Option<i64>, String> {
        let name = Metadata::SequenceNumber;
        let Some(digits) = value.and_then(inside_quotes) else {
            return self.integer_at(name, shown, value);
        };
        let unsigned = digits.strip_prefix('-').unwrap_or(digits);
        let are_digits = unsigned.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| are_digits);
        let number = number.ok_or_else(|| {
            misfit(
                shown,
                value.unwrap_or_default(),
                "an integer of 64 bits, bare or as a text of digits",
            )
        })?;
        self.set_number(name, number).map(Some)
    }

    /// Takes the value at a place for a moment: Unix milliseconds, or RFC 3339, of which what is
    /// finer than a millisecond is cut off. It may be missing or null.
    pub(super) fn moment_at(
        &mut self,
        shown: &str,
        value: Option<&'a str>,
    ) -> Result<Option<i64>, String> {
        let Some(text) = value.and_then(inside_quotes) else {
            return self.integer_at(Metadata::Ts, shown, value);
        };
        let start = self.aside.len();
        // Writers that escape more than they must write the sign of a zone as an escape.
        let text = if text.contains('\\') {
            unescape(text, self.aside).map_err(|_| half_a_pair(shown))?;
            self.aside.get(start..).unwrap_or_default()
        } else {
            text
        };
        let millis = unix_millis(text).map_err(|fault| {
            let head: String = text.chars().take(HEAD).collect();
            format!("{shown} {fault}: \"{head}\"")
        })?;
        self.aside.truncate(start);
        self.set_number(Metadata::Ts, millis).map(Some)
    }

    /// Composes the event type of a table and what happened to its row.
    pub(super) fn event_type_of(
        &mut self,
        shown: &str,
        table: Option<&'a str>,
        end: &str,
    ) -> Result<(), String> {
        let start = self.aside.len();
        self.push_value(|| shown.to_owned(), table, Metadata::EventType)?;
        let table = self.aside.get(start..).unwrap_or_default();
        if table.trim().is_empty() {
            return Err(format!("{shown} is blank"));
        }
        self.aside.push('.');
        self.aside.push_str(end);
        self.set_aside(Metadata::EventType, start)
    }

    /// Writes a text without its quotes and escapes, or a number as it is spelt, behind what
    /// stands aside.
    pub(super) fn push_value(
        &mut self,
        shown: impl Fn() -> String,
        value: Option<&str>,
        name: Metadata,
    ) -> Result<(), String> {
        let value = value.ok_or_else(|| format!("{} is missing", shown()))?;
        if is_number(value) && name == Metadata::EntityId {
            self.aside.push_str(value);
            return Ok(());
        }
        let Some(inside) = inside_quotes(value) else {
            let wanted = match name {
                Metadata::EntityId => "a text or a number",
                _ => "a text",
            };
            return Err(misfit(&shown(), value, wanted));
        };
        let start = self.aside.len();
        if unescape(inside, self.aside).is_err() {
            return Err(half_a_pair(&shown()));
        }
        match self.aside.get(start..) {
            Some(text) if text.contains('\0') => {
                Err(format!("{} holds the character U+0000", shown()))
            }
            _ => Ok(()),
        }
    }

    /// Makes what stands aside from `start` on the value of a name.
    pub(super) fn set_aside(&mut self, name: Metadata, start: usize) -> Result<(), String> {
        let length = self.aside.len() - start;
        let span = Span::aside(self.aside_start + start, length)
            .ok_or_else(|| format!("{} is too long", key(name)))?;
        self.replace(name, span);
        Ok(())
    }

    /// Makes a number that stands otherwise in the record the value of a name.
    fn set_number(&mut self, name: Metadata, number: i64) -> Result<i64, String> {
        let start = self.aside.len();
        // Writing into a text cannot fail.
        let _ = write!(self.aside, "{number}");
        self.set_aside(name, start)?;
        Ok(number)
    }
}

fn half_a_pair(shown: &str) -> String {
    format!("{shown} holds half a surrogate pair, which is no character")
}

/// A value that is none of what is wanted, with how it begins.
fn misfit(shown: &str, value: &str, wanted: &str) -> String {
    let head: String = value.chars().take(HEAD).collect();
    match value {
        "null" => format!("{shown} is null, not {wanted}"),
        _ => format!("{shown} is {}, not {wanted}: {head}", kind(value)),
    }
}

fn is_number(value: &str) -> bool {
    value.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}
