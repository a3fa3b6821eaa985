//! Keeps a claim while a run uses it.

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{Claim, Error};
use projectionist_telemetry::ClaimLost;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::signals::Signals;

/// Renews a claim every third of its time, off the path of the events. Dropping it ends that.
#[derive(Debug)]
pub(crate) struct Renewal {
    task: JoinHandle<()>,
}

impl Renewal {
    /// Begins to renew `claim`, which was granted at most a moment ago.
    pub(crate) fn spawn<S: OffsetStore>(
        store: S,
        claim: Arc<Claim>,
        ttl: Duration,
        signals: Arc<Signals>,
    ) -> Self {
        Self {
            task: tokio::spawn(renew_until_lost(store, claim, ttl, signals)),
        }
    }
}

impl Drop for Renewal {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn renew_until_lost<S: OffsetStore>(
    store: S,
    claim: Arc<Claim>,
    ttl: Duration,
    signals: Arc<Signals>,
) {
    // Counted from before each call: the store's time for the claim began later than this.
    let mut held_until = Instant::now() + ttl;
    loop {
        tokio::time::sleep(ttl / 3).await;
        let asked_at = Instant::now();
        match store.renew(&claim, ttl).await {
            Ok(()) => held_until = asked_at + ttl,
            Err(Error::Fenced { .. }) => break,
            // The store may be back before the claim's time is over.
            Err(_) if Instant::now() < held_until => {}
            Err(_) => break,
        }
    }
    ClaimLost {
        lane: &claim.lane,
        epoch: claim.epoch,
    }
    .emit();
    signals.lose_claim();
}
