//! Saves progress in the background: one save in flight, the rest coalesces.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use projectionist_core::contract::{Observer, OffsetStore};
use projectionist_core::{Claim, Commit, Error, Position, Result};
use tokio::time::Instant;
use tokio_util::sync::ReusableBoxFuture;

use super::observe;
use crate::progress::LaneProgress;

/// When at-least-once saves progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveConfig {
    /// A save is requested after so many envelopes. Default 100.
    pub after_envelopes: u64,
    /// A save is requested so long after the last one, when something was handled. Default 500 ms.
    pub after: Duration,
    /// Handling waits for the store when so many envelopes are handled and not saved: the bound on
    /// what a crash repeats. Default 1,000.
    pub max_unsaved: u64,
}

impl Default for SaveConfig {
    fn default() -> Self {
        Self {
            after_envelopes: 100,
            after: Duration::from_millis(500),
            max_unsaved: 1_000,
        }
    }
}

/// Saves progress beside the handler.
///
/// A save takes what is settled when it begins. What is settled while it is in flight goes into
/// the next one. The commit's buffers and the future's box are used again: a save allocates
/// nothing of the engine's.
pub(crate) struct Saver<'a, S> {
    store: &'a S,
    claim: &'a Arc<Claim>,
    config: SaveConfig,
    observer: &'a dyn Observer,
    flight: ReusableBoxFuture<'static, (Result<()>, Commit)>,
    in_flight: bool,
    /// Records that the save in flight covers.
    flying_records: u64,
    spare: Commit,
    saved_at: Instant,
    /// A save failed while nobody could be told.
    failed: Option<Error>,
}

impl<'a, S: OffsetStore> Saver<'a, S> {
    pub(crate) fn new(
        store: &'a S,
        claim: &'a Arc<Claim>,
        config: SaveConfig,
        observer: &'a dyn Observer,
    ) -> Self {
        Self {
            store,
            claim,
            config,
            observer,
            flight: ReusableBoxFuture::new(std::future::pending()),
            in_flight: false,
            flying_records: 0,
            spare: Commit::default(),
            saved_at: Instant::now(),
            failed: None,
        }
    }

    /// Whether enough was settled for a save.
    pub(crate) fn is_due_by_count<P: Position>(&self, progress: &LaneProgress<P>) -> bool {
        !self.in_flight && progress.unsaved_records() >= self.config.after_envelopes
    }

    /// When a save is due by time; `None` while there is nothing to save or one is in flight.
    pub(crate) fn due_at<P: Position>(&self, progress: &LaneProgress<P>) -> Option<Instant> {
        let idle = self.in_flight || progress.unsaved_records() == 0;
        (!idle).then(|| self.saved_at + self.config.after)
    }

    /// Whether handling must wait for the store.
    pub(crate) fn is_full<P: Position>(&self, progress: &LaneProgress<P>) -> bool {
        progress.unsaved_records() + self.flying_records >= self.config.max_unsaved
    }

    /// Begins to save what is settled, unless a save is in flight or nothing is new.
    pub(crate) fn begin<P: Position>(&mut self, progress: &mut LaneProgress<P>) {
        if self.in_flight || progress.unsaved_records() == 0 {
            return;
        }
        self.flying_records = progress.unsaved_records();
        let mut commit = std::mem::take(&mut self.spare);
        progress.fill(&mut commit);
        let (store, claim) = (self.store.clone(), Arc::clone(self.claim));
        self.flight.set(async move {
            let saved = store.commit(&claim, &commit).await;
            (saved, commit)
        });
        self.in_flight = true;
    }

    pub(crate) fn is_in_flight(&self) -> bool {
        self.in_flight
    }

    /// Moves the save in flight on, while a handler is waited for. An error is kept for the next
    /// [`Saver::poll`].
    pub(crate) fn poll_quietly<P: Position>(
        &mut self,
        cx: &mut Context<'_>,
        progress: &mut LaneProgress<P>,
    ) {
        if self.failed.is_none()
            && let Poll::Ready(Err(error)) = self.poll(cx, progress)
        {
            self.failed = Some(error);
        }
    }

    /// Moves the save in flight on; ready when none is.
    pub(crate) fn poll<P: Position>(
        &mut self,
        cx: &mut Context<'_>,
        progress: &mut LaneProgress<P>,
    ) -> Poll<Result<()>> {
        if let Some(error) = self.failed.take() {
            return Poll::Ready(Err(error));
        }
        if !self.in_flight {
            return Poll::Ready(Ok(()));
        }
        let Poll::Ready((saved, commit)) = self.flight.poll(cx) else {
            return Poll::Pending;
        };
        self.in_flight = false;
        self.flying_records = 0;
        self.saved_at = Instant::now();
        let saved = saved.map(|()| {
            progress.committed(&commit);
            if let Some(offset) = &commit.offset {
                observe(|| self.observer.progress(&self.claim.lane, offset));
            }
        });
        self.spare = commit;
        Poll::Ready(saved)
    }

    /// Saves everything that is settled.
    pub(crate) async fn flush<P: Position>(
        &mut self,
        progress: &mut LaneProgress<P>,
    ) -> Result<()> {
        std::future::poll_fn(|cx| self.poll(cx, progress)).await?;
        self.begin(progress);
        std::future::poll_fn(|cx| self.poll(cx, progress)).await
    }
}
