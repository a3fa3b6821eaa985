//! Attempts that fail one after the other, told once.

use projectionist_core::ProjectionId;

use crate::metric_names;

/// The attempts of one projection that failed without a success between them.
///
/// A handler that fails a thousand times writes two lines: one when the streak opens and one when
/// it ends. The attempts between are logged at debug and counted.
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
            self.set_stalled(1.0);
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

    #[expect(
        clippy::disallowed_macros,
        reason = "metrics are moved here and nowhere else"
    )]
    fn count(&self) {
        let name = self.lane.name().to_owned();
        metrics::counter!(metric_names::FAILURES, metric_names::PROJECTION => name).increment(1);
    }

    /// An attempt succeeded, or what failed was passed over.
    pub fn ended(&mut self) {
        if self.attempts > 0 {
            let attempts = std::mem::take(&mut self.attempts);
            self.set_stalled(0.0);
            tracing::warn!(projection = %self.lane, attempts, "handling goes on after failures");
        }
    }

    /// The projection has ended, in a streak or not: nothing is stalled any more.
    pub fn closed(&mut self) {
        if std::mem::take(&mut self.attempts) > 0 {
            self.set_stalled(0.0);
        }
    }

    #[expect(
        clippy::disallowed_macros,
        reason = "metrics are moved here and nowhere else"
    )]
    fn set_stalled(&self, value: f64) {
        let name = self.lane.name().to_owned();
        metrics::gauge!(metric_names::STALLED, metric_names::PROJECTION => name).set(value);
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
