//! Whether a source waits for its file.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the stream that was opened last waits for its file. Clones share the answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    pub(super) fn set(&self, waits: bool) {
        self.0.store(waits, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
