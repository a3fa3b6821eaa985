//! What interrupts a run: a stop, or a lost claim.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use projectionist_core::Epoch;
use tokio::sync::Notify;

/// Why a run is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// Someone asked the projection to stop.
    Stop,
    /// The claim is lost: nothing more can be committed under it.
    ClaimLost,
}

/// What is held while no claim is: it cannot be lost.
const NO_CLAIM: u64 = u64::MAX;

/// The signals of one projection. Looking at them is a few loads, so that a run can look between
/// any two envelopes.
#[derive(Debug)]
pub(crate) struct Signals {
    stop: AtomicBool,
    /// The epoch of the claim that is held.
    held: AtomicU64,
    /// Claims with an epoch below this one are lost. A late word of an older claim's renewal
    /// cannot end the present claim.
    lost_below: AtomicU64,
    changed: Notify,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            stop: AtomicBool::new(false),
            held: AtomicU64::new(NO_CLAIM),
            lost_below: AtomicU64::new(0),
            changed: Notify::new(),
        }
    }
}

impl Signals {
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    /// The claim with this epoch cannot be used any more.
    pub(crate) fn lose_claim(&self, epoch: Epoch) {
        self.lost_below
            .fetch_max(epoch.0.saturating_add(1), Ordering::AcqRel);
        self.changed.notify_waiters();
    }

    /// No claim is held: none can be lost until the next one is granted.
    pub(crate) fn claim_given_up(&self) {
        self.held.store(NO_CLAIM, Ordering::Release);
    }

    /// A new claim was granted.
    pub(crate) fn claim_granted(&self, epoch: Epoch) {
        self.held.store(epoch.0, Ordering::Release);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    pub(crate) fn current(&self) -> Option<Interruption> {
        if self.is_stopping() {
            Some(Interruption::Stop)
        } else if self.held.load(Ordering::Acquire) < self.lost_below.load(Ordering::Acquire) {
            Some(Interruption::ClaimLost)
        } else {
            None
        }
    }

    /// Waits for an interruption.
    pub(crate) async fn raised(&self) -> Interruption {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Enlisted before the look, so that a signal between the look and the wait is seen.
            changed.as_mut().enable();
            if let Some(interruption) = self.current() {
                return interruption;
            }
            changed.await;
        }
    }

    /// Waits for `call`; after an interruption no longer than `grace`.
    pub(crate) async fn within<T>(
        &self,
        grace: Duration,
        call: impl Future<Output = T>,
    ) -> Result<T, Interruption> {
        tokio::select! {
            biased;
            answer = call => Ok(answer),
            interruption = self.raised_for(grace) => Err(interruption),
        }
    }

    /// Waits for an interruption and then `grace` more, for what may still end by itself.
    pub(crate) async fn raised_for(&self, grace: Duration) -> Interruption {
        let interruption = self.raised().await;
        tokio::time::sleep(grace).await;
        interruption
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_word_of_an_older_claim_does_not_end_the_present_one() {
        let signals = Signals::default();
        signals.claim_granted(Epoch(1));
        assert_eq!(signals.current(), None);
        signals.lose_claim(Epoch(1));
        assert_eq!(signals.current(), Some(Interruption::ClaimLost));
        signals.claim_given_up();
        assert_eq!(signals.current(), None);
        signals.claim_granted(Epoch(2));
        signals.lose_claim(Epoch(1));
        assert_eq!(signals.current(), None);
        signals.lose_claim(Epoch(2));
        assert_eq!(signals.current(), Some(Interruption::ClaimLost));
        signals.stop();
        assert_eq!(signals.current(), Some(Interruption::Stop));
    }
}
