//! How envelopes are parked and tried again: the same for every loop of a delivery.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll};

use projectionist_core::contract::{FailureAction, OffsetStore, SourceProvider};
use projectionist_core::{BoxError, ParkedEnvelope, Result};
use tokio::time::Instant;

use super::incarnation::{End, Incarnation, RunResult, unplaced};
use super::letters::{defect_of, not_vouched_for};
use crate::parking::steps::Unreadable;
use crate::parking::{Lot, ParkRule};
use crate::recovery::Recovery;
use crate::recovery::attempts::{Attempts, Decision};
use crate::signals::Interruption;

/// How many envelopes of a key are handled before other keys, and what the source delivers, have
/// their turn.
pub(super) const TURN: u64 = 64;

/// What follows for an envelope that is to be parked.
pub(super) enum Parked {
    /// It is parked, and so settled.
    Settled,
    /// It is not: its key is not parked, or another attempt is to be made in place.
    Again,
    Interrupted(Interruption),
}

/// How a call of the handler with a parked envelope ended.
pub(super) enum Tried {
    /// It was handled: that it is let go is staged or stored.
    Handled,
    /// The source does not vouch for it any more.
    NotVouchedFor,
    /// `broken` when the handler is not to be called again.
    Failed {
        error: BoxError,
        broken: bool,
    },
    Interrupted(Interruption),
}

/// How a key's turn ended.
enum Turn {
    /// All that it began with was let go, and there is more.
    HasMore,
    Over,
    Interrupted(Interruption),
}

/// A loop that can park. What it gives here is what its guarantee makes different.
pub(super) trait ParkingLoop<'a, 'l, P, S, R>: Send
where
    P: SourceProvider,
    S: OffsetStore,
    R: ParkRule<P, S>,
{
    fn parts(&mut self) -> (&mut Incarnation<'a, P, S>, &mut Lot<'l, P, R>);

    /// Does what is to be done while the loop waits.
    fn tend(&mut self, cx: &mut Context<'_>) -> Result<()>;

    /// How many envelopes may be handled before what became of them is stored.
    fn max_unsaved(&self) -> u64;

    /// Settles the envelope at `position`, which is parked with the next commit.
    fn settle_parked(
        &mut self,
        position: P::Position,
    ) -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send;

    /// Stores what is staged: parked, let go, counted, answered.
    fn store_staged(&mut self) -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send;

    /// Calls the handler with a parked envelope.
    fn call_parked(
        &mut self,
        parked: &ParkedEnvelope,
        envelope: &P::Envelope,
        position: &P::Position,
    ) -> impl Future<Output = RunResult<P, Tried>> + Send;

    /// Starts a fresh handler in the place of a broken one.
    fn replace_broken(&mut self)
    -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send;

    /// Takes up the orders to try parked envelopes now, and stores their answers.
    fn take_up_orders(
        &mut self,
    ) -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send {
        async {
            let (run, lot) = self.parts();
            run.take_up_orders(lot);
            self.store_staged().await
        }
    }

    /// Parks an envelope whose key is parked. At the bound it waits until something else was
    /// handled that is parked.
    fn waits_behind(
        &mut self,
        envelope: &P::Envelope,
        position: &P::Position,
    ) -> impl Future<Output = RunResult<P, Parked>> + Send {
        async {
            loop {
                let (run, lot) = self.parts();
                let is_parked = lot.look_at(envelope);
                if !is_parked.map_err(|error| run.exhausted(position.clone(), 1, error))? {
                    run.blocked_no_more();
                    return Ok(Parked::Again);
                }
                let Some(reason) = lot.is_full() else {
                    run.blocked_no_more();
                    return self.park(envelope, position, None).await;
                };
                run.blocked(position, reason);
                if let Some(interruption) = self.wait_for_room(None).await? {
                    return Ok(Parked::Interrupted(interruption));
                }
            }
        }
    }

    /// Parks an envelope that could not be handled in attempt `number`. At the bound it waits until
    /// another attempt is due, or something else was handled that is parked.
    fn park_or_wait(
        &mut self,
        envelope: &P::Envelope,
        position: &P::Position,
        number: u32,
        error: BoxError,
        broken: bool,
    ) -> impl Future<Output = RunResult<P, Parked>> + Send {
        async move {
            let (run, lot) = self.parts();
            if let Err(error) = lot.look_at(envelope) {
                return Err(run.exhausted(position.clone(), number, error));
            }
            let action = match lot.is_full() {
                Some(_) => FailureAction::Retry,
                None => FailureAction::Park,
            };
            let envelopes = std::slice::from_ref(envelope);
            run.attempt_failed(envelopes, position, number, &error, action);
            let again_at = Instant::now().checked_add(lot.config().backoff(number));
            if broken && let Some(interruption) = self.replace_broken().await? {
                return Ok(Parked::Interrupted(interruption));
            }
            loop {
                let (run, lot) = self.parts();
                let Some(reason) = lot.is_full() else { break };
                run.blocked(position, reason);
                if let Some(interruption) = self.wait_for_room(again_at).await? {
                    return Ok(Parked::Interrupted(interruption));
                }
                let (_, lot) = self.parts();
                let is_due = again_at.is_some_and(|at| at <= Instant::now());
                if is_due && lot.is_full().is_some() {
                    return Ok(Parked::Again);
                }
            }
            let (run, _) = self.parts();
            run.goes_on();
            run.blocked_no_more();
            self.park(envelope, position, Some((number, &error))).await
        }
    }

    /// Parks an envelope of the key that was looked at last, which settles it.
    fn park(
        &mut self,
        envelope: &P::Envelope,
        position: &P::Position,
        failure: Option<(u32, &BoxError)>,
    ) -> impl Future<Output = RunResult<P, Parked>> + Send {
        async move {
            let (run, lot) = self.parts();
            run.park(lot, envelope, failure);
            let settled = self.settle_parked(position.clone()).await?;
            Ok(settled.map_or(Parked::Settled, Parked::Interrupted))
        }
    }

    /// Waits until a parked key is due, and tries it; or until `time`.
    fn wait_for_room(
        &mut self,
        time: Option<Instant>,
    ) -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send {
        async move {
            let signals = self.parts().0.signals;
            let mut raised = pin!(signals.raised());
            let waited = poll_fn(|cx| {
                if let Err(error) = self.tend(cx) {
                    return Poll::Ready(Err(error));
                }
                if let Poll::Ready(interruption) = raised.as_mut().poll(cx) {
                    return Poll::Ready(Ok(Some(interruption)));
                }
                if self.parts().1.poll_due(cx, time) {
                    return Poll::Ready(Ok(None));
                }
                Poll::Pending
            });
            match waited.await.map_err(unplaced)? {
                None => self.retry_due().await,
                interrupted => Ok(interrupted),
            }
        }
    }

    /// Tries what was due when the source ended; then the run is over, and the rest stays parked.
    fn finish(&mut self) -> impl Future<Output = RunResult<P>> + Send {
        async {
            let ended_at = Instant::now();
            while let Some(key) = self.parts().1.due_by(ended_at) {
                loop {
                    match retry(self, &key).await? {
                        Turn::HasMore => {}
                        Turn::Over => break,
                        Turn::Interrupted(interruption) => {
                            return Ok(End::Interrupted(interruption));
                        }
                    }
                }
            }
            self.parts().0.source_ended()
        }
    }

    /// Tries the key that has been due for longest, where one is.
    fn retry_due(&mut self) -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send {
        async {
            let Some(key) = self.parts().1.due_now() else {
                return Ok(None);
            };
            Ok(match retry(self, &key).await? {
                Turn::HasMore | Turn::Over => None,
                Turn::Interrupted(interruption) => Some(interruption),
            })
        }
    }
}

/// Handles the parked envelopes of `key` in their order, until one fails or others have their turn.
async fn retry<'a, 'l, P, S, R, L>(this: &mut L, key: &str) -> RunResult<P, Turn>
where
    P: SourceProvider,
    S: OffsetStore,
    R: ParkRule<P, S>,
    L: ParkingLoop<'a, 'l, P, S, R> + ?Sized,
{
    // Handlers that are always ready must leave the worker to others now and then.
    tokio::task::consume_budget().await;
    // What is parked stands in the store by then, and a crash repeats no more than a turn.
    if let Some(interruption) = this.store_staged().await? {
        return Ok(Turn::Interrupted(interruption));
    }
    let limit = usize::try_from(TURN.min(this.max_unsaved())).unwrap_or(usize::MAX);
    let (run, lot) = this.parts();
    let (signals, timeout) = (run.signals, run.settings.stop_timeout);
    let parked = R::parked(run.store, &run.claim.lane, key, limit);
    let parked = match signals.within(timeout, parked).await {
        Ok(parked) => parked.map_err(unplaced)?,
        Err(interruption) => return Ok(Turn::Interrupted(interruption)),
    };
    if parked.is_empty() {
        lot.forget(key);
    }
    let mut all = true;
    for parked in &parked {
        if let Some(interruption) = signals.current() {
            return Ok(Turn::Interrupted(interruption));
        }
        match attempt(this, parked).await? {
            Ok(true) => {}
            Ok(false) => {
                all = false;
                break;
            }
            Err(interruption) => return Ok(Turn::Interrupted(interruption)),
        }
    }
    if let Some(interruption) = this.store_staged().await? {
        return Ok(Turn::Interrupted(interruption));
    }
    let (_, lot) = this.parts();
    if all && lot.takes_turns(key) {
        return Ok(Turn::HasMore);
    }
    Ok(Turn::Over)
}

/// One attempt at a parked envelope; gives whether it was let go.
async fn attempt<'a, 'l, P, S, R, L>(
    this: &mut L,
    parked: &ParkedEnvelope,
) -> RunResult<P, Result<bool, Interruption>>
where
    P: SourceProvider,
    S: OffsetStore,
    R: ParkRule<P, S>,
    L: ParkingLoop<'a, 'l, P, S, R> + ?Sized,
{
    let (run, lot) = this.parts();
    let position: P::Position = parked.offset.position(run.lane()).map_err(unplaced)?;
    let envelope = match run.provider.decode(position.clone(), &parked.event) {
        Ok(envelope) => envelope,
        Err(reason) => {
            let error = Unreadable(reason).into();
            run.park_again(lot, parked, &[], &position, &error);
            return Ok(Ok(false));
        }
    };
    let vouches = match run.verifies {
        true => run.vouches(&position).await.map_err(unplaced)?,
        false => Ok(true),
    };
    let tried = match vouches {
        Ok(true) => this.call_parked(parked, &envelope, &position).await?,
        Ok(false) => Tried::NotVouchedFor,
        Err(interruption) => Tried::Interrupted(interruption),
    };
    let (run, lot) = this.parts();
    let (error, broken) = match tried {
        Tried::Handled => {
            run.unparked(lot, parked);
            return Ok(Ok(true));
        }
        Tried::NotVouchedFor => {
            let (defect, attempts) = (not_vouched_for(), parked.attempts);
            run.unpark_passed_over(parked, &envelope, defect, attempts);
            run.unparked(lot, parked);
            return Ok(Ok(true));
        }
        Tried::Interrupted(interruption) => return Ok(Err(interruption)),
        Tried::Failed { error, broken } => (error, broken),
    };
    let let_go = failed_again(run, lot, parked, &envelope, &position, &error);
    if broken && let Some(interruption) = this.replace_broken().await? {
        return Ok(Err(interruption));
    }
    Ok(Ok(let_go))
}

/// Meets a failed attempt at a parked envelope; gives whether it is let go, as its handler can say.
fn failed_again<P: SourceProvider, S, R>(
    run: &mut Incarnation<'_, P, S>,
    lot: &mut Lot<'_, P, R>,
    parked: &ParkedEnvelope,
    envelope: &P::Envelope,
    position: &P::Position,
    error: &BoxError,
) -> bool {
    let envelopes = std::slice::from_ref(envelope);
    let mut attempts = Attempts::after(Recovery::Fail, parked.attempts);
    let number = attempts.number();
    match attempts.decide(error) {
        Decision::Skip => {
            // It may be tried while another envelope blocks the lane, whose streak goes on.
            let blocks = run.streak.is_open();
            run.attempt_failed(envelopes, position, number, error, FailureAction::Skip);
            if !blocks {
                run.goes_on();
            }
            run.unpark_passed_over(parked, envelope, defect_of(error), number);
            run.unparked(lot, parked);
            true
        }
        Decision::Retry(wait) => {
            run.park_again(lot, parked, envelopes, position, error);
            // The handler knows better when it is to be tried again.
            lot.is_due_after(&parked.key, wait);
            false
        }
        Decision::Fail => {
            run.park_again(lot, parked, envelopes, position, error);
            false
        }
    }
}
