//! A decoded record of the declared envelope.

use std::fmt;

use bytes::Bytes;
use projectionist_language::model::Metadata;

use crate::span::{SPAN_BYTES, Span};

/// How many names of the envelope there are; their spans come first.
pub(crate) const METADATA_SPANS: usize = 7;

/// The place of a name of the envelope among the spans.
pub(crate) fn metadata_slot(name: Metadata) -> usize {
    match name {
        Metadata::EventType => 0,
        Metadata::EntityId => 1,
        Metadata::ForkId => 2,
        Metadata::TenantSchema => 3,
        Metadata::IrVersion => 4,
        Metadata::SequenceNumber => 5,
        Metadata::Ts => 6,
    }
}

/// A decoded record of the declared envelope: the record itself, and where in it the values stand
/// that the program reads.
///
/// Cloning is cheap. Two events are equal when their records are.
#[derive(Clone)]
pub struct DeclaredEvent {
    pub(crate) record: Bytes,
    /// One span a name of the envelope and a planned place of the payload, then the texts of the
    /// envelope that stand escaped in the record.
    pub(crate) cells: Bytes,
    /// Index into the types of the plan; `None` for a type that no projection names.
    pub(crate) event_type: Option<u32>,
    pub(crate) sequence: Option<i64>,
    pub(crate) ts: Option<i64>,
    /// Whether the payload is there, but not as JSON.
    pub(crate) is_binary: bool,
}

impl DeclaredEvent {
    /// The record, as it was read.
    #[must_use]
    pub fn record(&self) -> &Bytes {
        &self.record
    }

    /// What happened: never blank, and empty for a record that tells of no event, such as a
    /// tombstone.
    #[must_use]
    pub fn event_type(&self) -> &str {
        self.text(Metadata::EventType).unwrap_or_default()
    }

    /// To whom it happened: never blank, and empty for a record that tells of no event.
    #[must_use]
    pub fn entity_id(&self) -> &str {
        self.text(Metadata::EntityId).unwrap_or_default()
    }

    /// The fork; empty for an event without one.
    #[must_use]
    pub fn fork_id(&self) -> &str {
        self.text(Metadata::ForkId).unwrap_or_default()
    }

    /// The tenant; empty for an event without one.
    #[must_use]
    pub fn tenant_schema(&self) -> &str {
        self.text(Metadata::TenantSchema).unwrap_or_default()
    }

    /// The number of the event within its entity.
    #[must_use]
    pub fn sequence_number(&self) -> Option<i64> {
        self.sequence
    }

    /// When it happened, in Unix milliseconds.
    #[must_use]
    pub fn ts(&self) -> Option<i64> {
        self.ts
    }

    /// The record as text; it was checked when it was decoded.
    pub(crate) fn record_text(&self) -> &str {
        std::str::from_utf8(&self.record).unwrap_or_default()
    }

    /// The span at `slot`; missing when the event was decoded for another program.
    pub(crate) fn span(&self, slot: usize) -> Span {
        let start = slot * SPAN_BYTES;
        let bytes = self.cells.get(start..start + SPAN_BYTES);
        bytes
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(Span::MISSING, Span::from_bytes)
    }

    /// A text of the envelope, unescaped; `None` when it is missing or null.
    pub(crate) fn text(&self, name: Metadata) -> Option<&str> {
        let span = self.span(metadata_slot(name));
        if span.is_aside() {
            return span.within_aside(&self.cells);
        }
        if span.is_missing() {
            return None;
        }
        let bytes = span.bytes_within(&self.record)?;
        let inside = bytes.get(1..bytes.len() - 1)?;
        std::str::from_utf8(inside).ok()
    }
}

impl AsRef<DeclaredEvent> for DeclaredEvent {
    fn as_ref(&self) -> &DeclaredEvent {
        self
    }
}

impl PartialEq for DeclaredEvent {
    fn eq(&self, other: &Self) -> bool {
        self.record == other.record
    }
}

impl Eq for DeclaredEvent {}

impl fmt::Debug for DeclaredEvent {
    /// The coordinates only: a payload does not belong into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeclaredEvent")
            .field("event_type", &self.event_type())
            .field("entity_id", &self.entity_id())
            .field("sequence_number", &self.sequence)
            .finish_non_exhaustive()
    }
}
