//! What a source delivers: envelopes, and records that are none.

use bytes::Bytes;

/// One item of a source's stream.
#[derive(Debug, Clone)]
pub enum SourceItem<E, P> {
    /// An event with its coordinates.
    Envelope(E),
    /// A record that is no envelope. The engine keeps it as a dead letter and goes on.
    Malformed(Malformed<P>),
}

/// A record that could be read but not understood as an envelope.
///
/// It belongs to no projection: the fault is the writer's, not the handler's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed<P> {
    /// Where the record ends: a lane that resumes here has passed it.
    pub position: P,
    /// Where a person finds it, such as `line 17`.
    pub place: String,
    /// What is wrong with it, as a sentence without the place.
    pub reason: String,
    /// The record as it was read; its head when it was too long to keep.
    pub raw: Bytes,
}
