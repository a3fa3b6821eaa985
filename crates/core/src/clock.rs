//! Wall-clock time behind a trait, so that a test can steer it.

use std::fmt::Debug;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[cfg(target_os = "linux")]
use nix::time::{ClockId, clock_gettime};

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

    /// The time now, or up to 10 ms ago: for what is noted so often that a look at the clock would
    /// cost more than what it notes, and that nothing is decided by. Default: [`now`](Self::now).
    fn recent(&self) -> Timestamp {
        self.now()
    }
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

    /// What the kernel noted at its last tick, for a quarter of the price.
    #[cfg(target_os = "linux")]
    fn recent(&self) -> Timestamp {
        match clock_gettime(ClockId::CLOCK_REALTIME_COARSE) {
            Ok(time) => Timestamp::from_unix_millis(
                time.tv_sec()
                    .saturating_mul(1_000)
                    .saturating_add(time.tv_nsec() / 1_000_000),
            ),
            Err(_) => self.now(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recent_time_is_at_most_one_tick_old() {
        for _ in 0..1_000 {
            let before = SystemClock.now();
            let recent = SystemClock.recent();
            assert!(before.since(recent) <= Duration::from_millis(10));
            assert!(recent <= SystemClock.now());
        }
    }
}
