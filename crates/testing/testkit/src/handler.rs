//! Handlers that keep what they were given.

use projectionist_core::contract::{
    Context, GroupContext, GroupedHandler, GroupedTransactionalHandler, Handler, HandlerResult,
    TransactionalHandler,
};

use crate::fault::{Place, happen};
use crate::{Recorder, TestEnvelope};

/// The handler of a [`Recorder`]: for single events and for groups, alone or in any kind of
/// transaction, of which it uses nothing.
#[derive(Debug)]
pub struct RecordingHandler<E> {
    recorder: Recorder<E>,
}

impl<E> RecordingHandler<E> {
    pub(crate) fn new(recorder: Recorder<E>) -> Self {
        Self { recorder }
    }
}

impl<E: Clone + Send + Sync + 'static> RecordingHandler<E> {
    async fn handle(
        &self,
        envelopes: &[TestEnvelope<E>],
        attempt: u32,
        replay: bool,
    ) -> HandlerResult {
        let positions: Vec<u64> = envelopes.iter().map(|one| one.position.0).collect();
        let names: Vec<String> = positions.iter().map(u64::to_string).collect();
        let recorder = &self.recorder;
        let replay = if replay { " replay" } else { "" };
        recorder.record(format!("process {}#{attempt}{replay}", names.join(",")));
        let free = |held: &std::collections::BTreeSet<u64>| {
            positions.iter().all(|position| !held.contains(position))
        };
        recorder.until(|state| free(&state.held)).await;
        let places: Vec<Place> = positions.into_iter().map(Place::Position).collect();
        self.strike(&places)?;
        let events = envelopes.iter().map(|envelope| envelope.event.clone());
        recorder.lock().handled.extend(events);
        recorder.tell_change();
        Ok(())
    }

    /// Fails or panics when a fault is planned for one of these places.
    fn strike(&self, places: &[Place]) -> HandlerResult {
        let fault = self.recorder.lock().faults.strike(places);
        fault.map_or(Ok(()), |fault| Err(happen(fault)))
    }

    fn hook(&self, place: Place, name: &str) -> HandlerResult {
        self.recorder.record(name);
        self.strike(&[place])
    }
}

/// The hooks of a handler, which are the same whatever it handles.
macro_rules! hooks {
    () => {
        async fn start(&mut self) -> HandlerResult {
            self.hook(Place::Start, "start")
        }

        async fn stop(&mut self) -> HandlerResult {
            self.hook(Place::Stop, "stop")
        }
    };
}

impl<E: Clone + Send + Sync + 'static> Handler<TestEnvelope<E>> for RecordingHandler<E> {
    async fn process(
        &mut self,
        envelope: &TestEnvelope<E>,
        context: &Context<'_>,
    ) -> HandlerResult {
        let alone = std::slice::from_ref(envelope);
        self.handle(alone, context.attempt, context.replay).await
    }

    hooks!();
}

impl<E: Clone + Send + Sync + 'static> GroupedHandler<TestEnvelope<E>> for RecordingHandler<E> {
    async fn process(
        &mut self,
        group: &[TestEnvelope<E>],
        context: GroupContext<'_>,
    ) -> HandlerResult {
        self.handle(group, context.attempt, context.replay).await
    }

    hooks!();
}

impl<E, Tx> TransactionalHandler<TestEnvelope<E>, Tx> for RecordingHandler<E>
where
    E: Clone + Send + Sync + 'static,
    Tx: Send + 'static,
{
    async fn process(
        &mut self,
        _: &mut Tx,
        envelope: &TestEnvelope<E>,
        context: &Context<'_>,
    ) -> HandlerResult {
        let alone = std::slice::from_ref(envelope);
        self.handle(alone, context.attempt, context.replay).await
    }

    hooks!();
}

impl<E, Tx> GroupedTransactionalHandler<TestEnvelope<E>, Tx> for RecordingHandler<E>
where
    E: Clone + Send + Sync + 'static,
    Tx: Send + 'static,
{
    async fn process(
        &mut self,
        _: &mut Tx,
        group: &[TestEnvelope<E>],
        context: GroupContext<'_>,
    ) -> HandlerResult {
        self.handle(group, context.attempt, context.replay).await
    }

    hooks!();
}
