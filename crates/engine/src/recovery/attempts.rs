//! The attempts at one invocation.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Context;
use std::time::Duration;

use projectionist_core::BoxError;

use super::{Recovery, Refusal};
use crate::signals::{Interruption, Signals};

/// Counts the attempts at one envelope or group and decides what follows a failed one.
#[derive(Debug)]
pub(crate) struct Attempts {
    recovery: Recovery,
    number: u32,
    /// Failures that recovery was asked about.
    failed: u32,
    /// Outages since the last other failure.
    outages: u32,
    /// Failures of the one envelope that stands alone now.
    alone: u32,
}

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Another attempt, after this wait.
    Retry(Duration),
    /// It is passed over.
    Skip,
    /// No other attempt: the run fails.
    Fail,
}

impl Attempts {
    pub(crate) fn new(recovery: Recovery) -> Self {
        Self::after(recovery, 0)
    }

    /// The attempts that follow `made` earlier ones, which recovery does not count.
    pub(crate) fn after(recovery: Recovery, made: u32) -> Self {
        Self {
            recovery,
            number: made.saturating_add(1),
            failed: 0,
            outages: 0,
            alone: 0,
        }
    }

    /// The number of the attempt that is made now, 1 for the first.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Counts a further attempt that recovery was not asked about.
    pub(crate) fn count_one(&mut self) {
        self.number = self.number.saturating_add(1);
    }

    /// Takes an outage, which is waited out however often it comes: the wait before the attempt that
    /// is made now.
    pub(crate) fn wait_out(&mut self) -> Duration {
        self.outages = self.outages.saturating_add(1);
        self.count_one();
        self.recovery.outage_delay(self.outages)
    }

    /// Takes the failure of an envelope that stands alone and is allowed so many retries, whatever
    /// recovery says: the wait before the attempt that is made now, `None` when there is no other.
    pub(crate) fn retry_alone(&mut self, retries: u32) -> Option<Duration> {
        self.alone = self.alone.saturating_add(1);
        (self.alone <= retries).then(|| {
            self.count_one();
            self.recovery.outage_delay(self.alone)
        })
    }

    /// A part of the group is settled: another envelope may stand alone next.
    pub(crate) fn part_settled(&mut self) {
        self.alone = 0;
    }

    /// Takes the failure of the attempt. A retry is counted as the attempt that is made now.
    pub(crate) fn decide(&mut self, error: &BoxError) -> Decision {
        self.outages = 0;
        let asked = match error.downcast_ref::<Refusal>() {
            Some(Refusal::Drop { .. }) => return Decision::Skip,
            Some(Refusal::RetryAfter { delay, .. }) => Some(*delay),
            Some(Refusal::Retry { .. }) | None => {
                self.failed = self.failed.saturating_add(1);
                self.recovery.next_delay(self.failed)
            }
        };
        match asked {
            Some(delay) => {
                self.count_one();
                Decision::Retry(delay)
            }
            None if self.recovery.skips() => Decision::Skip,
            None => Decision::Fail,
        }
    }
}

/// Waits, unless it is interrupted.
pub(crate) async fn wait(delay: Duration, signals: &Signals) -> Option<Interruption> {
    wait_tending(delay, signals, |_| ()).await
}

/// As [`wait`]; `background` is polled whenever the wait is woken.
pub(crate) async fn wait_tending(
    delay: Duration,
    signals: &Signals,
    mut background: impl FnMut(&mut Context<'_>),
) -> Option<Interruption> {
    let waited = async {
        tokio::select! {
            // A stop wins over a wait that is over, so that no attempt follows it.
            biased;
            interruption = signals.raised() => Some(interruption),
            () = tokio::time::sleep(delay) => None,
        }
    };
    let mut waited = pin!(waited);
    poll_fn(|cx| {
        background(cx);
        waited.as_mut().poll(cx)
    })
    .await
}
