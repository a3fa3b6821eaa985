//! Attempts that fail one after the other, told once.

use projectionist_core::ProjectionId;

use crate::handles::projection_counter;
use crate::{metric_names, open_streaks};

/// The attempts of one projection that failed without a success between them.
///
/// A handler that fails a thousand times writes two lines: one when the streak opens and one when
/// it ends. The attempts between are logged at debug and counted. Dropping it closes the streak.
#[derive(Debug)]
pub struct FailureStreak {
    lane: ProjectionId,
    attempts: u64,
}

impl FailureStreak {
    /// No streak.
    #[must_use]
    pub fn new(lane: ProjectionId) -> Self {
        Self { lane, attempts: 0 }
    }

    /// Whether the last attempt failed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.attempts > 0
    }

    /// An attempt at `offset` failed.
    pub fn failed(&mut self, offset: &str, attempt: u32, error: &dyn std::fmt::Display) {
        self.count();
        self.attempts += 1;
        if self.attempts == 1 {
            open_streaks::opened(&self.lane);
            tracing::error!(projection = %self.lane, offset, attempt, %error, "handling failed");
        } else {
            tracing::debug!(projection = %self.lane, offset, attempt, %error, "handling failed");
        }
    }

    /// An attempt at the group that ends at `offset` failed, and the envelope at fault is looked
    /// for. That is no streak: the envelope will be passed over, which is told by itself.
    pub fn isolating(&self, offset: &str, attempt: u32, error: &dyn std::fmt::Display) {
        self.count();
        tracing::debug!(projection = %self.lane, offset, attempt, %error, "isolating");
    }

    /// The last attempt at `offset` failed before it is parked, or a parked one failed again. That
    /// is no streak: all other keys go on, and that it is parked is told by itself.
    pub fn parking(&self, offset: &str, attempt: u32, error: &dyn std::fmt::Display) {
        self.count();
        tracing::debug!(projection = %self.lane, offset, attempt, %error, "handling failed");
    }

    fn count(&self) {
        projection_counter(metric_names::FAILURES, &self.lane).increment(1);
    }

    /// An attempt succeeded, or what failed was passed over.
    pub fn ended(&mut self) {
        let attempts = self.attempts;
        if attempts > 0 {
            self.closed();
            tracing::warn!(projection = %self.lane, attempts, "handling goes on after failures");
        }
    }

    /// The projection has ended, in a streak or not: nothing is stalled any more.
    pub fn closed(&mut self) {
        if std::mem::take(&mut self.attempts) > 0 {
            open_streaks::closed(&self.lane);
        }
    }
}

impl Drop for FailureStreak {
    fn drop(&mut self) {
        self.closed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_streak_is_open_from_the_first_failure_to_the_next_success() {
        let mut streak = FailureStreak::new(ProjectionId::new("orders", "all").unwrap());
        assert!(!streak.is_open());
        streak.failed("1", 1, &"no");
        streak.failed("1", 2, &"no");
        assert!(streak.is_open());
        streak.ended();
        assert!(!streak.is_open());
    }
}
