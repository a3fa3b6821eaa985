//! What becomes of what comes out of a flow, and of a flow that fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use futures::Stream;
use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::flow::{GivenBack, Outcome};
use projectionist_core::{BoxError, Counters, FlowContexts, Offset};
use projectionist_telemetry::{ContextFault, FlowContextLost};

use super::FlowFault;
use super::lost::Lost;
use super::run::{FlowRun, Output};
use crate::delivery::incarnation::{Failed, RunResult};
use crate::delivery::observe;
use crate::recovery::drive::panic_message;

/// How often a flow is polled in one go. It is polled again at once; only, whatever else the run
/// does has its turn before that.
const POLLS: usize = 128;

impl<P, S, O> FlowRun<'_, '_, P, S, O>
where
    P: SourceProvider,
    S: OffsetStore,
    O: Stream<Item = Output> + Send,
{
    /// Settles what has come out by now; `true` when the output has ended.
    pub(super) fn poll_flow(&mut self, cx: &mut Context<'_>) -> RunResult<P, bool> {
        for _ in 0..POLLS {
            let polled = catch_unwind(AssertUnwindSafe(|| self.flow.as_mut().poll_next(cx)));
            let ended = match polled {
                Ok(Poll::Ready(Some(Ok(contexts)))) => {
                    self.came_out(contexts)?;
                    continue;
                }
                Ok(Poll::Ready(Some(Err(error)))) => return Err(self.failed(error)),
                Ok(Poll::Ready(None)) => true,
                Ok(Poll::Pending) => false,
                Err(payload) => {
                    let panicked = panic_message("the flow", payload.as_ref());
                    return Err(self.failed(panicked.into()));
                }
            };
            self.hear(cx);
            return Ok(ended);
        }
        self.hear(cx);
        cx.waker().wake_by_ref();
        Ok(false)
    }

    /// Settles envelopes that were handled.
    fn came_out(&mut self, contexts: FlowContexts) -> RunResult<P, ()> {
        let Self {
            run,
            feed,
            in_flight,
            ..
        } = self;
        let taken = feed.came_out(contexts, |numbers| {
            for delivered in numbers.filter_map(|number| in_flight.take(number)) {
                observe(|| {
                    let position = &delivered.position;
                    run.observer().after_process(run.lane(), position, 1);
                });
                let count = |counters: &mut Counters| {
                    counters.read += 1;
                    counters.applied += 1;
                };
                run.progress.settle_delivered(&delivered.ticket, count);
            }
        });
        run.goes_on();
        run.waiters.passed(run.progress.low());
        taken.map_err(|foreign| {
            let envelopes = foreign.0;
            let fault = FlowFault::ForeignContexts { envelopes };
            self.broke_contract(fault, Some(ContextFault::Foreign), None)
        })
    }

    /// Settles what the flow filtered, and notes what it lost.
    fn hear(&mut self, cx: &Context<'_>) {
        let Self {
            run,
            feed,
            in_flight,
            given_back,
            lost,
            may_lose,
            ..
        } = self;
        feed.hear(cx, given_back);
        if given_back.is_empty() {
            return;
        }
        for GivenBack { outcome, numbers } in given_back.drain(..) {
            for delivered in numbers.filter_map(|number| in_flight.take(number)) {
                match (outcome, &mut *lost) {
                    (Outcome::Filtered, _) => {
                        let count = |counters: &mut Counters| {
                            counters.read += 1;
                            counters.filtered += 1;
                        };
                        run.progress.settle_delivered(&delivered.ticket, count);
                    }
                    (Outcome::Lost, _) if *may_lose => {}
                    (Outcome::Lost, Some(lost)) => lost.add(delivered.position),
                    (Outcome::Lost, none) => *none = Some(Lost::new(delivered.position)),
                }
            }
        }
        run.waiters.passed(run.progress.low());
    }

    /// Fails the run when contexts are lost and no error explains it.
    pub(super) fn meet_loss(&mut self, cx: &mut Context<'_>, ended: bool) -> RunResult<P, ()> {
        if self.may_lose {
            return Ok(());
        }
        let unexplained = |lost: &mut Lost<_>| ended || lost.is_unexplained(cx);
        let Some(lost) = self.lost.take_if(unexplained) else {
            return Ok(());
        };
        let (fault, context) = (FlowFault::ContextLost, Some(ContextFault::Lost));
        Err(self.broke_contract(fault, context, Some(lost.into_position())))
    }

    /// The failure of a flow that ended before its input.
    pub(super) fn ended_early(&mut self) -> Failed<P> {
        self.broke_contract(FlowFault::EndedEarly, None, None)
    }

    /// The failure of a flow that ended and did not give back everything.
    pub(super) fn left_behind(&mut self) -> Failed<P> {
        let envelopes = self.in_flight.len();
        let fault = FlowFault::LeftBehind { envelopes };
        self.broke_contract(fault, Some(ContextFault::Lost), None)
    }

    /// The failure of a flow that broke its contract; `at` is the envelope that is to blame, where
    /// that is not the first one in flight.
    fn broke_contract(
        &mut self,
        fault: FlowFault,
        context: Option<ContextFault>,
        at: Option<P::Position>,
    ) -> Failed<P> {
        let at = at.or_else(|| self.first_in_flight());
        if let Some(context) = context {
            let place = at.as_ref().or(self.run.progress.low()).map(Offset::of);
            FlowContextLost {
                lane: self.run.lane(),
                offset: place.as_ref().map_or("", |offset| offset.text.as_str()),
                fault: context,
            }
            .emit();
        }
        self.failed_at(at, fault.into())
    }

    /// The failure of a flow that gave an error out.
    fn failed(&mut self, error: BoxError) -> Failed<P> {
        let at = self.first_in_flight();
        self.failed_at(at, error)
    }

    fn first_in_flight(&self) -> Option<P::Position> {
        let first = self.in_flight.first();
        first.map(|(_, position)| position.clone())
    }

    /// Tells that the run fails. Its envelopes are with the flow: nobody is shown any.
    fn failed_at(&mut self, at: Option<P::Position>, error: BoxError) -> Failed<P> {
        let Some(position) = at else {
            return self.run.hook_failed(error);
        };
        let action = self.run.given_up_action();
        self.run.attempt_failed(&[], &position, 1, &error, action);
        self.run.exhausted(position, 1, error)
    }
}
