//! One keyed run: brings the source, the handlers and the saver together in one task.

use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use futures::FutureExt;
use projectionist_core::Error;
use projectionist_core::contract::{OffsetStore, SourceProvider};

use super::KeyedConfig;
use super::desk::{Desk, Ending, lock};
use super::hooks::{start_all, stop_all};
use super::intake::{Intake, Keys};
use super::wakes::Wakes;
use super::worker::{Common, Worker};
use crate::delivery::conclusion::{conclude, panicked, save_tail};
use crate::delivery::incarnation::{End, Incarnation, RunResult, unplaced};
use crate::delivery::observe;
use crate::delivery::save::SaveConfig;
use crate::delivery::single_call::SingleCall;
use crate::restart::shared::Quiet;
use crate::signals::Interruption;

/// Runs the handlers from their start to their stop.
pub(super) async fn run_keyed<P, S, F, H, K>(
    run: &mut Incarnation<'_, P, S>,
    factory: &F,
    key: &K,
    save: SaveConfig,
    config: KeyedConfig,
) -> RunResult<P>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Sync,
    H: SingleCall<P::Envelope>,
    K: Fn(&P::Envelope, &mut String) + Sync,
{
    let mut slots = match start_all(run, factory, config.handlers.max(1)).await? {
        Ok(slots) => slots,
        Err(interruption) => return Ok(End::Interrupted(interruption)),
    };
    observe(|| run.observer().started(run.lane()));
    let common = Common::of(run);
    let wakes = Wakes::new(slots.len());
    let desk = Mutex::new(Desk::new(run, save, Arc::clone(&wakes)));
    let workers = slots.iter_mut().enumerate().map(|(at, slot)| {
        let desk = &desk;
        let worker = Worker {
            at,
            desk,
            slot,
            key,
            common,
        };
        Some(Box::pin(worker.work()))
    });
    let mut dispatch = Dispatch {
        desk: &desk,
        workers: workers.collect(),
        wakers: wakes.wakers(),
        wakes,
        keys: Keys::new(key, config.window),
    };
    let delivered = AssertUnwindSafe(dispatch.deliver()).catch_unwind().await;
    drop(dispatch);
    let Desk {
        run,
        saver,
        failure,
        skipped,
        ..
    } = desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    let ended = delivered.unwrap_or_else(|payload| Err(panicked(run, payload.as_ref())));
    let ended = failure.map_or(ended, Err);
    let saved = save_tail(run, saver).await;
    for skip in skipped {
        match saved {
            Ok(()) => skip.order.asker.tell(Ok(())),
            Err(_) => run.keep_skip(skip),
        }
    }
    let stopped = stop_all(run, slots).await;
    conclude::<P>(ended, saved, stopped)
}

/// The handlers of a run at work.
struct Dispatch<'c, 'r, 'a, 'k, P: SourceProvider, S, K, W> {
    desk: &'c Mutex<Desk<'r, 'a, P, S>>,
    /// Each handler at its work; `None` when it has ended.
    workers: Vec<Option<Pin<Box<W>>>>,
    wakers: Vec<Waker>,
    wakes: Arc<Wakes>,
    keys: Keys<'k, K>,
}

/// What follows a round.
enum Round<P: SourceProvider> {
    /// Another one.
    Again,
    /// Another one when something has happened; `is_quiet` when everything is handled.
    Wait { is_quiet: bool },
    /// The run ends so, after what it still does.
    Over(RunResult<P>, Ending),
}

impl<P, S, K, W> Dispatch<'_, '_, '_, '_, P, S, K, W>
where
    P: SourceProvider,
    S: OffsetStore,
    K: Fn(&P::Envelope, &mut String) + Sync,
    W: Future<Output = ()>,
{
    /// Handles what the source delivers until it ends, an interruption or a failure.
    async fn deliver(&mut self) -> RunResult<P> {
        let (signals, shared, timeout) = {
            let desk = lock(self.desk);
            let run = &desk.run;
            (run.signals, run.shared, run.settings.stop_timeout)
        };
        let (ended, ending) = {
            let mut raised = pin!(signals.raised());
            loop {
                let mut quiet: Option<Quiet<'_>> = None;
                let round = poll_fn(|cx| {
                    quiet = None;
                    if let Some(interruption) = signals.current() {
                        return Poll::Ready(self.interrupted(interruption));
                    }
                    let round = Poll::Ready(self.round(cx));
                    if let Poll::Ready(Round::Wait { is_quiet }) = round {
                        quiet = is_quiet.then(|| shared.quiet());
                        return raised
                            .as_mut()
                            .poll(cx)
                            .map(|interruption| self.interrupted(interruption));
                    }
                    round
                });
                match round.await {
                    Round::Again | Round::Wait { .. } => {}
                    Round::Over(ended, ending) => break (ended, ending),
                }
                // A source that is always ready must leave the worker to others now and then.
                tokio::task::consume_budget().await;
            }
        };
        lock(self.desk).ending = Some(ending);
        self.wakes.mark_all();
        // Whoever does not end by then is dropped where it stands.
        let _late = tokio::time::timeout(timeout, poll_fn(|cx| self.finish(cx))).await;
        ended
    }

    fn interrupted(&self, interruption: Interruption) -> Round<P> {
        lock(self.desk).interrupted();
        Round::Over(Ok(End::Interrupted(interruption)), Ending::FinishesCalls)
    }

    /// Lets the saver, the source and the handlers do what they can.
    fn round(&mut self, cx: &mut Context<'_>) -> Round<P> {
        self.wakes.register(cx.waker());
        let intake = {
            let mut desk = lock(self.desk);
            let tended = desk.tend(cx);
            tended.and_then(|()| desk.take_in(cx, &mut self.keys))
        };
        let intake = match intake {
            Ok(intake) => intake,
            Err(error) => return Round::Over(Err(unplaced(error)), Ending::FinishesCalls),
        };
        let has_worked = self.work();
        let mut desk = lock(self.desk);
        if let Some(failed) = desk.failure.take() {
            return Round::Over(Err(failed), Ending::FinishesCalls);
        }
        let is_done = desk.run.progress.window().unsettled() == 0;
        match intake {
            Intake::Failed(failed) => Round::Over(Err(failed), Ending::FinishesTaken),
            Intake::Ended if is_done => Round::Over(desk.run.source_ended(), Ending::FinishesTaken),
            Intake::Taken => Round::Again,
            _ if has_worked => Round::Again,
            Intake::Nothing => Round::Wait { is_quiet: is_done },
            Intake::Full | Intake::Ended => Round::Wait { is_quiet: false },
        }
    }

    /// Polls the handlers that were woken, and those that have nothing to do while there is
    /// something; gives whether there were any.
    fn work(&mut self) -> bool {
        let mut any = false;
        for at in 0..self.workers.len() {
            if self.wakes.take(at) {
                self.poll_worker(at);
                any = true;
            }
        }
        loop {
            let idle = lock(self.desk).take_idle();
            let Some(at) = idle else { return any };
            self.poll_worker(at);
            any = true;
        }
    }

    fn poll_worker(&mut self, at: usize) {
        if let (Some(worker), Some(waker)) = (self.workers.get_mut(at), self.wakers.get(at))
            && let Some(future) = worker
            && future
                .as_mut()
                .poll(&mut Context::from_waker(waker))
                .is_ready()
        {
            *worker = None;
        }
    }

    /// Ends when all handlers have ended what they still do.
    fn finish(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.wakes.register(cx.waker());
        loop {
            lock(self.desk).keep_saving(cx);
            let has_worked = self.work();
            if self.workers.iter().all(Option::is_none) {
                return Poll::Ready(());
            }
            if !has_worked {
                return Poll::Pending;
            }
        }
    }
}

impl<P: SourceProvider, S: OffsetStore> Desk<'_, '_, P, S> {
    /// Lets saves keep up with what was settled, and tells those who wait for that.
    fn tend(&mut self, cx: &mut Context<'_>) -> Result<(), Error> {
        self.keep_saving(cx);
        self.saver.take_failure()?;
        self.run.waiters.passed(self.run.progress.low());
        if self.saver.is_at_rest() {
            for skip in self.skipped.drain(..) {
                skip.order.asker.tell(Ok(()));
            }
        }
        Ok(())
    }

    /// As [`tend`](Self::tend), when the run ends in any case: the flush meets what fails.
    fn keep_saving(&mut self, cx: &mut Context<'_>) {
        let Self { run, saver, .. } = self;
        saver.tend(cx, &mut run.progress);
        self.look_due = false;
    }
}
