//! What interrupts a run: a stop, or a lost claim.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Why a run is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// Someone asked the projection to stop.
    Stop,
    /// The claim is lost: nothing more can be committed under it.
    ClaimLost,
}

/// The signals of one projection. Looking at them is two loads, so that a run can look between
/// any two envelopes.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    stop: AtomicBool,
    claim_lost: AtomicBool,
    changed: Notify,
}

impl Signals {
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    pub(crate) fn lose_claim(&self) {
        self.claim_lost.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    /// A new claim was granted.
    pub(crate) fn claim_granted(&self) {
        self.claim_lost.store(false, Ordering::Release);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    pub(crate) fn current(&self) -> Option<Interruption> {
        if self.is_stopping() {
            Some(Interruption::Stop)
        } else if self.claim_lost.load(Ordering::Acquire) {
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
}
