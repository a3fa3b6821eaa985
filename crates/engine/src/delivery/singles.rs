//! The envelopes of one at-least-once run, one after the other.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;

use futures::FutureExt;
use projectionist_core::contract::{Context, FailureAction, OffsetStore, SourceProvider};
use projectionist_core::{Malformed, SourceItem};

use super::conclusion::end_run;
use super::feed::Fill;
use super::handler_slot::{HandlerSlot, hook_ended};
use super::incarnation::{End, Incarnation, RunResult, unplaced};
use super::letters::{defect_of, not_vouched_for, skipped_by_command};
use super::observe;
use super::parking_loop::{Parked, ParkingLoop};
use super::save::{SaveConfig, Saver};
use super::single_call::SingleCall;
use crate::management::order::SkipOrder;
use crate::parking::{Lot, ParkRule};
use crate::progress::Admission;
use crate::recovery::attempts::{Attempts, Decision, wait_tending};
use crate::recovery::drive::{Call, Limits, called, drive};
use crate::signals::Interruption;

/// Runs a handler of single envelopes from its start to its stop, and parks what it cannot handle
/// where `rule` says so.
pub(super) async fn run_singles<P, S, F, H, R>(
    run: &mut Incarnation<'_, P, S>,
    factory: &F,
    save: SaveConfig,
    rule: &R,
) -> RunResult<P>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Sync,
    H: SingleCall<P::Envelope>,
    R: ParkRule<P, S>,
{
    let (signals, timeout) = (run.signals, run.settings.stop_timeout);
    let lot = match signals.within(timeout, Lot::load(rule, run)).await {
        Ok(lot) => lot.map_err(unplaced)?,
        Err(interruption) => return Ok(End::Interrupted(interruption)),
    };
    let mut slot = HandlerSlot::build(factory).map_err(|error| run.hook_failed(error))?;
    let (signals, limits) = (run.signals, run.hook_limits());
    let started = drive(slot.run_start(), signals, limits, |_| ()).await;
    if let Some(interruption) = hook_ended(run, started)? {
        return Ok(End::Interrupted(interruption));
    }
    let saver = Saver::new(run, save);
    observe(|| run.observer().started(run.lane()));
    let mut singles = Singles {
        run,
        slot,
        saver,
        lot,
    };
    let delivered = AssertUnwindSafe(singles.deliver()).catch_unwind().await;
    let Singles {
        run, slot, saver, ..
    } = singles;
    end_run(run, slot, saver, delivered).await
}

/// The envelopes of one run.
pub(super) struct Singles<'r, 'a, 'f, P: SourceProvider, S, F, H, R> {
    pub(super) run: &'r mut Incarnation<'a, P, S>,
    pub(super) slot: HandlerSlot<'f, F, H>,
    pub(super) saver: Saver<'a, S>,
    pub(super) lot: Lot<'f, P, R>,
}

/// What follows a failed attempt.
enum Then {
    /// Another attempt.
    Again,
    /// The next envelope.
    PassedOver,
    Interrupted(Interruption),
}

/// What waiting for items gives.
enum Filled {
    Items,
    Ended,
    /// A parked key is to be tried.
    Due,
    Interrupted(Interruption),
}

impl<P, S, F, H, R> Singles<'_, '_, '_, P, S, F, H, R>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Sync,
    H: SingleCall<P::Envelope>,
    R: ParkRule<P, S>,
{
    /// Handles what the source delivers until it ends, an interruption or a failure.
    async fn deliver(&mut self) -> RunResult<P> {
        let mut buffer = VecDeque::new();
        if R::PARKS
            && let Some(interruption) = self.take_up_orders().await?
        {
            return Ok(End::Interrupted(interruption));
        }
        loop {
            if R::PARKS
                && let Some(interruption) = self.retry_due().await?
            {
                return Ok(End::Interrupted(interruption));
            }
            match self.fill(&mut buffer).await.map_err(unplaced)? {
                Filled::Interrupted(interruption) => return Ok(End::Interrupted(interruption)),
                Filled::Ended if R::PARKS => return self.finish().await,
                Filled::Ended => return self.run.source_ended(),
                Filled::Due => continue,
                Filled::Items => {}
            }
            self.run.saw(&buffer);
            // In place: to move every envelope out of the buffer costs more than to look at it.
            for item in buffer.make_contiguous() {
                let mut interruption = self.run.signals.current();
                if interruption.is_none() {
                    interruption = match item {
                        SourceItem::Envelope(envelope) => self.handle(envelope).await?,
                        SourceItem::Malformed(malformed) => self.pass_over(malformed).await?,
                    };
                }
                if let Some(interruption) = interruption {
                    return Ok(End::Interrupted(interruption));
                }
            }
            buffer.clear();
            // A source that is always ready must leave the worker to others now and then.
            tokio::task::consume_budget().await;
        }
    }

    /// Waits for items, and lets saves begin and end meanwhile.
    async fn fill(
        &mut self,
        buffer: &mut VecDeque<SourceItem<P::Envelope, P::Position>>,
    ) -> projectionist_core::Result<Filled> {
        let Self {
            run, saver, lot, ..
        } = self;
        let (signals, shared) = (run.signals, run.shared);
        if let Some(interruption) = signals.current() {
            return Ok(Filled::Interrupted(interruption));
        }
        run.waiters.passed(run.progress.low());
        let waiters = run.waiters;
        let mut look = |cx: &mut std::task::Context<'_>, waits: bool| {
            saver.tend(cx, &mut run.progress);
            if waits {
                waiters.attend(cx, run.progress.low());
            }
            saver.take_failure()?;
            Ok(match run.feed.poll_fill(cx, buffer) {
                Poll::Ready(filled) => Some(match filled? {
                    Fill::Items => Filled::Items,
                    Fill::Ended => Filled::Ended,
                }),
                Poll::Pending if R::PARKS && lot.poll_due(cx, None) => Some(Filled::Due),
                Poll::Pending => None,
            })
        };
        // The first look is made bare: to set up a wait costs more than most fills.
        if let Some(filled) = poll_fn(|cx| Poll::Ready(look(cx, false))).await? {
            return Ok(filled);
        }
        let _quiet = shared.quiet();
        let mut raised = pin!(signals.raised());
        poll_fn(|cx| match look(cx, true).transpose() {
            Some(filled) => Poll::Ready(filled),
            None => raised
                .as_mut()
                .poll(cx)
                .map(|interruption| Ok(Filled::Interrupted(interruption))),
        })
        .await
    }

    /// Keeps a record that is no envelope as a letter of its source.
    async fn pass_over(
        &mut self,
        malformed: &Malformed<P::Position>,
    ) -> RunResult<P, Option<Interruption>> {
        let position = malformed.position.clone();
        let admission = self.run.progress.admit(&position).map_err(unplaced)?;
        if admission == Admission::Boundary {
            return Ok(None);
        }
        let letter = self.run.malformed_letter(malformed.clone());
        self.run.progress.keep(letter);
        self.run
            .progress
            .settle(position, |counters| counters.malformed += 1);
        self.saved().await
    }

    /// Handles one envelope, or passes over it.
    async fn handle(&mut self, envelope: &P::Envelope) -> RunResult<P, Option<Interruption>> {
        let position = self.run.provider.position(envelope);
        let admission = self.run.progress.admit(&position).map_err(unplaced)?;
        if admission == Admission::Boundary {
            return Ok(None);
        }
        if let Some(skip) = self.run.takes_skip(&position) {
            return self.skip(envelope, skip).await;
        }
        if R::PARKS && !self.lot.is_empty() {
            if self.lot.has_parked(&position) {
                // It was counted when it was parked.
                self.run.progress.settle(position, |_| ());
                return self.saved().await;
            }
            match self.waits_behind(envelope, &position).await? {
                Parked::Again => {}
                Parked::Settled => return self.saved().await,
                Parked::Interrupted(interruption) => return Ok(Some(interruption)),
            }
        }
        if self.run.verifies {
            match self.run.vouches(&position).await.map_err(unplaced)? {
                Ok(true) => {}
                Ok(false) => {
                    self.run
                        .settle_passed_over(envelope, position, not_vouched_for(), 0);
                    return self.saved().await;
                }
                Err(interruption) => return Ok(Some(interruption)),
            }
        }
        self.attempt(envelope, position).await
    }

    /// Calls the handler, with the attempts that recovery allows.
    async fn attempt(
        &mut self,
        envelope: &P::Envelope,
        position: P::Position,
    ) -> RunResult<P, Option<Interruption>> {
        let mut attempts = Attempts::new(self.lot.recovery(self.run));
        let lane = &self.run.claim.lane;
        let observer = self.run.settings.observer.as_ref();
        let replay = self.run.progress.is_replay(&position);
        loop {
            observe(|| observer.before_process(lane, &position, 1));
            let context = Context {
                lane,
                position: &position,
                attempt: attempts.number(),
                replay,
            };
            let Self {
                run, slot, saver, ..
            } = self;
            let called = {
                // Called within the future, so that a panic of the call itself is met as well.
                let call = pin!(async { slot.handler().call(envelope, &context).await });
                let (signals, limits) = (run.signals, run.limits());
                let (progress, waiters) = (&mut run.progress, run.waiters);
                let called = called(call, signals, limits, |cx| {
                    saver.tend(cx, progress);
                    waiters.attend(cx, progress.low());
                });
                called.await
            };
            let Err(trouble) = called else { break };
            match self
                .failed(envelope, &position, &mut attempts, *trouble)
                .await?
            {
                Then::Again => {}
                Then::PassedOver => return self.saved().await,
                Then::Interrupted(interruption) => return Ok(Some(interruption)),
            }
        }
        self.run.goes_on();
        observe(|| observer.after_process(lane, &position, 1));
        self.run.progress.settle(position, |counters| {
            counters.read += 1;
            counters.applied += 1;
        });
        // Asked before the call: most envelopes need none, and to begin one costs as much as asking.
        if !self.saver.wants_a_look(&self.run.progress) {
            return Ok(None);
        }
        self.saved().await
    }

    /// Passes over an envelope because someone asked for it, and stores that before anything else.
    async fn skip(
        &mut self,
        envelope: &P::Envelope,
        skip: SkipOrder<P::Position>,
    ) -> RunResult<P, Option<Interruption>> {
        let Self { run, saver, .. } = self;
        run.settle_passed_over(envelope, skip.position.clone(), skipped_by_command(), 0);
        run.goes_on();
        let timeout = run.settings.stop_timeout;
        let flushed = saver.flush(&mut run.progress, run.signals, timeout).await;
        if let Err(error) = flushed {
            run.keep_skip(skip);
            return Err(unplaced(error));
        }
        skip.order.asker.tell(Ok(()));
        Ok(None)
    }

    /// Meets a failed attempt.
    async fn failed(
        &mut self,
        envelope: &P::Envelope,
        position: &P::Position,
        attempts: &mut Attempts,
        trouble: Call,
    ) -> RunResult<P, Then> {
        let (error, broken) = match trouble {
            Call::Returned(Ok(())) => return Ok(Then::Again),
            Call::Returned(Err(error)) => (error, false),
            Call::Broken(error) => (error, true),
            Call::Abandoned(interruption) => {
                self.slot.discard();
                return Ok(Then::Interrupted(interruption));
            }
        };
        if broken {
            self.slot.discard();
        }
        let number = attempts.number();
        let decision = attempts.decide(&error);
        if R::PARKS && decision == Decision::Fail {
            let parked = self.park_or_wait(envelope, position, number, error, broken);
            return Ok(match parked.await? {
                Parked::Settled => Then::PassedOver,
                Parked::Again => {
                    attempts.count_one();
                    Then::Again
                }
                Parked::Interrupted(interruption) => Then::Interrupted(interruption),
            });
        }
        let Self { run, saver, .. } = self;
        let action = match decision {
            Decision::Retry(_) => FailureAction::Retry,
            Decision::Skip => FailureAction::Skip,
            Decision::Fail => run.given_up_action(),
        };
        let envelopes = std::slice::from_ref(envelope);
        run.attempt_failed(envelopes, position, number, &error, action);
        let then = match decision {
            Decision::Fail => return Err(run.exhausted(position.clone(), number, error)),
            Decision::Skip => {
                run.settle_passed_over(envelope, position.clone(), defect_of(&error), number);
                run.goes_on();
                Then::PassedOver
            }
            Decision::Retry(delay) => {
                run.retrying(position, number, delay, &error);
                let (progress, waiters) = (&mut run.progress, run.waiters);
                let waited = wait_tending(delay, run.signals, |cx| {
                    saver.tend(cx, progress);
                    waiters.attend(cx, progress.low());
                });
                match waited.await {
                    Some(interruption) => return Ok(Then::Interrupted(interruption)),
                    None => Then::Again,
                }
            }
        };
        if broken && let Some(interruption) = self.replace_handler().await? {
            return Ok(Then::Interrupted(interruption));
        }
        Ok(then)
    }

    /// Starts a fresh handler in the place of a broken one.
    pub(super) async fn replace_handler(&mut self) -> RunResult<P, Option<Interruption>> {
        let Self {
            run, slot, saver, ..
        } = self;
        let progress = &mut run.progress;
        let (signals, limits) = (run.signals, Limits::of_a_hook(run.settings.stop_timeout));
        let replaced = drive(slot.replace(), signals, limits, |cx| {
            saver.tend(cx, progress);
        });
        let replaced = replaced.await;
        hook_ended(run, replaced)
    }

    /// Lets saves keep up with what was settled.
    async fn saved(&mut self) -> RunResult<P, Option<Interruption>> {
        let Self { run, saver, .. } = self;
        if !saver.wants_a_look(&run.progress) {
            return Ok(None);
        }
        let looked = saver.look(&mut run.progress, run.signals).await;
        looked.map_err(unplaced)
    }
}
