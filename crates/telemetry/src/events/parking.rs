//! Envelopes that are set aside with their key, and taken up again.
//!
//! Counters and gauges move with the commit that parks: see
//! [`LaneMetrics::committed`](crate::LaneMetrics::committed).

use projectionist_core::ProjectionId;

/// An envelope was parked.
#[derive(Debug)]
pub struct EnvelopeParked<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The key whose envelopes wait from now on.
    pub key: &'a str,
    /// The position of the envelope.
    pub offset: &'a str,
    /// How often it was tried; 0 for one that only waits behind another one.
    pub attempts: u32,
}

impl EnvelopeParked<'_> {
    /// Tells it: as a warning for the envelope that could not be handled, at debug for those that
    /// wait behind it.
    pub fn emit(self) {
        let Self {
            lane,
            key,
            offset,
            attempts,
        } = self;
        if attempts > 0 {
            tracing::warn!(
                projection = %lane,
                key,
                offset,
                attempts,
                "parked; later envelopes of its key wait, all others go on"
            );
        } else {
            tracing::debug!(projection = %lane, key, offset, "parked behind its key");
        }
    }
}

/// A parked envelope was let go: it was handled, or given up.
#[derive(Debug)]
pub struct EnvelopeUnparked<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// Its key.
    pub key: &'a str,
    /// The position of the envelope.
    pub offset: &'a str,
    /// How many envelopes of the key are still parked.
    pub left: u64,
}

impl EnvelopeUnparked<'_> {
    /// Tells it: at info for the last one of its key, else at debug.
    pub fn emit(self) {
        let Self {
            lane,
            key,
            offset,
            left,
        } = self;
        if left == 0 {
            tracing::info!(projection = %lane, key, offset, "no envelope of the key is parked any more");
        } else {
            tracing::debug!(projection = %lane, key, offset, left, "unparked");
        }
    }
}
