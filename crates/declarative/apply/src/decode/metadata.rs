//! Checks the names of the envelope `causet` after they were found, and keeps what they are.

use projectionist_language::coerce::unescape;
use projectionist_language::model::Metadata;

use super::envelope::kind;
use crate::event::metadata_slot;
use crate::span::Span;

/// How many characters of a wrong value a message shows.
pub(super) const HEAD: usize = 40;

/// The names of the envelope of one record, while it is decoded.
pub(super) struct Names<'a> {
    pub(super) record: &'a str,
    pub(super) spans: &'a mut [Span],
    /// Takes texts that stand escaped in the record.
    pub(super) aside: &'a mut String,
    /// Where `aside` will begin behind the spans.
    pub(super) aside_start: usize,
}

impl<'a> Names<'a> {
    /// Checks a text that must be there and must not be blank.
    pub(super) fn required(&mut self, name: Metadata) -> Result<(), String> {
        self.required_as(name, key(name))
    }

    /// As [`Self::required`], with the name that a message has for it.
    pub(super) fn required_as(&mut self, name: Metadata, key: &str) -> Result<(), String> {
        if self.value(name).is_none() {
            return Err(format!("{key} is missing"));
        }
        if !self.optional_as(name, key)? {
            return Err(format!("{key} is null, not a text"));
        }
        match self.text(name) {
            Some(text) if !text.trim().is_empty() => Ok(()),
            _ => Err(format!("{key} is blank")),
        }
    }

    /// Checks a text that may be missing or null; whether it is there.
    pub(super) fn optional(&mut self, name: Metadata) -> Result<bool, String> {
        self.optional_as(name, key(name))
    }

    /// As [`Self::optional`], with the name that a message has for it.
    pub(super) fn optional_as(&mut self, name: Metadata, key: &str) -> Result<bool, String> {
        let Some(value) = self.value(name) else {
            return Ok(false);
        };
        if value == "null" {
            self.replace(name, Span::MISSING);
            return Ok(false);
        }
        let Some(inside) = inside_quotes(value) else {
            return Err(format!("{key} is {}, not a text", kind(value)));
        };
        if !inside.contains('\\') {
            return Ok(true);
        }
        let start = self.aside.len();
        unescape(inside, self.aside)
            .map_err(|_| format!("{key} holds half a surrogate pair, which is no character"))?;
        let text = self.aside.get(start..).unwrap_or_default();
        if text.contains('\0') && name != Metadata::IrVersion {
            return Err(format!("{key} holds the character U+0000"));
        }
        let span = Span::aside(self.aside_start + start, text.len())
            .ok_or_else(|| format!("{key} is too long"))?;
        self.replace(name, span);
        Ok(true)
    }

    /// Reads an integer that may be missing.
    pub(super) fn integer(&self, name: Metadata) -> Result<Option<i64>, String> {
        let value = self.value(name);
        value.map(|value| integer(key(name), value)).transpose()
    }

    /// A text that was checked.
    pub(super) fn text(&self, name: Metadata) -> Option<&str> {
        let span = self.span(name);
        if span.is_aside() {
            let (start, len) = span.aside_range();
            let start = start - self.aside_start;
            return self.aside.get(start..start + len);
        }
        inside_quotes(span.within(self.record)?)
    }

    fn span(&self, name: Metadata) -> Span {
        let span = self.spans.get(metadata_slot(name));
        span.copied().unwrap_or_default()
    }

    fn value(&self, name: Metadata) -> Option<&'a str> {
        self.span(name).within(self.record)
    }

    pub(super) fn replace(&mut self, name: Metadata, span: Span) {
        if let Some(slot) = self.spans.get_mut(metadata_slot(name)) {
            *slot = span;
        }
    }
}

/// The integer that a value is.
pub(super) fn integer(key: &str, value: &str) -> Result<i64, String> {
    match value.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => value.parse().map_err(|_| {
            let head: String = value.chars().take(HEAD).collect();
            format!("{key} is {head}, not an integer of 64 bits")
        }),
        _ => Err(format!("{key} is {}, not an integer", kind(value))),
    }
}

/// The text between the quotes of a JSON text; `None` for any other value.
pub(super) fn inside_quotes(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"')
}

pub(super) fn key(name: Metadata) -> &'static str {
    match name {
        Metadata::EventType => "eventType",
        Metadata::EntityId => "entityId",
        Metadata::ForkId => "forkId",
        Metadata::TenantSchema => "tenantSchema",
        Metadata::IrVersion => "irVersion",
        Metadata::SequenceNumber => "sequenceNumber",
        Metadata::Ts => "ts",
    }
}
