//! The attempts at one invocation.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Context;
use std::time::Duration;

use projectionist_core::contract::Observer;
use projectionist_core::{BoxError, OffsetText, ProjectionId};
use projectionist_telemetry::FailureStreak;

use super::Recovery;
use crate::signals::{Interruption, Signals};

/// Counts the attempts at one envelope or group and decides what follows a failed one.
#[derive(Debug)]
pub(crate) struct Attempts {
    recovery: Recovery,
    number: u32,
    /// Failures that recovery was asked about.
    failed: u32,
}

/// What follows a failed attempt.
#[derive(Debug)]
pub(crate) enum Next {
    /// Another attempt, now.
    Again,
    /// No other attempt: the run fails.
    Exhausted,
    /// The wait for another attempt was interrupted.
    Interrupted(Interruption),
}

impl Attempts {
    pub(crate) fn new(recovery: Recovery) -> Self {
        Self {
            recovery,
            number: 1,
            failed: 0,
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

    /// Takes the failure of the attempt and waits as recovery says.
    pub(crate) async fn failed(&mut self, signals: &Signals) -> Next {
        self.failed_tending(signals, |_| ()).await
    }

    /// As [`Attempts::failed`]; `background` is polled whenever the wait is woken.
    pub(crate) async fn failed_tending(
        &mut self,
        signals: &Signals,
        mut background: impl FnMut(&mut Context<'_>),
    ) -> Next {
        self.failed = self.failed.saturating_add(1);
        let Some(delay) = self.recovery.next_delay(self.failed) else {
            return Next::Exhausted;
        };
        self.count_one();
        let mut wait = pin!(wait(delay, signals));
        let ended = poll_fn(|cx| {
            background(cx);
            wait.as_mut().poll(cx)
        });
        match ended.await {
            None => Next::Again,
            Some(interruption) => Next::Interrupted(interruption),
        }
    }
}

/// Tells everyone about a failed attempt.
pub(crate) fn report_failure(
    lane: &ProjectionId,
    observer: &dyn Observer,
    streak: &mut FailureStreak,
    position: &dyn OffsetText,
    attempt: u32,
    error: &BoxError,
) {
    streak.failed(&position.offset().text, attempt, error);
    crate::delivery::observe(|| observer.error(lane, position, attempt, error.as_ref()));
}

/// Waits, unless it is interrupted.
pub(crate) async fn wait(delay: Duration, signals: &Signals) -> Option<Interruption> {
    tokio::select! {
        // A stop wins over a wait that is over, so that no attempt follows it.
        biased;
        interruption = signals.raised() => Some(interruption),
        () = tokio::time::sleep(delay) => None,
    }
}
