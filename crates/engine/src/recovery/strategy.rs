//! The strategies of recovery.

use std::time::Duration;

use crate::RestartBackoff;

/// What is done when an attempt at an envelope, or at a whole group, fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recovery {
    /// The run fails at once.
    #[default]
    Fail,
    /// The envelope or group is passed over: counted, logged, and kept as a dead letter where the
    /// projection keeps them.
    Skip,
    /// The same invocation is tried again, in order; when all retries failed, the run fails.
    RetryAndFail {
        /// How many attempts follow the first one. 0 is [`Recovery::Fail`].
        retries: u32,
        /// The wait before each of them.
        delay: RetryDelay,
    },
    /// The same invocation is tried again, in order; when all retries failed, it is passed over.
    RetryAndSkip {
        /// How many attempts follow the first one. 0 is [`Recovery::Skip`].
        retries: u32,
        /// The wait before each of them.
        delay: RetryDelay,
    },
}

impl Recovery {
    /// Five retries, one second apart, then the run fails.
    #[must_use]
    pub fn retry_and_fail() -> Self {
        let (retries, delay) = FIVE_A_SECOND_APART;
        Self::RetryAndFail { retries, delay }
    }

    /// Five retries, one second apart, then the envelope or group is passed over.
    #[must_use]
    pub fn retry_and_skip() -> Self {
        let (retries, delay) = FIVE_A_SECOND_APART;
        Self::RetryAndSkip { retries, delay }
    }

    /// The wait before the attempt that follows `failed` failed ones; `None` when there is none.
    #[must_use]
    pub fn next_delay(&self, failed: u32) -> Option<Duration> {
        match *self {
            Self::RetryAndFail { retries, delay } | Self::RetryAndSkip { retries, delay }
                if failed <= retries =>
            {
                Some(delay.after(failed))
            }
            _ => None,
        }
    }

    /// The wait after `failed` outages in a row, which are not counted among the retries: as between
    /// retries, and without any from 500 ms doubling to 30 s.
    pub(crate) fn outage_delay(&self, failed: u32) -> Duration {
        match self {
            Self::RetryAndFail { delay, .. } | Self::RetryAndSkip { delay, .. } => {
                delay.after(failed)
            }
            Self::Fail | Self::Skip => RetryDelay::Jittered {
                first: Duration::from_millis(500),
                cap: Duration::from_secs(30),
            }
            .after(failed),
        }
    }

    /// Whether what cannot be handled is passed over in the end.
    #[must_use]
    pub fn skips(&self) -> bool {
        matches!(self, Self::Skip | Self::RetryAndSkip { .. })
    }
}

const FIVE_A_SECOND_APART: (u32, RetryDelay) = (5, RetryDelay::Fixed(Duration::from_secs(1)));

/// What is done in at-most-once when handling fails. The envelope is not tried again: its position
/// is saved by then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossRecovery {
    /// The envelope is passed over and the run fails.
    #[default]
    Fail,
    /// The envelope is passed over and the run goes on.
    Skip,
}

/// What follows when a run failed because recovery was exhausted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenExhausted {
    /// It is restarted with backoff: the projection goes on when the cause is mended.
    #[default]
    Restart,
    /// The projection is [`Failed`](crate::ProjectionStatus::Failed) and keeps its offset: spawned
    /// again it begins at the envelope that failed.
    Stop,
}

/// What becomes of failures: recovery, what follows when it is exhausted, and restarts.
///
/// The two presets are the habits of two families of projection engines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FailurePolicy {
    /// What is done when an attempt fails.
    pub recovery: Recovery,
    /// What follows when that is exhausted.
    pub when_exhausted: WhenExhausted,
    /// When a failed run is started again.
    pub restart: RestartBackoff,
}

impl FailurePolicy {
    /// No retries of an envelope; the run is restarted with backoff for as long as it takes. The
    /// default.
    #[must_use]
    pub fn restarting() -> Self {
        Self::default()
    }

    /// Three retries of an envelope, after 1, 2 and 4 seconds (doubling, at most 30 s); then the
    /// projection stops and keeps its offset.
    #[must_use]
    pub fn stopping() -> Self {
        Self {
            recovery: Recovery::RetryAndFail {
                retries: 3,
                delay: RetryDelay::Doubling {
                    first: Duration::from_secs(1),
                    cap: Duration::from_secs(30),
                },
            },
            when_exhausted: WhenExhausted::Stop,
            restart: RestartBackoff::default(),
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
    /// As [`RetryDelay::Doubling`], and by chance up to a fifth longer, so that what failed together
    /// is not tried again together.
    Jittered {
        /// Before the second attempt.
        first: Duration,
        /// The longest wait, before it is stretched.
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
            Self::Jittered { first, cap } => RestartBackoff {
                min_backoff: first,
                max_backoff: cap,
                ..RestartBackoff::default()
            }
            .jittered_delay(failed.saturating_sub(1)),
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
    fn no_retries_keep_the_meaning() {
        let (retries, delay) = (0, RetryDelay::Fixed(SECOND));
        let fails = [Recovery::Fail, Recovery::RetryAndFail { retries, delay }];
        let skips = [Recovery::Skip, Recovery::RetryAndSkip { retries, delay }];
        for recovery in fails.iter().chain(&skips) {
            assert_eq!(recovery.next_delay(1), None);
        }
        assert!(!fails.iter().any(Recovery::skips) && skips.iter().all(Recovery::skips));
    }

    #[test]
    fn the_stopping_preset_makes_four_attempts() {
        let recovery = FailurePolicy::stopping().recovery;
        let waits: Vec<_> = (1..=4).map(|failed| recovery.next_delay(failed)).collect();
        let seconds = |n| Some(Duration::from_secs(n));
        assert_eq!(waits, [seconds(1), seconds(2), seconds(4), None]);
    }

    #[test]
    fn a_jittered_delay_is_up_to_a_fifth_longer_than_a_doubling_one() {
        let (first, cap) = (SECOND, 5 * SECOND);
        for failed in [1, 2, 3, 4, 40] {
            let plain = RetryDelay::Doubling { first, cap }.after(failed);
            let jittered = RetryDelay::Jittered { first, cap }.after(failed);
            assert!(
                plain <= jittered && jittered <= plain * 6 / 5,
                "{jittered:?}"
            );
        }
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
