//! What becomes of failures as a whole: the two presets, and the order in which a failure is told.

use crate::common::modes::{ALL, Guarantee, settings, spawn};
use crate::common::{SteeredStore, millis, numbers, secs, stored};
use projectionist_core::Error;
use projectionist_core::contract::FailureAction;
use projectionist_engine::{
    FailurePolicy, ProjectionHandle, ProjectionStatus, RestartBackoff, Settings, WhenExhausted,
};
use projectionist_testkit::{Recorder, TestSource, pass};
use tokio::time::Instant;

fn with(recorder: &Recorder<u64>, failures: FailurePolicy) -> Settings {
    Settings {
        failures,
        ..settings(recorder)
    }
}

/// Fails at four without end.
fn fails_at_four(
    guarantee: Guarantee,
    failures: FailurePolicy,
) -> (
    ProjectionHandle,
    TestSource<u64>,
    SteeredStore,
    Recorder<u64>,
) {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, usize::MAX);
    let settings = with(&recorder, failures);
    let running = spawn(guarantee, &source, &store, &recorder, &settings);
    (running, source, store, recorder)
}

/// What is stored before the failure at four.
fn low(guarantee: Guarantee) -> u64 {
    match guarantee {
        Guarantee::AtMostOnce => 4,
        guarantee if guarantee.is_grouped() => 2,
        _ => 3,
    }
}

/// The preset of those who stop: four attempts after 1, 2 and 4 seconds, then the projection has
/// failed, keeps its offset, and a later one begins with what failed.
#[tokio::test(start_paused = true)]
async fn the_stopping_preset_makes_four_attempts_and_keeps_the_offset() {
    for guarantee in ALL {
        let (running, source, store, recorder) =
            fails_at_four(guarantee, FailurePolicy::stopping());
        let began = Instant::now();
        let error = running.wait().await.unwrap_err();
        assert!(matches!(&*error, Error::Handler { .. }), "{error}");
        let tries = if guarantee == Guarantee::AtMostOnce {
            1
        } else {
            4
        };
        assert_eq!(recorder.count("observer.error 4#"), tries, "{guarantee:?}");
        assert_eq!(began.elapsed(), if tries == 1 { secs(0) } else { secs(7) });
        let mut expected = vec![FailureAction::Retry; tries - 1];
        expected.push(FailureAction::Stop);
        assert_eq!(recorder.actions(), expected, "{guarantee:?}");
        assert_eq!(
            stored(&store.inner).await,
            Some(low(guarantee)),
            "{guarantee:?}"
        );
        assert!(matches!(running.status(), ProjectionStatus::Failed { .. }));
        let mended = Recorder::default();
        let settings = settings(&mended);
        let _again = spawn(guarantee, &source, &store, &mended, &settings);
        let rest = numbers(6).split_off(usize::try_from(low(guarantee)).unwrap());
        mended.has_handled(rest.len()).await;
        assert_eq!(mended.handled(), rest, "{guarantee:?}");
    }
}

/// The preset of those who go on: one attempt a run, and another run after a wait that grows.
#[tokio::test(start_paused = true)]
async fn the_restarting_preset_tries_once_a_run_for_as_long_as_it_takes() {
    for guarantee in ALL.into_iter().filter(|one| *one != Guarantee::AtMostOnce) {
        let (running, _, _, recorder) = fails_at_four(guarantee, FailurePolicy::restarting());
        recorder.has_called("observer.failed", 50).await;
        assert_eq!(recorder.count("observer.error 4#"), 50, "{guarantee:?}");
        assert!(
            recorder
                .actions()
                .iter()
                .all(|action| *action == FailureAction::Restart)
        );
        assert!(!running.status().is_terminal());
        running.stop_and_wait().await.unwrap();
    }
}

/// Datum's row 2: with the default settings the waits grow, and a limit on restarts is met.
#[tokio::test(start_paused = true)]
async fn the_default_waits_grow_and_a_limit_on_restarts_is_met() {
    for max_restarts in [None, Some(2)] {
        let restart = RestartBackoff {
            max_restarts,
            ..RestartBackoff::default()
        };
        let policy = FailurePolicy {
            restart,
            ..FailurePolicy::default()
        };
        let guarantee = Guarantee::AtLeastOnce;
        let (running, _, _, recorder) = fails_at_four(guarantee, policy);
        let mut failed = Vec::new();
        for times in 1..=3 {
            recorder.has_called("observer.failed", times).await;
            failed.push(Instant::now());
        }
        for (waits, least) in failed.windows(2).zip([3, 6]) {
            let wait = waits[1] - waits[0];
            let most = secs(least).mul_f64(1.2);
            assert!((secs(least)..=most).contains(&wait), "{wait:?}");
        }
        pass(millis(1)).await;
        let ended = running.status().is_terminal();
        assert_eq!(ended, max_restarts.is_some(), "{:?}", running.status());
    }
}

/// Facts 67 and 68: what is told of a failure, in its order.
#[tokio::test(start_paused = true)]
async fn a_failure_is_told_in_its_order_and_the_next_run_begins_with_what_failed() {
    let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, 1);
    let settings = settings(&recorder);
    let running = spawn(
        Guarantee::ExactlyOnce,
        &source,
        &store,
        &recorder,
        &settings,
    );
    recorder.has_called("observer.progress 5", 1).await;
    running.stop_and_wait().await.unwrap();
    let calls = recorder.calls();
    let failed = calls
        .iter()
        .position(|call| call == "observer.error 4#1")
        .unwrap();
    let expected = [
        "observer.error 4#1",
        "stop",
        "observer.failed",
        "observer.stopped",
        "created",
        "start",
        "observer.started",
        "observer.before 4",
        "process 4#1",
        "observer.after 4",
        "observer.progress 4",
        "observer.before 5",
        "process 5#1",
        "observer.after 5",
        "observer.progress 5",
        "stop",
        "observer.stopped",
    ];
    assert_eq!(calls[failed..], expected);
    assert_eq!(
        recorder.count("observer.progress"),
        5,
        "one for every saved offset"
    );
}

/// Only what a handler could not do stops the projection: a source that is away is waited for.
#[tokio::test(start_paused = true)]
async fn stopping_when_exhausted_is_about_handlers_alone() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        let recorder = Recorder::default();
        let policy = FailurePolicy {
            when_exhausted: WhenExhausted::Stop,
            ..settings(&recorder).failures
        };
        source.fail_next_open("away");
        store.plan(
            crate::common::store::Verb::Claim,
            crate::common::store::Fault::Refused,
        );
        let settings = with(&recorder, policy);
        let running = spawn(guarantee, &source, &store, &recorder, &settings);
        recorder.has_handled(2).await;
        source.fail_behind(2, "away");
        recorder.has_called("observer.started", 2).await;
        assert!(!running.status().is_terminal(), "{guarantee:?}");
    }
}
