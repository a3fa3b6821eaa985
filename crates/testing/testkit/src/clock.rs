//! A wall clock that keeps step with the time of the test.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use projectionist_core::{Clock, Timestamp};
use tokio::time::Instant;

/// 2001-09-09T01:46:40Z in Unix milliseconds, where a [`TestClock`] starts.
const START: i64 = 1_000_000_000_000;

/// A wall clock that keeps step with tokio's time, paused or not, and [jumps](Self::jump) where a
/// test says so. Clones show the same time.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use projectionist_core::Clock;
/// use projectionist_testkit::{TestClock, pass};
///
/// let clock = TestClock::new();
/// let began = clock.now();
/// pass(Duration::from_secs(3)).await;
/// clock.jump(Duration::from_secs(60));
/// assert_eq!(clock.now(), began.plus(Duration::from_secs(63)));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TestClock {
    began: Instant,
    jumped_millis: Arc<AtomicI64>,
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl TestClock {
    /// A clock that shows 2001-09-09T01:46:40Z now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            began: Instant::now(),
            jumped_millis: Arc::default(),
        }
    }

    /// Moves the clock forward while no time passes: what a process sees that was frozen.
    pub fn jump(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.jumped_millis.fetch_add(by, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        let passed = Timestamp::from_unix_millis(START).plus(self.began.elapsed());
        let jumped = self.jumped_millis.load(Ordering::SeqCst);
        Timestamp::from_unix_millis(passed.unix_millis.saturating_add(jumped))
    }
}
