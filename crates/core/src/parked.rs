//! Envelopes that wait because one of their key could not be handled.

use bytes::Bytes;

use crate::{Offset, Timestamp};

/// An envelope that is parked: the one that could not be handled, or a later one of its key.
///
/// Identity: the lane and the offset. A key's envelopes are handled in the order in which they
/// were parked, and only then does the key return to the live flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParkedEnvelope {
    /// What the envelopes that must stay in order share.
    pub key: String,
    /// The envelope's position in its lane.
    pub offset: Offset,
    /// The envelope, as the source's codec encodes it.
    pub event: Bytes,
    /// How often it was tried. 0 for one that only waits behind another one.
    pub attempts: u32,
    /// Why the last attempt failed; `None` where none was made.
    pub error: Option<String>,
    /// When it was parked.
    pub parked_at: Timestamp,
    /// When it was last tried; `None` where it never was.
    pub tried_at: Option<Timestamp>,
    /// Whether the lane had come this far before when it was read: what a handler is told of it,
    /// however far the lane has come when it is tried again.
    pub replay: bool,
}

/// A key that is parked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParkedKey {
    /// The envelope that is next.
    pub first: ParkedEnvelope,
    /// How many envelopes of the key are parked.
    pub envelopes: u64,
}
