//! Counts the runs that failed in a row.

use std::collections::VecDeque;
use std::time::Duration;

use projectionist_core::Error;
use tokio::time::Instant;

use super::RestartBackoff;

/// How a run failed.
#[derive(Debug)]
pub(crate) struct Failure<P> {
    pub(crate) error: Error,
    /// The position of the envelope that could not be handled; `None` when the fault was not in an
    /// envelope.
    pub(crate) at: Option<P>,
    /// What was settled when the run failed.
    pub(crate) low: Option<P>,
    /// Recovery has nothing more to try.
    pub(crate) exhausted: bool,
    /// When the run began.
    pub(crate) began: Instant,
}

impl<P> Failure<P> {
    /// A failure that no envelope is to blame for.
    pub(crate) fn of(error: Error, began: Instant) -> Self {
        Self {
            error,
            at: None,
            low: None,
            exhausted: false,
            began,
        }
    }
}

/// Counts failures and says how long to wait.
///
/// A row of failures ends when the lane passes the position that failed. A success before that
/// position ends nothing: a poison event behind replayed good ones still backs off.
#[derive(Debug)]
pub(crate) struct RestartLadder<P> {
    backoff: RestartBackoff,
    failures: u32,
    failed_at: Option<P>,
    restarts: VecDeque<Instant>,
}

impl<P: Ord + Clone> RestartLadder<P> {
    pub(crate) fn new(backoff: RestartBackoff) -> Self {
        Self {
            backoff,
            failures: 0,
            failed_at: None,
            restarts: VecDeque::new(),
        }
    }

    /// How many runs have failed in a row.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// Takes a failure; gives the wait before the next run, or `None` when there is to be none.
    pub(crate) fn next(&mut self, failure: &Failure<P>, now: Instant) -> Option<Duration> {
        let passed = match &self.failed_at {
            Some(failed_at) => failure.low.as_ref().is_some_and(|low| low >= failed_at),
            None => now.duration_since(failure.began) >= self.backoff.max_backoff,
        };
        if passed {
            self.failures = 0;
        }
        self.failed_at.clone_from(&failure.at);
        let window = self.backoff.max_restarts_within;
        while self
            .restarts
            .front()
            .is_some_and(|began| now.duration_since(*began) > window)
        {
            self.restarts.pop_front();
        }
        let made = u32::try_from(self.restarts.len()).unwrap_or(u32::MAX);
        if self
            .backoff
            .max_restarts
            .is_some_and(|allowed| made >= allowed)
        {
            return None;
        }
        let delay = self.backoff.jittered_delay(self.failures);
        self.failures = self.failures.saturating_add(1);
        Some(delay)
    }

    /// A restarted run begins.
    pub(crate) fn restarted(&mut self, now: Instant) {
        if self.backoff.max_restarts.is_some() {
            self.restarts.push_back(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(max_restarts: Option<u32>) -> RestartLadder<u64> {
        RestartLadder::new(RestartBackoff {
            random_factor: 0.0,
            max_restarts,
            max_restarts_within: Duration::from_secs(100),
            ..RestartBackoff::default()
        })
    }

    fn failure(at: Option<u64>, low: u64, began: Instant) -> Failure<u64> {
        let error = Error::Source {
            action: "test".into(),
            retryable: true,
            source: "no".into(),
        };
        Failure {
            error,
            at,
            low: Some(low),
            exhausted: false,
            began,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn success_before_the_failed_position_ends_no_row() {
        let (mut ladder, now) = (ladder(None), Instant::now());
        let waits: Vec<_> = [(Some(9), 3), (Some(9), 8), (Some(9), 8), (Some(12), 10)]
            .map(|(at, low)| ladder.next(&failure(at, low, now), now).unwrap().as_secs())
            .into();
        assert_eq!(waits, [3, 6, 12, 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_source_that_was_healthy_for_long_starts_a_new_row() {
        let (mut ladder, began) = (ladder(None), Instant::now());
        let later = |secs| began + Duration::from_secs(secs);
        ladder.next(&failure(None, 0, began), later(1));
        assert_eq!(
            ladder
                .next(&failure(None, 0, began), later(2))
                .unwrap()
                .as_secs(),
            6
        );
        assert_eq!(
            ladder
                .next(&failure(None, 0, began), later(32))
                .unwrap()
                .as_secs(),
            3
        );
    }

    #[tokio::test(start_paused = true)]
    async fn restarts_are_counted_from_the_start_of_each_run() {
        let (mut ladder, began) = (ladder(Some(2)), Instant::now());
        let later = |secs| began + Duration::from_secs(secs);
        for secs in [10, 20] {
            assert!(
                ladder
                    .next(&failure(Some(1), 0, began), later(secs - 3))
                    .is_some()
            );
            ladder.restarted(later(secs));
        }
        assert!(
            ladder
                .next(&failure(Some(1), 0, began), later(25))
                .is_none()
        );
        assert!(
            ladder
                .next(&failure(Some(1), 0, began), later(115))
                .is_some()
        );
    }
}
