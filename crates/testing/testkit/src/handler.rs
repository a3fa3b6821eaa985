//! Handlers that keep what they were given.

use projectionist_core::contract::{
    Context, GroupContext, GroupedTransactionalHandler, Handler, HandlerResult,
};

use crate::fault::{Place, happen};
use crate::{Recorder, TestEnvelope};

/// The handler of a [`Recorder`]: for single events, and for groups in any kind of transaction, of
/// which it uses nothing.
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
    async fn handle(&self, envelopes: &[TestEnvelope<E>], attempt: u32) -> HandlerResult {
        let positions: Vec<u64> = envelopes.iter().map(|one| one.position.0).collect();
        let names: Vec<String> = positions.iter().map(u64::to_string).collect();
        let recorder = &self.recorder;
        recorder.record(format!("process {}#{attempt}", names.join(",")));
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

impl<E: Clone + Send + Sync + 'static> Handler<TestEnvelope<E>> for RecordingHandler<E> {
    async fn process(
        &mut self,
        envelope: &TestEnvelope<E>,
        context: &Context<'_>,
    ) -> HandlerResult {
        self.handle(std::slice::from_ref(envelope), context.attempt)
            .await
    }

    async fn start(&mut self) -> HandlerResult {
        self.hook(Place::Start, "start")
    }

    async fn stop(&mut self) -> HandlerResult {
        self.hook(Place::Stop, "stop")
    }
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
        self.handle(group, context.attempt).await
    }

    async fn start(&mut self) -> HandlerResult {
        self.hook(Place::Start, "start")
    }

    async fn stop(&mut self) -> HandlerResult {
        self.hook(Place::Stop, "stop")
    }
}
