//! Reads the wanted places of a whole record.

use super::Trie;
use super::envelope::{fault, syntax_fault};
use crate::span::Span;

/// What an envelope gives beside texts and payload.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    pub(super) sequence: Option<i64>,
    pub(super) ts: Option<i64>,
    /// Whether the payload is there, but not as JSON.
    pub(super) is_binary: bool,
}

/// Reads what `wanted` wants of `record` into `spans`, whose former content goes.
pub(super) fn read(record: &str, wanted: &Trie, spans: &mut Vec<Span>) -> Result<(), String> {
    spans.clear();
    spans.resize(wanted.end(), Span::MISSING);
    let mut json = serde_json::Deserializer::from_str(record);
    let object = serde::de::DeserializeSeed::deserialize(wanted.object(record, spans), &mut json);
    object
        .and_then(|()| json.end())
        .map_err(|error| fault(record, &error))?;
    let below = wanted.descend(record, spans);
    below.map_err(|error| syntax_fault(&error))
}

/// Reads the wanted places of the payload, which is a value of `record`.
pub(super) fn descend(
    payload: &Trie,
    value: &str,
    record: &str,
    spans: &mut [Span],
) -> Result<(), String> {
    let read = payload.read(value, record, spans);
    read.map_err(|error| syntax_fault(&error))
}

/// The value at `slot`, as it stands in the record.
pub(super) fn value<'a>(record: &'a str, spans: &[Span], slot: usize) -> Option<&'a str> {
    spans.get(slot)?.within(record)
}
