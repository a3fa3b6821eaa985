//! An observer that does as little as a useful one can: it counts.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use projectionist_core::contract::Observer;
use projectionist_core::{OffsetText, ProjectionId};

/// Counts the envelopes that go to the handler and those that come back.
#[derive(Debug, Default)]
pub struct CountingObserver {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl CountingObserver {
    /// How many went to the handler, and how many came back.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        (self.begun.load(Relaxed), self.ended.load(Relaxed))
    }
}

impl Observer for CountingObserver {
    fn before_process(&self, _: &ProjectionId, _: &dyn OffsetText, envelopes: usize) {
        self.begun.fetch_add(envelopes as u64, Relaxed);
    }

    fn after_process(&self, _: &ProjectionId, _: &dyn OffsetText, envelopes: usize) {
        self.ended.fetch_add(envelopes as u64, Relaxed);
    }
}
