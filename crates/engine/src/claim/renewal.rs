//! Keeps a claim while a run uses it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use projectionist_core::contract::OffsetStore;
use projectionist_core::{Claim, Error};
use projectionist_telemetry::ClaimLost;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::signals::Signals;

/// Renews a claim every third of its time, off the path of the events. Dropping it ends that.
#[derive(Debug)]
pub(crate) struct Renewal {
    task: JoinHandle<()>,
}

impl Renewal {
    /// Begins to renew `claim`, which was asked for at `asked_at`.
    pub(crate) fn spawn<S: OffsetStore>(
        store: S,
        claim: Claim,
        asked_at: Instant,
        ttl: Duration,
        signals: Arc<Signals>,
    ) -> Self {
        let renewing = async move {
            // A store that panics renews nothing: the claim is lost as by any other failure.
            let renewing = renew_until_lost(&store, &claim, asked_at, ttl);
            let _panicked = AssertUnwindSafe(renewing).catch_unwind().await;
            ClaimLost {
                lane: &claim.lane,
                epoch: claim.epoch,
            }
            .emit();
            signals.lose_claim(claim.epoch);
        };
        Self {
            task: tokio::spawn(renewing),
        }
    }

    /// Ends it, and waits until it has let go of the store.
    pub(crate) async fn end(mut self) {
        self.task.abort();
        let _aborted = (&mut self.task).await;
    }
}

impl Drop for Renewal {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns when the claim is superseded, or its time was over before the store could be asked.
async fn renew_until_lost<S: OffsetStore>(
    store: &S,
    claim: &Claim,
    asked_at: Instant,
    ttl: Duration,
) {
    // Counted from before each call: the store's time for the claim began later than this.
    let mut held_until = asked_at + ttl;
    loop {
        tokio::time::sleep(ttl / 3).await;
        let asked_at = Instant::now();
        match timeout_at(held_until, store.renew(claim, ttl)).await {
            Ok(Ok(())) => held_until = asked_at + ttl,
            Ok(Err(Error::Fenced { .. })) | Err(_) => return,
            // The store may be back before the claim's time is over.
            Ok(Err(_)) if Instant::now() < held_until => {}
            Ok(Err(_)) => return,
        }
    }
}
