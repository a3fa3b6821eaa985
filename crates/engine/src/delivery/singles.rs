//! The envelopes of one at-least-once run, one after the other.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::pin;
use std::task::Poll;

use projectionist_core::contract::{Context, Handler, HandlerResult, OffsetStore, SourceProvider};
use projectionist_core::{Error, Malformed, SourceItem};

use super::feed::Fill;
use super::handler_slot::{HandlerSlot, Hooks, hook_ended};
use super::incarnation::{End, Incarnation};
use super::observe;
use super::save::Saver;
use crate::progress::Admission;
use crate::recovery::attempts::{Attempts, Next, report_failure};
use crate::recovery::drive::{Call, called, drive};
use crate::signals::Interruption;

/// A [`Handler`] under the hooks of the slot.
pub(super) struct Single<H, E> {
    pub(super) handler: H,
    pub(super) envelope: PhantomData<fn(&E)>,
}

impl<E: Sync + 'static, H: Handler<E>> Hooks for Single<H, E> {
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.start()
    }
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}

/// An error, with the position of the envelope that could not be handled where one is to blame.
/// Boxed because every envelope passes where it would be moved.
pub(super) type Failed<P> = Box<(Error, Option<<P as SourceProvider>::Position>)>;

/// An error that no envelope is to blame for.
pub(super) fn unplaced<Position>(error: Error) -> Box<(Error, Option<Position>)> {
    Box::new((error, None))
}

/// The envelopes of one run.
pub(super) struct Singles<'r, 'a, 'f, P: SourceProvider, S, F, H> {
    pub(super) run: &'r mut Incarnation<'a, P, S>,
    pub(super) slot: HandlerSlot<'f, F, Single<H, P::Envelope>>,
    pub(super) saver: Saver<'f, S>,
}

/// What waiting for items gives.
enum Filled {
    Items,
    Ended,
    Interrupted(Interruption),
}

impl<P, S, F, H> Singles<'_, '_, '_, P, S, F, H>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> Single<H, P::Envelope> + Sync,
    H: Handler<P::Envelope>,
{
    /// Handles what the source delivers until it ends, an interruption or a failure.
    pub(super) async fn deliver(&mut self) -> Result<End, Failed<P>> {
        let mut buffer = VecDeque::new();
        loop {
            match self.fill(&mut buffer).await.map_err(unplaced)? {
                Filled::Interrupted(interruption) => return Ok(End::Interrupted(interruption)),
                Filled::Ended => return self.run.source_ended().map_err(Box::new),
                Filled::Items => {}
            }
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
        let Self { run, saver, .. } = self;
        if let Some(interruption) = run.signals.current() {
            return Ok(Filled::Interrupted(interruption));
        }
        let mut look = |cx: &mut std::task::Context<'_>| {
            saver.tend(cx, &mut run.progress);
            saver.take_failure()?;
            Ok(match run.feed.poll_fill(cx, buffer) {
                Poll::Ready(filled) => Some(match filled? {
                    Fill::Items => Filled::Items,
                    Fill::Ended => Filled::Ended,
                }),
                Poll::Pending => None,
            })
        };
        // The first look is made bare: to set up a wait costs more than most fills.
        if let Some(filled) = poll_fn(|cx| Poll::Ready(look(cx))).await? {
            return Ok(filled);
        }
        let mut raised = pin!(run.signals.raised());
        poll_fn(|cx| match look(cx).transpose() {
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
    ) -> Result<Option<Interruption>, Failed<P>> {
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

    /// Handles one envelope, with the attempts that recovery allows.
    async fn handle(&mut self, envelope: &P::Envelope) -> Result<Option<Interruption>, Failed<P>> {
        let position = self.run.provider.position(envelope);
        let admission = self.run.progress.admit(&position).map_err(unplaced)?;
        if admission == Admission::Boundary {
            return Ok(None);
        }
        let mut attempts = Attempts::new(self.run.settings.recovery);
        let lane = &self.run.claim.lane;
        let observer = self.run.settings.observer.as_ref();
        loop {
            observe(|| observer.before_process(lane, &position, 1));
            let context = Context {
                lane,
                position: &position,
                attempt: attempts.number(),
            };
            let Self { run, slot, saver } = self;
            // Called within the future, so that a panic of the call itself is met as well.
            let call = async { slot.handler().handler.process(envelope, &context).await };
            let (signals, stop_timeout) = (run.signals, run.settings.stop_timeout);
            let progress = &mut run.progress;
            let called = called(call, signals, stop_timeout, |cx| saver.tend(cx, progress)).await;
            let Err(trouble) = called else { break };
            if let Some(interruption) = self.failed(&position, &mut attempts, *trouble).await? {
                return Ok(Some(interruption));
            }
        }
        self.run.streak.ended();
        observe(|| observer.after_process(lane, &position, 1));
        self.run.progress.settle(position, |counters| {
            counters.read += 1;
            counters.applied += 1;
        });
        self.saved().await
    }

    /// Meets a failed attempt; returns when another one is to be made.
    async fn failed(
        &mut self,
        position: &P::Position,
        attempts: &mut Attempts,
        trouble: Call,
    ) -> Result<Option<Interruption>, Failed<P>> {
        let (error, panicked) = match trouble {
            Call::Returned(Ok(())) => return Ok(None),
            Call::Returned(Err(error)) => (error, false),
            Call::Panicked(error) => (error, true),
            Call::Abandoned(interruption) => return Ok(Some(interruption)),
        };
        let Self { run, slot, saver } = self;
        let (lane, observer) = (&run.claim.lane, run.settings.observer.as_ref());
        let number = attempts.number();
        report_failure(lane, observer, run.streak, position, number, &error);
        if panicked {
            slot.discard();
        }
        let progress = &mut run.progress;
        let tend = |cx: &mut std::task::Context<'_>| saver.tend(cx, progress);
        match attempts.failed_tending(run.signals, tend).await {
            Next::Again if panicked => self.replace_handler().await,
            Next::Again => Ok(None),
            Next::Interrupted(interruption) => Ok(Some(interruption)),
            Next::Exhausted => {
                let error = run.handler_error(position, number, error);
                Err(Box::new((error, Some(position.clone()))))
            }
        }
    }

    /// Starts a fresh handler in the place of one that panicked.
    async fn replace_handler(&mut self) -> Result<Option<Interruption>, Failed<P>> {
        let Self { run, slot, saver } = self;
        let progress = &mut run.progress;
        let (signals, stop_timeout) = (run.signals, run.settings.stop_timeout);
        let replaced = drive(slot.replace(), signals, stop_timeout, |cx| {
            saver.tend(cx, progress);
        });
        let replaced = replaced.await;
        hook_ended(run, replaced).map_err(Box::new)
    }

    /// Lets saves keep up with what was settled.
    async fn saved(&mut self) -> Result<Option<Interruption>, Failed<P>> {
        let Self { run, saver, .. } = self;
        if !saver.wants_a_look(&run.progress) {
            return Ok(None);
        }
        let looked = saver.look(&mut run.progress, run.signals).await;
        looked.map_err(unplaced)
    }
}
