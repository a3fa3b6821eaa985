//! Looks values up in a decoded event.

use projectionist_language::coerce::{JsonValue, unescape};
use projectionist_language::model::Metadata;

use crate::event::{DeclaredEvent, metadata_slot};
use crate::span::Span;

/// Where a value is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// A name of the envelope.
    Metadata(Metadata),
    /// A slot of the event.
    Payload(usize),
    /// A slot of the element of an array.
    Item(usize),
}

/// Looks values up in one event, and in one element of its array.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    event: &'a DeclaredEvent,
    record: &'a str,
    item: &'a [Span],
}

/// A value as it was found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found<'a> {
    /// Nothing is there.
    Missing,
    /// A JSON value.
    Raw(&'a str),
    /// A text that was unescaped before.
    Text(&'a str),
}

impl<'a> Reader<'a> {
    pub(crate) fn new(event: &'a DeclaredEvent) -> Self {
        Self {
            event,
            record: event.record_text(),
            item: &[],
        }
    }

    /// The reader with the spans of an element.
    pub(crate) fn with_item<'b>(self, item: &'b [Span]) -> Reader<'b>
    where
        'a: 'b,
    {
        Reader { item, ..self }
    }

    pub(crate) fn record(&self) -> &'a str {
        self.record
    }

    pub(crate) fn find(&self, source: Source) -> Found<'a> {
        let span = match source {
            Source::Payload(slot) => self.event.span(slot),
            Source::Item(slot) => self.item.get(slot).copied().unwrap_or_default(),
            Source::Metadata(name) => {
                let span = self.event.span(metadata_slot(name));
                if span.is_aside() {
                    let found = match name {
                        Metadata::SequenceNumber | Metadata::Ts => Found::Raw,
                        _ => Found::Text,
                    };
                    return self.event.text(name).map_or(Found::Missing, found);
                }
                span
            }
        };
        span.within(self.record).map_or(Found::Missing, Found::Raw)
    }
}

impl<'a> Found<'a> {
    /// The value as the conversion takes it. `None` for a text that is none: one of its escapes
    /// names half a surrogate pair.
    pub(crate) fn as_json(self, text: &'a mut String) -> Option<JsonValue<'a>> {
        let raw = match self {
            Self::Missing => return Some(JsonValue::Null),
            Self::Text(text) => return Some(JsonValue::Text(text)),
            Self::Raw(raw) => raw,
        };
        Some(match raw.as_bytes().first() {
            Some(b'n') => JsonValue::Null,
            Some(b't') => JsonValue::Bool(true),
            Some(b'f') => JsonValue::Bool(false),
            Some(b'{' | b'[') => JsonValue::Json(raw),
            Some(b'"') => {
                let inside = raw.get(1..raw.len() - 1)?;
                if memchr::memchr(b'\\', inside.as_bytes()).is_none() {
                    return Some(JsonValue::Text(inside));
                }
                text.clear();
                unescape(inside, text).ok()?;
                JsonValue::Text(text)
            }
            _ => JsonValue::Number(raw),
        })
    }

    /// The value as it is shown.
    pub(crate) fn shown(self) -> &'a str {
        match self {
            Self::Missing => "",
            Self::Raw(text) | Self::Text(text) => text,
        }
    }
}
