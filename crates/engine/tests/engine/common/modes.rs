//! One projection under every guarantee, for what must hold under all of them.

use projectionist_core::BoxError;
use projectionist_core::contract::{
    Context, Handler, HandlerResult, OffsetStore, Settlement, SettlingHandler, SourceProvider,
    TransactionalOffsetStore,
};
use projectionist_engine::{
    FailurePolicy, Projection, ProjectionHandle, ProjectionRuntime, SaveConfig, Settings,
};
use projectionist_testkit::{Recorder, RecordingHandler, TestEnvelope};

use super::grouped::groups_of;
use super::{id, secs, steady_restarts};

/// The guarantees that need nothing of a store but its offsets.
pub const WITHOUT_TRANSACTION: [Guarantee; 4] = [
    Guarantee::AtLeastOnce,
    Guarantee::SettledAtLeastOnce,
    Guarantee::AtMostOnce,
    Guarantee::GroupedAtLeastOnce,
];

/// All of them.
pub const ALL: [Guarantee; 6] = [
    Guarantee::AtLeastOnce,
    Guarantee::SettledAtLeastOnce,
    Guarantee::AtMostOnce,
    Guarantee::GroupedAtLeastOnce,
    Guarantee::ExactlyOnce,
    Guarantee::GroupedExactlyOnce,
];

/// A delivery guarantee; groups have two envelopes.
#[allow(
    clippy::enum_variant_names,
    reason = "they are the names of the guarantees"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    AtLeastOnce,
    SettledAtLeastOnce,
    AtMostOnce,
    GroupedAtLeastOnce,
    ExactlyOnce,
    GroupedExactlyOnce,
}

impl Guarantee {
    pub fn is_grouped(self) -> bool {
        matches!(self, Self::GroupedAtLeastOnce | Self::GroupedExactlyOnce)
    }
}

/// Acknowledges what its handler handles.
pub struct Acknowledges(pub RecordingHandler<u64>);

impl SettlingHandler<TestEnvelope<u64>> for Acknowledges {
    async fn process(
        &mut self,
        envelope: &TestEnvelope<u64>,
        context: &Context<'_>,
    ) -> Result<Settlement, BoxError> {
        Handler::process(&mut self.0, envelope, context).await?;
        Ok(Settlement::Ack)
    }

    async fn start(&mut self) -> HandlerResult {
        Handler::<TestEnvelope<u64>>::start(&mut self.0).await
    }

    async fn stop(&mut self) -> HandlerResult {
        Handler::<TestEnvelope<u64>>::stop(&mut self.0).await
    }
}

/// Follows the source, restarts steadily, and tells the recorder everything.
pub fn settings(recorder: &Recorder<u64>) -> Settings {
    Settings {
        failures: FailurePolicy {
            restart: steady_restarts(),
            ..FailurePolicy::default()
        },
        observer: recorder.observer(),
        ..Settings::default()
    }
}

/// Saves seldom, so that a tail is unsaved when something happens.
pub fn seldom() -> SaveConfig {
    SaveConfig {
        after_envelopes: 100,
        after: secs(3600),
        ..SaveConfig::default()
    }
}

/// Spawns a projection under `guarantee`, in a runtime of its own.
pub fn spawn<P, S>(
    guarantee: Guarantee,
    source: &P,
    store: &S,
    recorder: &Recorder<u64>,
    settings: &Settings,
) -> ProjectionHandle
where
    P: SourceProvider<Envelope = TestEnvelope<u64>> + Clone,
    S: TransactionalOffsetStore,
{
    let runtime = ProjectionRuntime::new();
    spawn_in(&runtime, guarantee, source, store, recorder, settings)
}

/// As [`spawn`], in this runtime.
pub fn spawn_in<P, S>(
    runtime: &ProjectionRuntime,
    guarantee: Guarantee,
    source: &P,
    store: &S,
    recorder: &Recorder<u64>,
    settings: &Settings,
) -> ProjectionHandle
where
    P: SourceProvider<Envelope = TestEnvelope<u64>> + Clone,
    S: TransactionalOffsetStore,
{
    let (source_of, store_of, settings_of) = (source.clone(), store.clone(), settings.clone());
    let recorder_of = recorder.clone();
    let factory = move || recorder_of.handler();
    match guarantee {
        Guarantee::ExactlyOnce => runtime.spawn(
            Projection::exactly_once(id(), source_of, store_of, factory).with_settings(settings_of),
        ),
        Guarantee::GroupedExactlyOnce => runtime.spawn(
            Projection::grouped_exactly_once(id(), source_of, store_of, factory)
                .with_group(groups_of(2))
                .with_settings(settings_of),
        ),
        other => {
            return spawn_without_transaction(runtime, other, source, store, recorder, settings);
        }
    }
    .unwrap()
}

/// As [`spawn`], on a store that need not lend transactions.
pub fn spawn_without_transaction<P, S>(
    runtime: &ProjectionRuntime,
    guarantee: Guarantee,
    source: &P,
    store: &S,
    recorder: &Recorder<u64>,
    settings: &Settings,
) -> ProjectionHandle
where
    P: SourceProvider<Envelope = TestEnvelope<u64>> + Clone,
    S: OffsetStore,
{
    let (source, store, settings) = (source.clone(), store.clone(), settings.clone());
    let recorder = recorder.clone();
    match guarantee {
        Guarantee::AtLeastOnce => runtime.spawn(
            Projection::at_least_once(id(), source, store, move || recorder.handler())
                .with_save(seldom())
                .with_settings(settings),
        ),
        Guarantee::SettledAtLeastOnce => runtime.spawn(
            Projection::settled_at_least_once(id(), source, store, move || {
                Acknowledges(recorder.handler())
            })
            .with_save(seldom())
            .with_settings(settings),
        ),
        Guarantee::AtMostOnce => runtime.spawn(
            Projection::at_most_once(id(), source, store, move || recorder.handler())
                .with_settings(settings),
        ),
        Guarantee::GroupedAtLeastOnce => runtime.spawn(
            Projection::grouped_at_least_once(id(), source, store, move || recorder.handler())
                .with_group(groups_of(2))
                .with_settings(settings),
        ),
        Guarantee::ExactlyOnce | Guarantee::GroupedExactlyOnce => {
            unreachable!("{guarantee:?} needs transactions")
        }
    }
    .unwrap()
}
