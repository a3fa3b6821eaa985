//! Reads the object of the envelope `causet`: the spans of its names, and the payload.

use std::fmt;

use projectionist_language::model::Metadata;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Trie;
use crate::event::metadata_slot;
use crate::span::Span;

/// Reads `record` into `spans`, which are all missing.
///
/// Normally the payload is read on the way. When the whole payload is wanted as it stands, or when
/// that pass fails, it is taken as one value first: only then is a payload that is no object told
/// from one that stands there twice, of which the last counts.
pub(super) fn read(record: &str, payload: &Trie, spans: &mut [Span]) -> Result<(), String> {
    if !payload.whole_is_wanted() {
        if walk(record, payload, spans, true).is_ok() {
            return descend(record, payload, spans);
        }
        spans.fill(Span::MISSING);
    }
    walk(record, payload, spans, false).map_err(|error| fault(record, &error))?;
    let whole = spans.get(payload.whole()).copied().unwrap_or_default();
    match whole.within(record) {
        None => Ok(()),
        Some(object) if object.starts_with('{') => {
            let read = payload.read(object, record, spans);
            read.map_err(|error| syntax_fault(&error))
        }
        Some(other) => Err(format!("payload is {}, not an object", kind(other))),
    }
}

fn descend(record: &str, payload: &Trie, spans: &mut [Span]) -> Result<(), String> {
    let read = payload.descend(record, spans);
    read.map_err(|error| syntax_fault(&error))
}

fn walk(
    record: &str,
    payload: &Trie,
    spans: &mut [Span],
    reads_payload: bool,
) -> serde_json::Result<()> {
    let mut json = serde_json::Deserializer::from_str(record);
    let envelope = Envelope {
        record,
        payload,
        spans,
        reads_payload,
    };
    json.deserialize_map(envelope)?;
    json.end()
}

struct Envelope<'a> {
    record: &'a str,
    payload: &'a Trie,
    spans: &'a mut [Span],
    reads_payload: bool,
}

impl<'de> Visitor<'de> for Envelope<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let places = self.payload.whole()..self.payload.end();
        while let Some(name) = object.next_key_seed(KnownName)? {
            let slot = match name {
                Name::Metadata(name) => metadata_slot(name),
                Name::Payload if self.reads_payload => {
                    if let Some(spans) = self.spans.get_mut(places.clone()) {
                        spans.fill(Span::MISSING);
                    }
                    object.next_value_seed(self.payload.object(self.record, self.spans))?;
                    continue;
                }
                Name::Payload => self.payload.whole(),
                Name::Other => {
                    object.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            let value: &RawValue = object.next_value()?;
            if let Some(span) = self.spans.get_mut(slot) {
                *span = Span::of(value.get(), self.record);
            }
        }
        Ok(())
    }
}

enum Name {
    Metadata(Metadata),
    Payload,
    Other,
}

struct KnownName;

impl<'de> DeserializeSeed<'de> for KnownName {
    type Value = Name;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Name, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KnownName {
    type Value = Name;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Name, E> {
        Ok(match key {
            "eventType" => Name::Metadata(Metadata::EventType),
            "entityId" => Name::Metadata(Metadata::EntityId),
            "forkId" => Name::Metadata(Metadata::ForkId),
            "tenantSchema" => Name::Metadata(Metadata::TenantSchema),
            "irVersion" => Name::Metadata(Metadata::IrVersion),
            "sequenceNumber" => Name::Metadata(Metadata::SequenceNumber),
            "ts" => Name::Metadata(Metadata::Ts),
            "payload" => Name::Payload,
            _ => Name::Other,
        })
    }
}

pub(super) fn fault(record: &str, error: &serde_json::Error) -> String {
    if error.is_data() {
        return format!(
            "the record is {}, not an object",
            kind(record.trim_ascii_start())
        );
    }
    syntax_fault(error)
}

/// What the parser met and where, counted from the beginning of the record.
pub(super) fn syntax_fault(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    let what = message.strip_suffix(&place).unwrap_or(&message);
    let line = if line > 1 {
        format!("line {line} ")
    } else {
        String::new()
    };
    format!("not valid JSON: {what} at {line}column {column}")
}

/// What a JSON value is, for a sentence.
pub(super) fn kind(value: &str) -> &'static str {
    match value.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a text",
        Some(b't' | b'f') => "a truth value",
        Some(b'n') => "null",
        _ => "a number",
    }
}
