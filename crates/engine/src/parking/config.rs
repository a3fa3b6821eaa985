//! When envelopes are parked, how many, and when they are tried again.

use std::time::Duration;

use crate::{Recovery, RetryDelay};

/// When envelopes are parked, how many, and when they are tried again.
///
/// An envelope is parked after `retries` further attempts in place, during which the lane waits.
/// A key that is parked is tried again by its first envelope, one attempt at a time, with a wait
/// that doubles from `min_backoff` to `max_backoff`. The wait is counted from the stored attempts
/// and the stored time of the last one, so a restart does not begin it anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParkConfig {
    /// How many attempts follow the first one before the envelope is parked. Default 5.
    pub retries: u32,
    /// The wait before each of them. Default 1 s, always the same.
    pub delay: RetryDelay,
    /// The wait before a parked key is tried for the first time; twice as long after each failed
    /// attempt. Default 3 s; less than 1 ms is 1 ms.
    pub min_backoff: Duration,
    /// The longest wait between two attempts at a parked key. Default 5 min.
    pub max_backoff: Duration,
    /// How many keys of a lane may be parked. At the bound the lane waits, and says so
    /// ([`Blocked`](crate::ProjectionStatus::Blocked)); with 0 nothing is parked and it always
    /// does. Default 1,000.
    pub max_keys: usize,
    /// How many envelopes of a lane may be parked, over all keys. At the bound the lane waits, and
    /// says so. Default 10,000.
    pub max_envelopes: usize,
}

impl Default for ParkConfig {
    fn default() -> Self {
        Self {
            retries: 5,
            delay: RetryDelay::Fixed(Duration::from_secs(1)),
            min_backoff: Duration::from_secs(3),
            max_backoff: Duration::from_secs(300),
            max_keys: 1_000,
            max_envelopes: 10_000,
        }
    }
}

/// A wait that is never shorter, so that a key that fails at once leaves room for the others.
const SHORTEST: Duration = Duration::from_millis(1);

impl ParkConfig {
    /// What is done before an envelope is parked.
    pub(crate) fn recovery(&self) -> Recovery {
        Recovery::RetryAndFail {
            retries: self.retries,
            delay: self.delay,
        }
    }

    /// The wait that follows the attempt with this number, the last one before an envelope was
    /// parked or a later one.
    pub(crate) fn backoff(&self, attempts: u32) -> Duration {
        let doubling = RetryDelay::Doubling {
            first: self.min_backoff.max(SHORTEST),
            cap: self.max_backoff.max(SHORTEST),
        };
        doubling.after(attempts.saturating_sub(self.retries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backoff_doubles_from_the_attempt_that_parked() {
        let config = ParkConfig {
            retries: 2,
            min_backoff: Duration::from_secs(1),
            max_backoff: Duration::from_secs(5),
            ..ParkConfig::default()
        };
        let seconds = [1, 3, 4, 5, 6, 90, u32::MAX].map(|made| config.backoff(made).as_secs());
        assert_eq!(seconds, [1, 1, 2, 4, 5, 5, 5]);
    }

    #[test]
    fn there_is_always_a_wait() {
        let config = ParkConfig {
            min_backoff: Duration::ZERO,
            max_backoff: Duration::ZERO,
            ..ParkConfig::default()
        };
        assert_eq!(config.backoff(9), SHORTEST);
    }
}
