//! The strategies of recovery.

use std::time::Duration;

/// What is done when an attempt at an envelope, or at a whole group, fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recovery {
    /// The run fails at once and is restarted.
    #[default]
    Fail,
    /// The same invocation is tried again, in order; when all retries failed, the run fails.
    RetryAndFail {
        /// How many attempts follow the first one. 0 is [`Recovery::Fail`].
        retries: u32,
        /// The wait before each of them.
        delay: RetryDelay,
    },
}

impl Recovery {
    /// Five retries, one second apart.
    #[must_use]
    pub fn retry_and_fail() -> Self {
        Self::RetryAndFail {
            retries: 5,
            delay: RetryDelay::Fixed(Duration::from_secs(1)),
        }
    }

    /// The wait before the attempt that follows `failed` failed ones; `None` when there is none.
    #[must_use]
    pub fn next_delay(&self, failed: u32) -> Option<Duration> {
        match *self {
            Self::RetryAndFail { retries, delay } if failed <= retries => Some(delay.after(failed)),
            _ => None,
        }
    }
}

/// The waits between the attempts of one invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryDelay {
    /// The same before every attempt.
    Fixed(Duration),
    /// `first` before the second attempt, twice as long before each following one, at most `cap`.
    Doubling {
        /// Before the second attempt.
        first: Duration,
        /// The longest wait.
        cap: Duration,
    },
}

impl RetryDelay {
    /// The wait after `failed` failed attempts, the first of which is number 1.
    #[must_use]
    pub fn after(&self, failed: u32) -> Duration {
        match *self {
            Self::Fixed(delay) => delay,
            Self::Doubling { first, cap } => {
                let factor = 1u32
                    .checked_shl(failed.saturating_sub(1))
                    .unwrap_or(u32::MAX);
                first.saturating_mul(factor).min(cap)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn retries_are_counted_beside_the_first_attempt() {
        let recovery = Recovery::RetryAndFail {
            retries: 2,
            delay: RetryDelay::Fixed(SECOND),
        };
        assert_eq!(recovery.next_delay(1), Some(SECOND));
        assert_eq!(recovery.next_delay(2), Some(SECOND));
        assert_eq!(recovery.next_delay(3), None);
    }

    #[test]
    fn no_retries_means_fail() {
        let recovery = Recovery::RetryAndFail {
            retries: 0,
            delay: RetryDelay::Fixed(SECOND),
        };
        assert_eq!(recovery.next_delay(1), None);
        assert_eq!(Recovery::Fail.next_delay(1), None);
    }

    #[test]
    fn a_doubling_delay_doubles_to_its_cap_and_never_overflows() {
        let delay = RetryDelay::Doubling {
            first: SECOND,
            cap: 5 * SECOND,
        };
        let waits: Vec<_> = [1, 2, 3, 4, 40, u32::MAX]
            .map(|n| delay.after(n).as_secs())
            .into();
        assert_eq!(waits, [1, 2, 4, 5, 5, 5]);
    }
}
