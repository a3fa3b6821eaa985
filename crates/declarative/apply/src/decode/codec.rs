//! The codec of the declared envelope.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use projectionist_core::Timestamp;
use projectionist_core::contract::EventCodec;
use projectionist_language::model::{Metadata, Program};

use super::metadata::Names;
use super::plan::Form;
use super::record::Parts;
use super::{EventPlan, Trie, depth, envelope};
use crate::event::DeclaredEvent;
use crate::span::{MAX_RECORD_BYTES, SPAN_BYTES, Span};

/// The spans of many events stand in one block of this size, in bytes. An event that is kept keeps
/// its block.
const BLOCK_BYTES: usize = 64 * 1024;

/// Reads the declared envelope of a program.
///
/// The envelope `causet` is one JSON object with the names `eventType`, `entityId`, `forkId`,
/// `tenantSchema`, `irVersion`, `sequenceNumber`, `ts` and `payload`. `eventType` and `entityId` are texts that are there and not blank. `forkId`, `tenantSchema` and
/// `irVersion` may be missing or null, `sequenceNumber` and `ts` may be missing, and so may the
/// payload, which is an object.
///
/// In CloudEvents, in changes of Debezium and at the places of a mapping, type and entity are there
/// too, the entity as a text or a number; everything else may be missing or null, and paths into a
/// payload that is no object are null. A record that is well formed and tells of no event, such as
/// the tombstone behind a deleted row, becomes an event of no type, which matches no projection.
///
/// Other names are ignored, and of a name that stands there twice the last one counts.
///
/// Everything that any projection of the program reads is found in the same pass, so one codec
/// serves all its projections. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct DeclaredCodec {
    plan: Arc<EventPlan>,
}

impl DeclaredCodec {
    /// The codec for the events of `program`.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        Self {
            plan: Arc::new(EventPlan::new(program)),
        }
    }

    pub(crate) fn plan(&self) -> &EventPlan {
        &self.plan
    }
}

/// The buffers in which one reader decodes.
#[derive(Debug, Default)]
pub struct DecodeScratch {
    spans: Vec<Span>,
    /// The places of the record outside of its payload.
    outer: Vec<Span>,
    aside: String,
    block: BytesMut,
}

impl EventCodec for DeclaredCodec {
    type Event = DeclaredEvent;
    type Scratch = DecodeScratch;

    fn decode(&self, scratch: &mut DecodeScratch, record: Bytes) -> Result<DeclaredEvent, String> {
        if record.len() > MAX_RECORD_BYTES {
            let bytes = record.len();
            return Err(format!(
                "the record has {bytes} bytes; at most {MAX_RECORD_BYTES} can be read"
            ));
        }
        let text = std::str::from_utf8(&record)
            .map_err(|error| format!("not UTF-8 behind byte {}", error.valid_up_to()))?;
        if let Some(reason) = depth::too_deep(text) {
            return Err(reason);
        }
        let payload = self.plan.payload();
        let DecodeScratch {
            spans,
            outer,
            aside,
            block,
        } = scratch;
        spans.clear();
        spans.resize(payload.end(), Span::MISSING);
        aside.clear();
        let aside_start = spans.len() * SPAN_BYTES;
        let mut names = Names {
            record: text,
            spans,
            aside,
            aside_start,
        };
        let parts = match self.plan.form() {
            Form::Causet => causet(&mut names, payload)?,
            Form::Places(places) => places.read(&mut names, outer, payload)?,
            Form::Debezium(debezium) => debezium.read(&mut names, outer, &self.plan)?,
        };
        let event_type = names
            .text(Metadata::EventType)
            .and_then(|event_type| self.plan.type_index(event_type));
        Ok(DeclaredEvent {
            cells: pack(block, spans, aside),
            event_type,
            sequence: parts.sequence,
            ts: parts.ts,
            is_binary: parts.is_binary,
            record,
        })
    }

    fn encode(&self, event: &DeclaredEvent, out: &mut Vec<u8>) {
        out.extend_from_slice(event.record());
    }

    fn created_at(&self, event: &DeclaredEvent) -> Option<Timestamp> {
        event.ts().map(Timestamp::from_unix_millis)
    }
}

fn causet(names: &mut Names<'_>, payload: &Trie) -> Result<Parts, String> {
    envelope::read(names.record, payload, names.spans)?;
    names.required(Metadata::EventType)?;
    names.required(Metadata::EntityId)?;
    names.optional(Metadata::ForkId)?;
    names.optional(Metadata::TenantSchema)?;
    names.optional(Metadata::IrVersion)?;
    Ok(Parts {
        sequence: names.integer(Metadata::SequenceNumber)?,
        ts: names.integer(Metadata::Ts)?,
        is_binary: false,
    })
}

fn pack(block: &mut BytesMut, spans: &[Span], aside: &str) -> Bytes {
    let bytes = spans.len() * SPAN_BYTES + aside.len();
    if block.capacity() < bytes {
        block.reserve(bytes.max(BLOCK_BYTES));
    }
    for span in spans {
        block.put_slice(&span.to_bytes());
    }
    block.put_slice(aside.as_bytes());
    block.split().freeze()
}
