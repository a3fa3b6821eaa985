//! At-least-once through a flow: what comes out of it is settled, in any order.

mod drain;
mod fault;
mod in_flight;
mod lost;
mod run;
mod settle;
mod stall;
mod take;

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures::FutureExt;
use projectionist_core::FlowFeed;
use projectionist_core::contract::{FlowHandler, HandlerResult, OffsetStore, SourceProvider};

use super::Delivery;
use super::conclusion::end_run;
use super::handler_slot::{HandlerSlot, Hooks, hook_ended};
use super::incarnation::{End, Incarnation, RunResult};
use super::observe;
use super::save::{SaveConfig, Saver};
use crate::NoParking;
use crate::progress::WindowLimits;
use crate::recovery::drive::{drive, panic_message};
pub use fault::FlowFault;
use run::FlowRun;

/// How much may be with a flow, and when it is told that nothing comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowConfig {
    /// Bounds on the envelopes that are with the flow and on what came out ahead of others. No
    /// envelope of a flow is held, so `max_held` means nothing here. A flow that makes batches must
    /// be able to fill one within these bounds and within [`SaveConfig::max_unsaved`].
    pub limits: WindowLimits,
    /// When the same envelope is the first one in flight for so long, the status is
    /// [`Blocked`](crate::ProjectionStatus::Blocked) and names it; it may take twice that to be
    /// noticed. Default 10 s.
    pub stalled_after: Duration,
}

impl Default for FlowConfig {
    fn default() -> Self {
        Self {
            limits: WindowLimits::default(),
            stalled_after: Duration::from_secs(10),
        }
    }
}

/// At-least-once through a flow: an envelope's position is saved when its context came out.
///
/// A crash repeats what was handled and not saved: at most [`SaveConfig::max_unsaved`] envelopes,
/// with the flow or out of it. A handler time-out does not apply: a flow is no call.
#[derive(Clone, Debug)]
pub struct FlowAtLeastOnce<F> {
    pub(crate) factory: F,
    pub(crate) save: SaveConfig,
    pub(crate) flow: FlowConfig,
}

impl<F> FlowAtLeastOnce<F> {
    pub(crate) fn new(factory: F) -> Self {
        Self {
            factory,
            save: SaveConfig::default(),
            flow: FlowConfig::default(),
        }
    }
}

impl<P, S, F, H> Delivery<P, S> for FlowAtLeastOnce<F>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: FlowHandler<P::Envelope>,
{
    type Parks = NoParking;

    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || FlowCall {
            handler: (self.factory)(),
            envelope: PhantomData,
        };
        let mut slot = HandlerSlot::build(&factory).map_err(|error| run.hook_failed(error))?;
        let (signals, limits) = (run.signals, run.hook_limits());
        let started = drive(slot.run_start(), signals, limits, |_| ()).await;
        if let Some(interruption) = hook_ended(run, started)? {
            return Ok(End::Interrupted(interruption));
        }
        let (feed, input) = FlowFeed::new(run.lane().clone());
        let made = catch_unwind(AssertUnwindSafe(|| slot.handler().handler.flow(input)));
        let flow = made.map_err(|payload| {
            run.hook_failed(panic_message("the flow handler", payload.as_ref()).into())
        })?;
        let saver = Saver::new(run, self.save);
        observe(|| run.observer().started(run.lane()));
        let mut flows = FlowRun::new(run, saver, feed, flow, self.flow);
        let delivered = AssertUnwindSafe(flows.deliver()).catch_unwind().await;
        // The flow is dropped before its handler stops.
        let (run, saver) = flows.end();
        end_run(run, slot, saver, delivered).await
    }
}

/// A [`FlowHandler`], whose hooks are those of any handler.
struct FlowCall<H, E> {
    handler: H,
    envelope: PhantomData<fn(E)>,
}

impl<E: 'static, H: FlowHandler<E>> Hooks for FlowCall<H, E> {
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.start()
    }
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}
