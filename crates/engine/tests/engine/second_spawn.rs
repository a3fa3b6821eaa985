//! A second projection of the same identity, in one process and between runtimes.

use crate::common::modes::{ALL, settings, spawn_in};
use crate::common::store::Verb;
use crate::common::{SteeredStore, id, numbers};
use projectionist_core::{Error, ProjectionId};
use projectionist_engine::{Projection, ProjectionRuntime};
use projectionist_testkit::{Recorder, TestSource};

fn projection(
    id: ProjectionId,
    recorder: &Recorder<u64>,
    store: &SteeredStore,
) -> Projection<
    TestSource<u64>,
    SteeredStore,
    projectionist_engine::AtLeastOnce<
        impl Fn() -> projectionist_testkit::RecordingHandler<u64> + use<>,
    >,
> {
    let recorder = recorder.clone();
    let source = TestSource::of(numbers(3));
    Projection::at_least_once(id, source, store.clone(), move || recorder.handler())
}

/// In every state that a projection can be in before it has ended.
#[tokio::test(start_paused = true)]
async fn a_second_spawn_is_refused_before_anything_is_claimed_until_the_first_has_ended() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
        let settings = settings(&recorder);
        let running = spawn_in(&runtime, guarantee, &source, &store, &recorder, &settings);
        let others = SteeredStore::default();
        let second = async || {
            let spawned = runtime.clone().spawn(projection(id(), &recorder, &others));
            let error = spawned.unwrap_err();
            assert!(
                matches!(&error, Error::AlreadyRunning(lane) if *lane == id()),
                "{error}"
            );
        };
        second().await;
        recorder.has_handled(3).await;
        second().await;
        running.pause_and_wait().await.unwrap();
        second().await;
        source.fail_behind(3, "away");
        running.resume().await.unwrap();
        recorder.has_called("observer.failed", 1).await;
        second().await;
        for verb in [Verb::Claim, Verb::Manage, Verb::Load, Verb::Commit] {
            assert_eq!(others.count(verb), 0, "{guarantee:?}, {verb:?}");
        }
        running.stop_and_wait().await.unwrap();
        // Whoever hears of the end can spawn it again at once.
        let again = spawn_in(&runtime, guarantee, &source, &store, &recorder, &settings);
        again.stop_and_wait().await.unwrap();
    }
}

/// Names and keys are compared as a pair: "a" with "b-c" is not "a-b" with "c".
#[tokio::test(start_paused = true)]
async fn identities_are_pairs_and_not_texts() {
    let (store, runtime) = (SteeredStore::default(), ProjectionRuntime::new());
    let recorder = Recorder::default();
    let spawn = |name: &str, key: &str| {
        let id = ProjectionId::new(name, key).unwrap();
        runtime.spawn(projection(id, &recorder, &store)).unwrap()
    };
    let _both = (spawn("a", "b-c"), spawn("a-b", "c"));
    recorder.has_handled(6).await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_projection_lets_it_be_spawned_again() {
    let (store, runtime) = (SteeredStore::default(), ProjectionRuntime::new());
    let recorder = Recorder::default();
    store.plan(Verb::Claim, crate::common::store::Fault::Panics);
    let first = runtime.spawn(projection(id(), &recorder, &store)).unwrap();
    first.wait().await.unwrap_err();
    let _second = runtime.spawn(projection(id(), &recorder, &store)).unwrap();
    recorder.has_handled(3).await;
}
