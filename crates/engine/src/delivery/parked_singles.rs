//! What parking is in at-least-once: the saves of the loop park, and let go.

use std::pin::pin;

use std::task::Context as TaskContext;

use projectionist_core::contract::{Context, OffsetStore, SourceProvider};
use projectionist_core::{ParkedEnvelope, Result};

use super::incarnation::{Incarnation, RunResult, unplaced};
use super::observe;
use super::parking_loop::{ParkingLoop, Tried};
use super::single_call::SingleCall;
use super::singles::Singles;
use crate::parking::{Lot, ParkRule};
use crate::recovery::drive::{Call, called};
use crate::signals::Interruption;

impl<'a, 'l, P, S, F, H, R> ParkingLoop<'a, 'l, P, S, R> for Singles<'_, 'a, 'l, P, S, F, H, R>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Sync,
    H: SingleCall<P::Envelope>,
    R: ParkRule<P, S>,
{
    fn parts(&mut self) -> (&mut Incarnation<'a, P, S>, &mut Lot<'l, P, R>) {
        (self.run, &mut self.lot)
    }

    fn tend(&mut self, cx: &mut TaskContext<'_>) -> Result<()> {
        let Self { run, saver, .. } = self;
        saver.tend(cx, &mut run.progress);
        saver.take_failure()
    }

    fn max_unsaved(&self) -> u64 {
        self.saver.max_unsaved()
    }

    async fn settle_parked(&mut self, position: P::Position) -> RunResult<P, Option<Interruption>> {
        self.run.progress.settle(position, |counters| {
            counters.read += 1;
            counters.parked_total += 1;
        });
        Ok(None)
    }

    async fn store_staged(&mut self) -> RunResult<P, Option<Interruption>> {
        let Self { run, saver, .. } = self;
        let timeout = run.settings.stop_timeout;
        let flushed = saver.flush(&mut run.progress, run.signals, timeout).await;
        run.waiters.passed(run.progress.low());
        flushed.map_err(unplaced)?;
        Ok(None)
    }

    async fn call_parked(
        &mut self,
        parked: &ParkedEnvelope,
        envelope: &P::Envelope,
        position: &P::Position,
    ) -> RunResult<P, Tried> {
        let Self {
            run, slot, saver, ..
        } = self;
        let lane = &run.claim.lane;
        let observer = run.settings.observer.as_ref();
        observe(|| observer.before_process(lane, position, 1));
        let context = Context {
            lane,
            position,
            attempt: parked.attempts.saturating_add(1),
            replay: parked.replay,
        };
        let called = {
            // Called within the future, so that a panic of the call itself is met as well.
            let call = pin!(async { slot.handler().call(envelope, &context).await });
            let (signals, limits) = (run.signals, run.limits());
            let progress = &mut run.progress;
            called(call, signals, limits, |cx| saver.tend(cx, progress)).await
        };
        Ok(match called.map_err(|trouble| *trouble) {
            Ok(()) | Err(Call::Returned(Ok(()))) => {
                observe(|| observer.after_process(lane, position, 1));
                run.unpark(parked, |counters| counters.applied += 1);
                Tried::Handled
            }
            Err(Call::Returned(Err(error))) => Tried::Failed {
                error,
                broken: false,
            },
            Err(Call::Broken(error)) => {
                slot.discard();
                Tried::Failed {
                    error,
                    broken: true,
                }
            }
            Err(Call::Abandoned(interruption)) => Tried::Interrupted(interruption),
        })
    }

    fn replace_broken(
        &mut self,
    ) -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send {
        self.replace_handler()
    }
}
