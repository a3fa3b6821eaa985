//! The projections of these tests.

use projectionist_core::contract::OffsetStore;
use projectionist_engine::{KeyedAtLeastOnce, KeyedConfig, Projection, SaveConfig};
use projectionist_testkit::{Recorder, RecordingHandler, TestEnvelope, TestSource};

use crate::common::{id, secs, steady_restarts};
use crate::keyed::book::key_of;

pub(crate) type Keyed<S, F, K> = Projection<TestSource<u64>, S, KeyedAtLeastOnce<F, K>>;

/// So many handlers, and the limits of the default.
pub(crate) fn handlers(handlers: usize) -> KeyedConfig {
    KeyedConfig {
        handlers,
        ..KeyedConfig::default()
    }
}

/// Saves after so many envelopes, at most so many unsaved.
pub(crate) fn saving(after_envelopes: u64, max_unsaved: u64) -> SaveConfig {
    SaveConfig {
        after_envelopes,
        after: secs(3600),
        max_unsaved,
    }
}

/// Follows the source with eight handlers that tell the recorder everything; the key of an event
/// is `key N`, N its remainder by `keys`.
pub(crate) fn recorded<S: OffsetStore>(
    source: &TestSource<u64>,
    store: &S,
    recorder: &Recorder<u64>,
    keys: u64,
) -> Keyed<
    S,
    impl Fn() -> RecordingHandler<u64> + Clone + Send + Sync + use<S>,
    impl Fn(&TestEnvelope<u64>, &mut String) + Clone + Send + Sync + use<S>,
> {
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    Projection::at_least_once(id(), source.clone(), store.clone(), factory)
        .with_restart(steady_restarts())
        .with_observer(recorder.observer())
        .keyed(handlers(8), key(keys))
}

/// Tells the key of an event.
pub(crate) fn key(
    keys: u64,
) -> impl Fn(&TestEnvelope<u64>, &mut String) + Clone + Send + Sync + 'static {
    move |envelope, key| {
        key.push_str("key ");
        key.push_str(&key_of(envelope.event, keys).to_string());
    }
}
