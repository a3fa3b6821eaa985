//! A projection is run until what a test says of it holds, and not longer than that.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::ProjectionId;
use projectionist_core::contract::{Mode, OffsetStore};
use projectionist_engine::{
    AtLeastOnce, Projection, ProjectionRuntime, ProjectionStatus, RestartBackoff,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{
    ProjectionTestKit, Recorder, RecordingHandler, TestClock, TestKitError, TestSource, pass,
};
use tokio::time::Instant;

fn id() -> ProjectionId {
    ProjectionId::new("orders", "all").unwrap()
}

fn kit() -> ProjectionTestKit {
    ProjectionTestKit::new(ProjectionRuntime::with_clock(Arc::new(TestClock::new())))
}

type Blueprint<S, F> = Projection<TestSource<u64>, S, AtLeastOnce<F>>;

fn projection<S: OffsetStore>(
    source: &TestSource<u64>,
    store: &S,
    recorder: &Recorder<u64>,
) -> Blueprint<S, impl Fn() -> RecordingHandler<u64> + Send + Sync + use<S>> {
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    Projection::at_least_once(id(), source.clone(), store.clone(), factory).with_restart(
        RestartBackoff {
            max_restarts: Some(0),
            ..RestartBackoff::default()
        },
    )
}

fn memory() -> MemoryStore {
    MemoryStore::with_clock(Arc::new(TestClock::new()))
}

async fn stored(store: &MemoryStore) -> Option<String> {
    let row = store.lane(&id()).await.unwrap()?;
    row.offset.map(|offset| offset.text)
}

#[tokio::test(start_paused = true)]
async fn it_ends_when_the_assertion_holds_with_the_projection_stopped() {
    let (source, store) = (TestSource::of([1, 2]), memory());
    let recorder = Recorder::default();
    let live = projection(&source, &store, &recorder);
    let began = Instant::now();
    kit()
        .run(live, || recorder.handled() == [1, 2])
        .await
        .unwrap();
    assert!(began.elapsed() < Duration::from_secs(1));
    assert_eq!(recorder.count("stop"), 1);
    assert_eq!(stored(&store).await.unwrap(), "2");
    assert_eq!(store.lane(&id()).await.unwrap().unwrap().holder, None);
}

#[tokio::test(start_paused = true)]
async fn the_assertion_is_looked_at_until_it_holds() {
    let (source, recorder) = (TestSource::of([1]), Recorder::default());
    let live = projection(&source, &memory(), &recorder);
    let (began, mut looks) = (Instant::now(), Vec::new());
    let third_look = || {
        looks.push(began.elapsed());
        looks.len() == 3
    };
    kit().run(live, third_look).await.unwrap();
    let every = [0, 100, 200].map(Duration::from_millis);
    for (look, due) in looks.into_iter().zip(every) {
        assert!(
            look >= due && look < due + Duration::from_millis(10),
            "{look:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_source_runs_out_of_time() {
    let (source, recorder) = (TestSource::of([]), Recorder::default());
    let live = projection(&source, &memory(), &recorder);
    let began = Instant::now();
    let assertion = || match recorder.handled().len() {
        0 => Err("no event came"),
        _ => Ok(()),
    };
    let error = kit().run(live, assertion).await.unwrap_err();
    let waited = began.elapsed();
    assert!(
        waited >= Duration::from_secs(3) && waited < Duration::from_secs(4),
        "{waited:?}"
    );
    let TestKitError::TimedOut {
        status, missing, ..
    } = &error
    else {
        panic!("{error}");
    };
    let waits = matches!(
        **status,
        ProjectionStatus::Running { .. } | ProjectionStatus::Idle { .. }
    );
    assert!(waits, "{status:?}");
    let status = status.to_string();
    assert_eq!(missing.as_deref(), Some("no event came"));
    let text = error.to_string();
    for word in ["orders/all", "3s", "no event came", &status] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert_eq!(recorder.count("stop"), 1);
}

#[tokio::test(start_paused = true)]
async fn both_times_can_be_set() {
    let (source, recorder) = (TestSource::of([]), Recorder::<u64>::default());
    let live = projection(&source, &memory(), &recorder);
    let (began, mut looks) = (Instant::now(), 0);
    let kit = kit()
        .with_timeout(Duration::from_secs(60))
        .with_poll_interval(Duration::from_secs(7));
    let never = || {
        looks += 1;
        false
    };
    kit.run(live, never).await.unwrap_err();
    assert_eq!((looks, began.elapsed().as_secs()), (9, 60));
}

#[tokio::test(start_paused = true)]
async fn an_assertion_that_waits_is_out_of_time_too() {
    let (source, store, recorder) = (TestSource::of([1]), memory(), Recorder::default());
    let live = projection(&source, &store, &recorder);
    let hangs = async || std::future::pending::<bool>().await;
    let error = kit().run_async(live, hangs).await.unwrap_err();
    assert!(matches!(error, TestKitError::TimedOut { .. }), "{error}");
    let live = projection(&source, &store, &recorder);
    let saved = async || stored(&store).await.as_deref() == Some("1");
    kit().run_async(live, saved).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_projection_is_told_at_once() {
    for of_the_source in [false, true] {
        let (source, recorder) = (TestSource::of([1, 2]), Recorder::default());
        if of_the_source {
            source.fail_behind(1, "the disk is gone");
        } else {
            recorder.refuse(2);
        }
        let live = projection(&source, &memory(), &recorder);
        let began = Instant::now();
        let error = kit().run(live, || false).await.unwrap_err();
        assert!(matches!(error, TestKitError::Failed { .. }), "{error}");
        let reason = if of_the_source {
            "the disk is gone"
        } else {
            "2 does not fit"
        };
        assert!(error.to_string().contains(reason), "{error}");
        assert!(began.elapsed() < Duration::from_secs(1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_completed_projection_may_still_show_what_it_did() {
    let (source, recorder) = (TestSource::of([1]), Recorder::default());
    let current = projection(&source, &memory(), &recorder).with_mode(Mode::Current);
    let mut looks = 0;
    let later = || {
        looks += 1;
        looks == 5
    };
    kit().run(current, later).await.unwrap();
    assert_eq!(recorder.handled(), [1]);
}

#[tokio::test(start_paused = true)]
async fn one_that_runs_already_cannot_be_run() {
    let (source, store, recorder) = (TestSource::of([1]), memory(), Recorder::default());
    let runtime = ProjectionRuntime::new();
    let running = runtime
        .spawn(projection(&source, &store, &recorder))
        .unwrap();
    let again = projection(&source, &store, &recorder);
    let error = ProjectionTestKit::new(runtime).run(again, || true).await;
    assert!(matches!(error, Err(TestKitError::NotStarted { .. })));
    running.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn nothing_is_handled_before_it_is_requested_across_restarts() {
    let (source, recorder) = (TestSource::of([1, 2, 3]), Recorder::default());
    let pace = source.manual_pace();
    recorder.fail_at(2, 1);
    let restarting = projection(&source, &memory(), &recorder)
        .with_restart(RestartBackoff::default())
        .with_observer(recorder.observer());
    let running = ProjectionRuntime::new().spawn(restarting).unwrap();
    pass(Duration::from_secs(60)).await;
    assert_eq!(recorder.count("process"), 0);
    pace.request_one();
    recorder.has_handled(1).await;
    // The second is delivered, fails, and needs demand once more when it is delivered again.
    pace.request_one();
    recorder.has_called("observer.started", 2).await;
    pass(Duration::from_secs(60)).await;
    assert_eq!((recorder.handled(), pace.outstanding()), (vec![1], 0));
    pace.request(2);
    recorder.has_handled(3).await;
    assert_eq!(recorder.handled(), [1, 2, 3]);
    running.stop_and_wait().await.unwrap();
}
