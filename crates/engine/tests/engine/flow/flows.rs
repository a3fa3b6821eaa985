//! Flows of tests, and the projection that the tests begin with.

use std::sync::{Arc, Mutex};

use futures::StreamExt;
use futures::stream::BoxStream;
use projectionist_core::contract::{FlowHandler, HandlerResult, OffsetStore, Stream};
use projectionist_core::{BoxError, FlowContext, FlowContexts, FlowInput};
use projectionist_engine::{FlowAtLeastOnce, Projection, ProjectionHandle, ProjectionRuntime};
use projectionist_testkit::{TestEnvelope, TestSource};
use tokio::sync::watch;

use crate::common::{id, steady_restarts};

pub(crate) type Event = TestEnvelope<u64>;
pub(crate) type Output = BoxStream<'static, Result<FlowContexts, BoxError>>;
pub(crate) type Blueprint<S, F> = Projection<TestSource<u64>, S, FlowAtLeastOnce<F>>;

/// What flows did, over all runs. A clone is the same.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    calls: Vec<String>,
    handled: Vec<u64>,
}

impl Log {
    pub(crate) fn say(&self, call: impl Into<String>) {
        self.0.lock().unwrap().calls.push(call.into());
    }

    /// An event was handled: what it does to the read model is done.
    pub(crate) fn handle(&self, event: u64) {
        self.0.lock().unwrap().handled.push(event);
    }

    /// `start`, `flow` and `stop` of the handlers, and what flows say.
    pub(crate) fn calls(&self) -> String {
        self.0.lock().unwrap().calls.join(" ")
    }

    pub(crate) fn handled(&self) -> Vec<u64> {
        self.0.lock().unwrap().handled.clone()
    }

    /// What was handled, in the order of the source.
    pub(crate) fn sorted(&self) -> Vec<u64> {
        let mut handled = self.handled();
        handled.sort_unstable();
        handled
    }
}

/// A handler whose flow is made by a closure.
pub(crate) struct Flow<M> {
    log: Log,
    make: M,
}

impl<M> FlowHandler<Event> for Flow<M>
where
    M: FnMut(FlowInput<Event>) -> Output + Send + 'static,
{
    fn flow(
        &mut self,
        envelopes: FlowInput<Event>,
    ) -> impl Stream<Item = Result<FlowContexts, BoxError>> + Send + 'static {
        self.log.say("flow");
        (self.make)(envelopes)
    }

    async fn start(&mut self) -> HandlerResult {
        self.log.say("start");
        Ok(())
    }

    async fn stop(&mut self) -> HandlerResult {
        self.log.say("stop");
        Ok(())
    }
}

/// Follows the source and restarts steadily.
pub(crate) fn projection<S, M>(
    source: &TestSource<u64>,
    store: &S,
    log: &Log,
    make: M,
) -> Blueprint<S, impl Fn() -> Flow<M> + Clone + Send + Sync + 'static + use<S, M>>
where
    S: OffsetStore,
    M: FnMut(FlowInput<Event>) -> Output + Clone + Send + Sync + 'static,
{
    let log = log.clone();
    let factory = move || Flow {
        log: log.clone(),
        make: make.clone(),
    };
    Projection::flow(id(), source.clone(), store.clone(), factory).with_restart(steady_restarts())
}

pub(crate) fn spawn<S, F, M>(projection: Blueprint<S, F>) -> ProjectionHandle
where
    S: OffsetStore,
    F: Fn() -> Flow<M> + Send + Sync + 'static,
    M: FnMut(FlowInput<Event>) -> Output + Send + 'static,
{
    ProjectionRuntime::new().spawn(projection).unwrap()
}

/// The one that comes out for an envelope.
pub(crate) fn out(context: FlowContext) -> Result<FlowContexts, BoxError> {
    Ok(context.into())
}

/// Handles one event after the other.
pub(crate) fn in_order(
    log: &Log,
) -> impl Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + use<> {
    let log = log.clone();
    move |input| {
        let log = log.clone();
        let each = move |(envelope, context): (Event, FlowContext)| {
            log.handle(envelope.event);
            out(context)
        };
        input.map(each).boxed()
    }
}

/// Handles events as they come; each context comes out when the gate has let its event pass, so in
/// any order.
pub(crate) fn gated(
    log: &Log,
    gate: &Gate,
) -> impl Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + use<> {
    let (log, gate) = (log.clone(), gate.clone());
    move |input| {
        let (log, gate) = (log.clone(), gate.clone());
        let each = move |(envelope, context): (Event, FlowContext)| {
            let (log, gate) = (log.clone(), gate.clone());
            log.say(format!("in{}", envelope.event));
            async move {
                gate.passes(envelope.event).await;
                log.handle(envelope.event);
                out(context)
            }
        };
        input.map(each).buffer_unordered(100).boxed()
    }
}

/// Lets events pass that a test names. A clone is the same.
#[derive(Clone, Default)]
pub(crate) struct Gate(watch::Sender<Vec<u64>>);

impl Gate {
    pub(crate) fn open(&self, events: impl IntoIterator<Item = u64>) {
        self.0.send_modify(|open| open.extend(events));
    }

    pub(crate) async fn passes(&self, event: u64) {
        let mut open = self.0.subscribe();
        open.wait_for(|open| open.contains(&event)).await.unwrap();
    }
}
