//! The lanes of a source come and go.

use std::time::Duration;

use projectionist_core::ProjectionId;

/// A lane is ours to read.
#[derive(Debug)]
pub struct LaneAssigned<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
}

impl LaneAssigned<'_> {
    /// Tells it.
    pub fn emit(self) {
        tracing::info!(projection = %self.lane, "lane assigned");
    }
}

/// A lane is to be given up.
#[derive(Debug)]
pub struct LaneRevoked<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// How long the source waits for it.
    pub deadline: Duration,
}

impl LaneRevoked<'_> {
    /// Tells it.
    pub fn emit(self) {
        let Self { lane, deadline } = self;
        tracing::info!(projection = %lane, ?deadline, "lane revoked; what is settled is committed");
    }
}

/// A lane is gone, without time to give it up.
#[derive(Debug)]
pub struct LaneLost<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
}

impl LaneLost<'_> {
    /// Tells it.
    pub fn emit(self) {
        tracing::warn!(projection = %self.lane, "lane lost; what was not committed is read again");
    }
}

/// A lane will have no more records.
#[derive(Debug)]
pub struct LaneEnded<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
}

impl LaneEnded<'_> {
    /// Tells it.
    pub fn emit(self) {
        tracing::info!(projection = %self.lane, "lane ended; it is read to its end");
    }
}
