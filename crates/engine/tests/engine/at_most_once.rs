//! At-most-once: what is lost, what is never repeated, and what adds up.

use crate::common::crash::{dies_after, lives};
use crate::common::modes::{Guarantee, settings, spawn};
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, applied, id, lane, millis, no_restart, numbers, secs, stored};
use projectionist_core::Counters;
use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, Mode};
use projectionist_engine::{
    AtMostOnce, Completion, LossRecovery, Projection, ProjectionRuntime, ProjectionStatus, Settings,
};
use projectionist_testkit::{Recorder, RecordingHandler, TestSource, pass};

type Blueprint<F> = Projection<TestSource<u64>, SteeredStore, AtMostOnce<F>>;

fn projection(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> Blueprint<impl Fn() -> RecordingHandler<u64> + Clone + Send + Sync + use<>> {
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    let settings = Settings {
        mode: Mode::Current,
        ..settings(recorder)
    };
    Projection::at_most_once(id(), source.clone(), store.clone(), factory).with_settings(settings)
}

/// Runs it to its end.
async fn completes<F>(projection: Blueprint<F>)
where
    F: Fn() -> RecordingHandler<u64> + Send + Sync + 'static,
{
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
}

/// Fact 12.
#[tokio::test(start_paused = true)]
async fn every_position_is_saved_before_its_envelope_is_handled() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    completes(projection(&source, &store, &recorder)).await;
    assert_eq!(recorder.handled(), numbers(6));
    assert_eq!(store.saved(), numbers(6), "one save an envelope");
    assert_eq!(lane(&store.inner).await.counters, applied(6));
    let order: Vec<String> = recorder.calls();
    let place = |call: String| order.iter().position(|one| *one == call).unwrap();
    for position in 1..=6 {
        let saved = place(format!("observer.progress {position}"));
        assert!(saved < place(format!("process {position}#1")), "{order:?}");
    }
}

/// Facts 13 and 15.
#[tokio::test(start_paused = true)]
async fn what_failed_is_lost_for_good_and_counted_once() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, usize::MAX);
    let once = projection(&source, &store, &recorder).with_restart(no_restart());
    let first = ProjectionRuntime::new().spawn(once.clone()).unwrap();
    let error = first.wait().await.unwrap_err().to_string();
    assert!(error.contains("at 4 after 1 attempt"), "{error}");
    assert_eq!(stored(&store.inner).await, Some(4));
    assert_eq!(recorder.count("observer.after 4"), 0);
    assert_eq!(recorder.count("observer.progress 4"), 1);
    completes(once).await;
    assert_eq!(recorder.handled(), [1, 2, 3, 5, 6]);
    assert_eq!(recorder.count("process 4"), 1, "it is never tried again");
    let expected = Counters {
        read: 6,
        skipped: 1,
        ..applied(5)
    };
    assert_eq!(lane(&store.inner).await.counters, expected);
}

/// Fact 14 as far as a run can show it; that retries are not offered is a matter of types.
#[tokio::test(start_paused = true)]
async fn a_failure_that_is_skipped_costs_one_attempt_and_the_run_goes_on() {
    for breaks in [Recorder::panic_at, |recorder: &Recorder<u64>, position| {
        recorder.fail_at(position, usize::MAX);
    }] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        breaks(&recorder, 4);
        completes(projection(&source, &store, &recorder).with_recovery(LossRecovery::Skip)).await;
        assert_eq!(recorder.handled(), [1, 2, 3, 5, 6]);
        assert_eq!(recorder.count("process 4"), 1);
        assert_eq!(recorder.count("observer.failed"), 0);
        assert_eq!(lane(&store.inner).await.counters.skipped, 1);
    }
}

#[test]
fn a_crash_loses_the_envelope_in_flight_and_repeats_none() {
    for dies_at in [1, 4, 6] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.hold_at(dies_at);
        let (runtime, projection) = (
            ProjectionRuntime::new(),
            projection(&source, &store, &recorder),
        );
        dies_after(async {
            let handle = runtime.spawn(projection.clone()).unwrap();
            recorder.has_called(&format!("process {dies_at}#"), 1).await;
            std::mem::forget(handle);
        });
        recorder.release(dies_at);
        lives(async { runtime.spawn(projection).unwrap().wait().await.unwrap() });
        let survivors: Vec<u64> = numbers(6).into_iter().filter(|n| *n != dies_at).collect();
        assert_eq!(recorder.handled(), survivors);
        let counters = lives(lane(&store.inner)).counters;
        assert_eq!((counters.read, counters.pending()), (6, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_save_that_fails_loses_neither_its_envelope_nor_what_became_of_the_one_before() {
    for fault in [Fault::Refused, Fault::Panics, Fault::AnswerLost] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.hold_at(3);
        let running = projection(&source, &store, &recorder);
        let running = ProjectionRuntime::new().spawn(running).unwrap();
        recorder.has_called("process 3", 1).await;
        // The save of 4, which tells what became of 3.
        store.plan(Verb::Commit, fault);
        recorder.release(3);
        running.wait().await.unwrap();
        let counters = lane(&store.inner).await.counters;
        if fault == Fault::AnswerLost {
            // Its position is saved: it may not be handled any more.
            assert_eq!(recorder.handled(), [1, 2, 3, 5, 6]);
            let read = 6;
            assert_eq!(counters, Counters { read, ..applied(5) });
        } else {
            assert_eq!(recorder.handled(), numbers(6), "{fault:?}");
            if fault == Fault::Refused {
                assert_eq!(counters, applied(6), "{fault:?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_letter_of_what_failed_is_stored_at_once_and_survives_a_failed_save() {
    for fault in [None, Some(Fault::Refused), Some(Fault::AnswerLost)] {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.hold_at(3);
        recorder.fail_at(3, 1);
        let running = projection(&source, &store, &recorder)
            .with_mode(Mode::Live)
            .with_recovery(LossRecovery::Skip)
            .keeping_dead_letters();
        let running = ProjectionRuntime::new().spawn(running).unwrap();
        recorder.has_called("process 3", 1).await;
        if let Some(fault) = fault {
            store.plan(Verb::Commit, fault);
        }
        recorder.release(3);
        // Nothing follows it.
        pass(secs(60)).await;
        let filter = DeadLetterFilter {
            projection: Some("orders".to_owned()),
            limit: 9,
            ..DeadLetterFilter::default()
        };
        let letters = store.inner.dead_letters(&filter).await.unwrap();
        let kept: Vec<_> = letters
            .iter()
            .map(|kept| kept.letter.offset.text.as_str())
            .collect();
        assert_eq!(kept, ["3"], "{fault:?}");
        let expected = Counters {
            read: 3,
            applied: 2,
            dead_lettered: 1,
            ..Counters::ZERO
        };
        assert_eq!(lane(&store.inner).await.counters, expected, "{fault:?}");
        running.stop_and_wait().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_gives_the_handler_up_and_its_envelope_is_lost() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(4);
    let projection = projection(&source, &store, &recorder).with_stop_timeout(secs(2));
    let running = ProjectionRuntime::new().spawn(projection.clone()).unwrap();
    recorder.has_called("process 4", 1).await;
    running.stop();
    pass(millis(2_010)).await;
    assert!(matches!(running.status(), ProjectionStatus::Stopped));
    assert_eq!(recorder.count("stop"), 0, "a call of it was given up");
    recorder.release(4);
    completes(projection).await;
    assert_eq!(recorder.handled(), [1, 2, 3, 5, 6]);
    let counters = lane(&store.inner).await.counters;
    assert_eq!(
        (counters.read, counters.applied, counters.pending()),
        (6, 5, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_passed_already_cannot_be_skipped() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(2, 1);
    let settings = settings(&recorder);
    let running = spawn(Guarantee::AtMostOnce, &source, &store, &recorder, &settings);
    recorder.has_called("observer.stopped", 1).await;
    let error = running.skip_current().await.unwrap_err().to_string();
    assert!(error.contains("has passed"), "{error}");
}
