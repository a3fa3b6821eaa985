//! The projection that the tests of at-least-once begin with.

use projectionist_engine::{AtLeastOnce, Projection, ProjectionHandle, ProjectionRuntime};
use projectionist_testkit::{Recorder, RecordingHandler, TestSource};

use super::{SteeredStore, id, steady_restarts};

pub type Blueprint<F> = Projection<TestSource<u64>, SteeredStore, AtLeastOnce<F>>;

/// Follows the source, restarts steadily, and tells the recorder everything.
pub fn projection(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> Blueprint<impl Fn() -> RecordingHandler<u64> + Clone + Send + Sync + use<>> {
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    Projection::at_least_once(id(), source.clone(), store.clone(), factory)
        .with_restart(steady_restarts())
        .with_observer(recorder.observer())
}

/// Spawns it in a runtime of its own.
pub fn spawn<F>(projection: Blueprint<F>) -> ProjectionHandle
where
    F: Fn() -> RecordingHandler<u64> + Send + Sync + 'static,
{
    ProjectionRuntime::new().spawn(projection).unwrap()
}
