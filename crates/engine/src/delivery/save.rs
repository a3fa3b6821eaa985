//! Saves progress in the background: one save in flight, the rest coalesces.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{Claim, Commit, Error, Position, Result};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::ReusableBoxFuture;

use super::incarnation::Incarnation;
use super::observe;
use crate::Settings;
use crate::progress::LaneProgress;
use crate::recovery::drive::panic_message;
use crate::restart::shared::Shared;
use crate::signals::{Interruption, Signals};

/// When at-least-once saves progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveConfig {
    /// A save is requested after so many envelopes, and at [`max_unsaved`](Self::max_unsaved) at
    /// the latest. Default 100.
    pub after_envelopes: u64,
    /// A save is requested so long after the last one, when something was handled. Default 500 ms.
    pub after: Duration,
    /// Handling waits for the store when so many envelopes are handled and not saved: the bound on
    /// what a crash repeats. Default 1,000; 0 is 1.
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

/// How many records may be settled before the clock is looked at. Looking costs as much as settling
/// one; a handler that blocks its thread is late by so many.
const LOOK_AT_CLOCK_EVERY: u64 = 16;

/// Saves progress beside the handler.
///
/// A save takes what is settled when it begins. What is settled while it is in flight goes into
/// the next one. The commit's buffers and the future's box are used again: a save allocates
/// nothing of the engine's.
///
/// Whoever waits for something else calls [`Saver::tend`] meanwhile. A save that nobody polls would
/// hold what it holds of the store, a lock or its place in a queue, for as long as that takes.
pub(crate) struct Saver<'a, S> {
    store: &'a S,
    claim: &'a Arc<Claim>,
    config: SaveConfig,
    settings: &'a Settings,
    shared: &'a Shared,
    flight: ReusableBoxFuture<'static, (Result<()>, Commit)>,
    in_flight: bool,
    /// What is settled is to be saved without waiting for the count or the time.
    urged: bool,
    /// Records that the save in flight covers.
    flying_records: u64,
    spare: Commit,
    saved_at: Instant,
    timer: Pin<Box<Sleep>>,
    /// Why a save failed, until it is told.
    failed: Option<Error>,
    /// A save that failed and may have been taken, with its records: made again it would be refused
    /// if it had moved the offset, but it did not move it.
    unsure: Option<(Commit, u64)>,
}

impl<'a, S: OffsetStore> Saver<'a, S> {
    pub(crate) fn new<P: SourceProvider>(run: &Incarnation<'a, P, S>, config: SaveConfig) -> Self {
        let Incarnation {
            store,
            claim,
            settings,
            shared,
            ..
        } = *run;
        let now = Instant::now();
        Self {
            store,
            claim,
            config,
            settings,
            shared,
            flight: ReusableBoxFuture::new(std::future::pending()),
            in_flight: false,
            urged: false,
            flying_records: 0,
            spare: Commit::default(),
            saved_at: now,
            timer: Box::pin(sleep_until(now)),
            failed: None,
            unsure: None,
        }
    }

    /// Whether [`Saver::look`] is to be called, now that a record was settled.
    pub(crate) fn wants_a_look<P: Position>(&self, progress: &LaneProgress<P>) -> bool {
        let unsaved = progress.unsaved_records();
        unsaved.is_multiple_of(LOOK_AT_CLOCK_EVERY)
            || self.is_due_by_count(progress)
            || self.is_full(progress)
    }

    /// Saves when that is due, and waits when too much is unsaved. Gives the interruption that
    /// ended the wait.
    pub(crate) async fn look<P: Position>(
        &mut self,
        progress: &mut LaneProgress<P>,
        signals: &Signals,
    ) -> Result<Option<Interruption>> {
        poll_fn(|cx| {
            self.tend(cx, progress);
            Poll::Ready(())
        })
        .await;
        self.take_failure()?;
        if !self.is_full(progress) {
            return Ok(None);
        }
        let room = poll_fn(|cx| {
            self.tend(cx, progress);
            if self.failed.is_some() || !self.is_full(progress) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        let interruption = tokio::select! {
            biased;
            interruption = signals.raised() => Some(interruption),
            () = room => None,
        };
        self.take_failure()?;
        Ok(interruption)
    }

    /// Moves the save in flight on and begins the one that is due, and is woken for the next. An
    /// error is kept for [`Saver::take_failure`].
    pub(crate) fn tend<P: Position>(
        &mut self,
        cx: &mut Context<'_>,
        progress: &mut LaneProgress<P>,
    ) {
        let is_abandoned = self.shared.signals.is_abandoned();
        while self.failed.is_none() && self.unsure.is_none() && !is_abandoned {
            if self.in_flight {
                if self.poll_flight(cx, progress).is_pending() {
                    return;
                }
            } else if self.urged
                || self.is_due_by_count(progress)
                || self.is_due_by_time(cx, progress)
            {
                self.begin(progress);
            } else {
                return;
            }
        }
    }

    /// Saves what is settled by now as soon as the store is free.
    pub(crate) fn urge<P: Position>(&mut self, progress: &LaneProgress<P>) {
        self.urged |= progress.has_unsaved();
    }

    /// Whether nothing is on its way to the store and nothing is urged.
    pub(crate) fn is_at_rest(&self) -> bool {
        !self.in_flight && !self.urged
    }

    /// Whether another record may be taken, when so many are `taken` and not settled: all of them
    /// may be handled and lost by a crash.
    pub(crate) fn has_room<P: Position>(&self, progress: &LaneProgress<P>, taken: u64) -> bool {
        let unsaved = progress.unsaved_records() + self.flying_records;
        unsaved + taken < self.max_unsaved()
    }

    /// How many envelopes may be handled and not saved.
    pub(crate) fn max_unsaved(&self) -> u64 {
        self.config.max_unsaved.max(1)
    }

    /// Tells why a save failed, once.
    pub(crate) fn take_failure(&mut self) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Saves everything that is settled: waits for the store, after an interruption no longer than
    /// `stop_timeout`, and under a lost claim only for what it says at once. Nothing is saved of a
    /// lane that is gone.
    pub(crate) async fn flush<P: Position>(
        &mut self,
        progress: &mut LaneProgress<P>,
        signals: &Signals,
        stop_timeout: Duration,
    ) -> Result<()> {
        if signals.is_abandoned() {
            return Ok(());
        }
        let given_up = async {
            if signals.raised().await != Interruption::ClaimLost {
                signals.raised_for(stop_timeout).await;
            }
        };
        let reason = format!("the store did not answer within {stop_timeout:?}");
        let action = format!("save the progress of {}", self.claim.lane);
        tokio::select! {
            biased;
            flushed = self.flush_all(progress) => flushed,
            () = given_up => Err(Error::Store { action, retryable: true, source: reason.into() }),
        }
    }

    async fn flush_all<P: Position>(&mut self, progress: &mut LaneProgress<P>) -> Result<()> {
        self.failed = None;
        self.make_sure(progress).await?;
        while self.in_flight || progress.has_unsaved() {
            self.begin(progress);
            poll_fn(|cx| self.poll_flight(cx, progress)).await;
            self.take_failure()?;
        }
        Ok(())
    }

    /// Reads what became of a save that may have been taken.
    async fn make_sure<P: Position>(&mut self, progress: &mut LaneProgress<P>) -> Result<()> {
        let Some((commit, records)) = &mut self.unsure else {
            return Ok(());
        };
        let row = self.store.lane(&self.claim.lane).await?.unwrap_or_default();
        if progress.shows(&row, commit) {
            progress.committed(commit);
            self.shared.committed(commit);
        } else {
            progress.restore(commit, *records);
        }
        self.unsure = None;
        Ok(())
    }

    fn is_due_by_count<P: Position>(&self, progress: &LaneProgress<P>) -> bool {
        let after = self.config.after_envelopes.min(self.config.max_unsaved);
        !self.in_flight && progress.savable_records() >= after.max(1)
    }

    /// Whether a save is due by the clock; if not, the task is woken when one is.
    fn is_due_by_time<P: Position>(
        &mut self,
        cx: &mut Context<'_>,
        progress: &LaneProgress<P>,
    ) -> bool {
        if self.in_flight || !progress.has_unsaved() {
            return false;
        }
        let Some(due) = self.saved_at.checked_add(self.config.after) else {
            return false;
        };
        if due <= Instant::now() {
            return true;
        }
        if self.timer.deadline() != due {
            self.timer.as_mut().reset(due);
        }
        self.timer.as_mut().poll(cx).is_ready()
    }

    /// Whether handling must wait for the store.
    fn is_full<P: Position>(&self, progress: &LaneProgress<P>) -> bool {
        !self.has_room(progress, 0)
    }

    /// Begins to save what is settled, unless a save is in flight or nothing is new.
    fn begin<P: Position>(&mut self, progress: &mut LaneProgress<P>) {
        self.urged = false;
        if self.in_flight || !progress.has_unsaved() {
            return;
        }
        let mut commit = std::mem::take(&mut self.spare);
        self.flying_records = progress.fill(&mut commit);
        let (store, claim) = (self.store.clone(), Arc::clone(self.claim));
        self.flight.set(async move {
            let saved = AssertUnwindSafe(store.commit(&claim, &commit)).catch_unwind();
            let saved = saved.await.unwrap_or_else(|payload| {
                Err(Error::Store {
                    action: format!("save the progress of {}", claim.lane),
                    retryable: true,
                    source: panic_message("the store", payload.as_ref()).into(),
                })
            });
            (saved, commit)
        });
        self.in_flight = true;
    }

    /// Moves the save in flight on; ready when none is.
    fn poll_flight<P: Position>(
        &mut self,
        cx: &mut Context<'_>,
        progress: &mut LaneProgress<P>,
    ) -> Poll<()> {
        if !self.in_flight {
            return Poll::Ready(());
        }
        let Poll::Ready((saved, mut commit)) = self.flight.poll(cx) else {
            return Poll::Pending;
        };
        self.in_flight = false;
        let records = std::mem::take(&mut self.flying_records);
        self.saved_at = Instant::now();
        match saved {
            Ok(()) => {
                if let Some(offset) = &commit.offset {
                    let observer = &self.settings.observer;
                    observe(|| observer.progress(&self.claim.lane, offset));
                }
                progress.committed(&mut commit);
                self.shared.committed(&commit);
            }
            Err(error) => {
                self.failed = Some(error);
                if commit.offset == commit.expected {
                    self.unsure = Some((commit, records));
                    return Poll::Ready(());
                }
                progress.restore(&mut commit, records);
            }
        }
        self.spare = commit;
        Poll::Ready(())
    }
}
