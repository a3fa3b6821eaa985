//! A clock that moves only when a test moves it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use projectionist_core::{Clock, Timestamp};

/// A clock that moves only when it is told to. Clones show the same time.
#[derive(Clone, Debug)]
pub struct SteeredClock {
    unix_millis: Arc<AtomicI64>,
}

impl SteeredClock {
    /// A clock that shows `start`.
    #[must_use]
    pub fn starting_at(start: Timestamp) -> Self {
        Self {
            unix_millis: Arc::new(AtomicI64::new(start.unix_millis)),
        }
    }

    /// Moves the time forward.
    pub fn advance(&self, by: Duration) {
        let now = self.now().plus(by);
        self.unix_millis.store(now.unix_millis, Ordering::SeqCst);
    }
}

impl Default for SteeredClock {
    /// Starts at 2001-09-09T01:46:40Z.
    fn default() -> Self {
        Self::starting_at(Timestamp::from_unix_millis(1_000_000_000_000))
    }
}

impl Clock for SteeredClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.unix_millis.load(Ordering::SeqCst))
    }
}
