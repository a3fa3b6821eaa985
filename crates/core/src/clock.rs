//! Wall-clock time behind a trait, so that a test can steer it.

use std::fmt::Debug;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment in UTC, in whole milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Milliseconds since the Unix epoch; negative before it.
    pub unix_millis: i64,
}

impl Timestamp {
    /// A moment by its Unix milliseconds.
    #[must_use]
    pub fn from_unix_millis(unix_millis: i64) -> Self {
        Self { unix_millis }
    }

    /// The time that passed since `earlier`; zero when `earlier` is not earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        let millis = self.unix_millis.saturating_sub(earlier.unix_millis);
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }

    /// The moment `after` this one, at most the last that can be named.
    #[must_use]
    pub fn plus(self, after: Duration) -> Self {
        let millis = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
        Self {
            unix_millis: self.unix_millis.saturating_add(millis),
        }
    }
}

/// Tells the wall-clock time. Monotonic time is the runtime's, which tests pause.
pub trait Clock: Debug + Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the system's clock is read"
    )]
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let seconds = i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX);
        let millis = seconds.saturating_mul(1_000);
        Timestamp::from_unix_millis(millis.saturating_add(i64::from(since_epoch.subsec_millis())))
    }
}
