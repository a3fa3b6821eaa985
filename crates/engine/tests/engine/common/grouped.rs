//! The projection that the tests of grouped exactly-once begin with.

use projectionist_core::contract::{DeadLetterFilter, Mode};
use projectionist_engine::{
    GroupConfig, GroupedExactlyOnce, Projection, ProjectionHandle, ProjectionRuntime, Recovery,
    RetryDelay,
};
use projectionist_testkit::{Recorder, TestSource};

use super::model::Model;
use super::{SteeredStore, id, secs, steady_restarts};

pub type Blueprint<F> = Projection<TestSource<u64>, SteeredStore, GroupedExactlyOnce<F>>;

/// Reads the source to its end in groups of three, restarts steadily, and tells the recorder
/// everything.
pub fn projection(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> Blueprint<impl Fn() -> Model + Clone + Send + Sync + use<>> {
    let factory = {
        let recorder = recorder.clone();
        move || Model::of(&recorder)
    };
    Projection::grouped_exactly_once(id(), source.clone(), store.clone(), factory)
        .with_restart(steady_restarts())
        .with_observer(recorder.observer())
        .with_group(groups_of(3))
        .with_mode(Mode::Current)
}

pub fn groups_of(max_envelopes: usize) -> GroupConfig {
    GroupConfig {
        max_envelopes,
        ..GroupConfig::default()
    }
}

/// Spawns it in a runtime of its own.
pub fn spawn<F>(projection: Blueprint<F>) -> ProjectionHandle
where
    F: Fn() -> Model + Send + Sync + 'static,
{
    ProjectionRuntime::new().spawn(projection).unwrap()
}

/// So many retries, a second apart.
pub fn retries(retries: u32) -> Recovery {
    let delay = RetryDelay::Fixed(secs(1));
    Recovery::RetryAndFail { retries, delay }
}

/// The groups that handlers were called with: their positions and the attempt.
pub fn groups(recorder: &Recorder<u64>) -> Vec<String> {
    let calls = recorder.calls();
    let groups = calls
        .iter()
        .filter_map(|call| call.strip_prefix("process "));
    groups.map(ToOwned::to_owned).collect()
}

/// All letters of a projection; of the sources for the empty name.
pub fn letters_of(projection: &str) -> DeadLetterFilter {
    DeadLetterFilter {
        projection: Some(projection.to_owned()),
        limit: usize::MAX,
        ..DeadLetterFilter::default()
    }
}
