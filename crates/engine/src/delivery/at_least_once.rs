//! At-least-once: handle, then save.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use projectionist_core::contract::{Context, Handler, HandlerResult, OffsetStore, SourceProvider};
use projectionist_core::{Counters, Error, SourceItem};
use tokio::time::sleep_until;

use super::feed::Fill;
use super::handler_slot::{HandlerSlot, Hooks, hook_failed};
use super::incarnation::{End, Incarnation, ONE_MALFORMED, RunResult};
use super::save::{SaveConfig, Saver};
use super::{Delivery, observe};
use crate::progress::Admission;
use crate::recovery::attempts::{Attempts, Next, report_failure};
use crate::recovery::drive::{Call, drive};
use crate::signals::Interruption;

/// At-least-once: every envelope is handled before its position is saved.
///
/// A crash repeats what was handled and not saved: at most [`SaveConfig::max_unsaved`] envelopes.
#[derive(Clone, Debug)]
pub struct AtLeastOnce<F> {
    pub(crate) factory: F,
    pub(crate) save: SaveConfig,
}

/// A [`Handler`] under the hooks of the slot.
struct Single<H, E> {
    handler: H,
    envelope: std::marker::PhantomData<fn(&E)>,
}

impl<E: Sync + 'static, H: Handler<E>> Hooks for Single<H, E> {
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.start()
    }
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}

impl<P, S, F, H> Delivery<P, S> for AtLeastOnce<F>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: Handler<P::Envelope>,
{
    async fn run(&self, incarnation: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || Single {
            handler: (self.factory)(),
            envelope: std::marker::PhantomData,
        };
        let slot = HandlerSlot::start(&factory).await;
        let mut slot = slot.map_err(|error| hook_failed(incarnation, error))?;
        let observer = incarnation.settings.observer.clone();
        let (store, claim) = (incarnation.store, incarnation.claim);
        let mut saver = Saver::new(store, claim, self.save, observer.as_ref());
        observe(|| observer.started(&claim.lane));
        let ended = deliver(incarnation, &mut slot, &mut saver).await;
        // The settled tail is saved before a stop, a completion and a restart. Under a lost claim
        // the store refuses it, which is as it should be.
        let flushed = saver.flush(&mut incarnation.progress).await;
        let stopped = slot.stop().await;
        let end = ended?;
        if end != End::Interrupted(Interruption::ClaimLost) {
            flushed.map_err(|error| (error, None))?;
        }
        stopped.map_err(|error| hook_failed(incarnation, error))?;
        Ok(end)
    }
}

async fn deliver<P, S, F, H>(
    run: &mut Incarnation<'_, P, S>,
    slot: &mut HandlerSlot<'_, F, Single<H, P::Envelope>>,
    saver: &mut Saver<'_, S>,
) -> RunResult<P>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> Single<H, P::Envelope>,
    H: Handler<P::Envelope>,
{
    let mut buffer = VecDeque::new();
    loop {
        if let Some(interruption) = run.signals.current() {
            return Ok(End::Interrupted(interruption));
        }
        match fill(run, saver, &mut buffer)
            .await
            .map_err(|error| (error, None))?
        {
            Filled::Interrupted(interruption) => return Ok(End::Interrupted(interruption)),
            Filled::Ended => return run.source_ended(),
            Filled::Items => {}
        }
        for item in buffer.drain(..) {
            if let Some(interruption) = run.signals.current() {
                return Ok(End::Interrupted(interruption));
            }
            let handled = match item {
                SourceItem::Envelope(envelope) => handle(run, slot, saver, &envelope).await?,
                SourceItem::Malformed(malformed) => {
                    let position = malformed.position.clone();
                    let letter = run.malformed_letter(malformed);
                    run.progress.keep(letter);
                    run.progress.settle(position, &ONE_MALFORMED);
                    None
                }
            };
            if let Some(interruption) = handled {
                return Ok(End::Interrupted(interruption));
            }
            if saver.is_due_by_count(&run.progress) {
                saver.begin(&mut run.progress);
            }
            if saver.is_full(&run.progress) {
                let full = poll_fn(|cx| saver.poll(cx, &mut run.progress)).await;
                full.map_err(|error| (error, None))?;
            }
        }
        // A source that is always ready must leave the worker to others now and then.
        tokio::task::consume_budget().await;
    }
}

enum Filled {
    Items,
    Ended,
    Interrupted(Interruption),
}

/// Waits for items, and lets saves begin and end meanwhile.
async fn fill<P: SourceProvider, S: OffsetStore>(
    run: &mut Incarnation<'_, P, S>,
    saver: &mut Saver<'_, S>,
    buffer: &mut VecDeque<SourceItem<P::Envelope, P::Position>>,
) -> projectionist_core::Result<Filled> {
    if saver
        .due_at(&run.progress)
        .is_some_and(|due| due <= tokio::time::Instant::now())
    {
        saver.begin(&mut run.progress);
    }
    let bare = poll_fn(|cx| {
        if let Poll::Ready(Err(error)) = saver.poll(cx, &mut run.progress) {
            return Poll::Ready(Some(Err(error)));
        }
        match run.feed.poll_fill(cx, buffer) {
            Poll::Ready(filled) => Poll::Ready(Some(filled)),
            Poll::Pending => Poll::Ready(None),
        }
    });
    if let Some(filled) = bare.await {
        return Ok(match filled? {
            Fill::Items => Filled::Items,
            Fill::Ended => Filled::Ended,
        });
    }
    loop {
        let due = saver.due_at(&run.progress);
        let mut raised = pin!(run.signals.raised());
        let mut timer = pin!(async {
            match due {
                Some(due) => sleep_until(due).await,
                None => std::future::pending().await,
            }
        });
        let in_flight = saver.is_in_flight();
        let filled = poll_fn(|cx| {
            let save = saver.poll(cx, &mut run.progress);
            if let Poll::Ready(Err(error)) = save {
                return Poll::Ready(Err(error));
            }
            if let Poll::Ready(filled) = run.feed.poll_fill(cx, buffer) {
                return Poll::Ready(filled.map(|filled| match filled {
                    Fill::Items => Some(Filled::Items),
                    Fill::Ended => Some(Filled::Ended),
                }));
            }
            if let Poll::Ready(interruption) = raised.as_mut().poll(cx) {
                return Poll::Ready(Ok(Some(Filled::Interrupted(interruption))));
            }
            // A save that ended lets the next one become due: look at the clock again.
            let turn = timer.as_mut().poll(cx).is_ready() || (in_flight && save.is_ready());
            if turn {
                Poll::Ready(Ok(None))
            } else {
                Poll::Pending
            }
        });
        if let Some(filled) = filled.await? {
            return Ok(filled);
        }
        if due.is_some() {
            saver.begin(&mut run.progress);
        }
    }
}

/// Handles one envelope, with the attempts that recovery allows.
async fn handle<P, S, F, H>(
    run: &mut Incarnation<'_, P, S>,
    slot: &mut HandlerSlot<'_, F, Single<H, P::Envelope>>,
    saver: &mut Saver<'_, S>,
    envelope: &P::Envelope,
) -> Result<Option<Interruption>, (Error, Option<P::Position>)>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> Single<H, P::Envelope>,
    H: Handler<P::Envelope>,
{
    let position = run.provider.position(envelope);
    if run
        .progress
        .admit(&position)
        .map_err(|error| (error, None))?
        == Admission::Boundary
    {
        return Ok(None);
    }
    let lane = &run.claim.lane;
    let observer = run.settings.observer.as_ref();
    let mut attempts = Attempts::new(run.settings.recovery);
    loop {
        observe(|| observer.before_process(lane, &position, 1));
        let context = Context {
            lane,
            position: &position,
            attempt: attempts.number(),
        };
        let call = slot.handler().handler.process(envelope, &context);
        let call = drive(call, run.signals, run.settings.stop_timeout, |cx| {
            // What a save ends with is told when it is looked for the next time.
            saver.poll_quietly(cx, &mut run.progress);
        });
        let (error, panicked) = match call.await {
            Call::Returned(Ok(())) => break,
            Call::Returned(Err(error)) => (error, false),
            Call::Panicked(error) => (error, true),
            Call::Abandoned(interruption) => return Ok(Some(interruption)),
        };
        report_failure(
            lane,
            observer,
            run.streak,
            &position,
            attempts.number(),
            &error,
        );
        match attempts.failed(run.signals).await {
            Next::Again => {}
            Next::Interrupted(interruption) => return Ok(Some(interruption)),
            Next::Exhausted => {
                let error = run.handler_error(&position, attempts.number(), error);
                return Err((error, Some(position)));
            }
        }
        if panicked {
            let replaced = slot.replace().await;
            replaced.map_err(|error| (run.handler_error(&position, 1, error), None))?;
        }
    }
    run.streak.ended();
    observe(|| observer.after_process(lane, &position, 1));
    run.progress.settle(position, &ONE_APPLIED);
    Ok(None)
}

/// The counters of one envelope that was handled.
const ONE_APPLIED: Counters = Counters {
    read: 1,
    applied: 1,
    ..Counters::ZERO
};
