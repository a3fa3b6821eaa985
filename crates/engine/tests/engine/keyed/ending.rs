//! Ends: stops in every wait, failures of source, store and hooks.

use projectionist_core::Error;
use projectionist_core::contract::Mode;
use projectionist_engine::{Completion, ProjectionRuntime, Recovery, RetryDelay};
use projectionist_testkit::{Recorder, TestSource, pass};
use tokio::time::Instant;

use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, applied, lane, millis, no_restart, numbers, secs, stored};
use crate::keyed::book::fold;
use crate::keyed::projection::recorded;

#[tokio::test(start_paused = true)]
async fn a_stop_finishes_the_calls_that_run_and_saves_them() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    (1..=8).for_each(|position| recorder.hold_at(position));
    let projection = recorded(&source, &store, &recorder, 8);
    let runtime = ProjectionRuntime::new();
    let handle = runtime.spawn(projection.clone()).unwrap();
    recorder.has_called("process", 8).await;
    handle.stop();
    pass(secs(1)).await;
    (1..=8).for_each(|position| recorder.release(position));
    assert_eq!(handle.wait().await.unwrap(), Completion::Stopped);
    assert_eq!(recorder.handled(), numbers(8), "nothing else was begun");
    assert_eq!(stored(&store.inner).await, Some(8));
    assert_eq!(recorder.count("stop"), 8);
    let handle = runtime.spawn(projection.with_mode(Mode::Current)).unwrap();
    handle.wait().await.unwrap();
    assert_eq!(fold(recorder.handled(), 8), fold(numbers(40), 8));
    assert_eq!(lane(&store.inner).await.counters, applied(40));
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_no_longer_than_its_time() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(2);
    let projection = recorded(&source, &store, &recorder, 8).with_stop_timeout(secs(3));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(35).await;
    let began = Instant::now();
    handle.stop();
    assert_eq!(handle.wait().await.unwrap(), Completion::Stopped);
    assert!(began.elapsed() >= secs(3) && began.elapsed() < secs(4));
    let row = lane(&store.inner).await;
    assert_eq!(row.offset.unwrap().text, "1");
    assert_eq!(row.counters, applied(35));
    assert_eq!(
        row.ahead.to_string(),
        "test 3 9 11 17 19 25 27 33 35 40",
        "all but 2 and those of its key behind it"
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_retry_delay_at_once() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(2, usize::MAX);
    let recovery = Recovery::RetryAndFail {
        retries: 9,
        delay: RetryDelay::Fixed(secs(600)),
    };
    let projection = recorded(&source, &store, &recorder, 8).with_recovery(recovery);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(35).await;
    let began = Instant::now();
    handle.stop();
    assert_eq!(handle.wait().await.unwrap(), Completion::Stopped);
    assert!(began.elapsed() < millis(100), "{:?}", began.elapsed());
    assert_eq!(lane(&store.inner).await.counters, applied(35));
}

#[tokio::test(start_paused = true)]
async fn what_the_source_delivered_before_it_failed_is_handled() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    source.fail_behind(30, "away");
    let recorder = Recorder::default();
    recorder.hold_at(6);
    let projection = recorded(&source, &store, &recorder, 8).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(26).await;
    pass(secs(1)).await;
    recorder.release(6);
    handle.wait().await.unwrap();
    assert_eq!(fold(recorder.handled(), 8), fold(numbers(40), 8));
    assert_eq!(recorder.handled().len(), 40, "nothing twice");
    assert_eq!(recorder.count("observer.failed"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_followed_source_that_ends_is_a_failure() {
    let (source, store) = (TestSource::of(numbers(10)), SteeredStore::default());
    source.complete();
    let recorder = Recorder::default();
    let projection = recorded(&source, &store, &recorder, 8).with_restart(no_restart());
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    let error = handle.wait().await.unwrap_err();
    assert!(matches!(&*error, Error::Source { .. }), "{error}");
    assert_eq!(recorder.handled().len(), 10);
    assert_eq!(stored(&store.inner).await, Some(10));
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_source_is_a_failure() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    source.panic_behind(20);
    let recorder = Recorder::default();
    let projection = recorded(&source, &store, &recorder, 8).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    assert_eq!(fold(recorder.handled(), 8), fold(numbers(40), 8));
}

#[tokio::test(start_paused = true)]
async fn a_save_that_fails_restarts_and_what_is_ahead_is_not_forgotten() {
    for fault in [Fault::Refused, Fault::AnswerLost, Fault::Panics] {
        let (source, store) = (TestSource::of(numbers(400)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.hold_at(2);
        let projection = recorded(&source, &store, &recorder, 8).with_stop_timeout(secs(1));
        let handle = ProjectionRuntime::new().spawn(projection).unwrap();
        recorder.has_handled(350).await;
        pass(secs(1)).await;
        store.plan(Verb::Commit, fault);
        (401..=408).for_each(|event| source.push(event));
        recorder.has_called("observer.failed", 1).await;
        pass(secs(30)).await;
        recorder.release(2);
        pass(secs(30)).await;
        let row = lane(&store.inner).await;
        assert_eq!(row.offset.unwrap().text, "408", "{fault:?}");
        assert!(row.ahead.is_empty());
        let mut handled = recorder.handled();
        handled.sort_unstable();
        handled.dedup();
        assert_eq!(handled, numbers(408));
        let repeated = recorder.handled().len() - 408;
        assert!(
            repeated <= 7,
            "{repeated} repeated, of 7 that were not saved"
        );
        assert_eq!(row.counters, applied(408), "{fault:?}");
        drop(handle);
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_does_not_start_stops_those_that_did() {
    for panics in [false, true] {
        let (source, store) = (TestSource::of(numbers(10)), SteeredStore::default());
        let recorder = Recorder::default();
        if panics {
            recorder.panic_at_start();
        } else {
            recorder.fail_at_start();
        }
        let projection = recorded(&source, &store, &recorder, 8).with_restart(no_restart());
        let handle = ProjectionRuntime::new().spawn(projection).unwrap();
        handle.wait().await.unwrap_err();
        let counts = ["start", "stop"].map(|call| recorder.count(call));
        assert_eq!(counts, [8, 7]);
        assert_eq!(recorder.count("process"), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_does_not_stop_well_fails_the_run() {
    let (source, store) = (TestSource::of(numbers(10)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at_stop();
    let projection = recorded(&source, &store, &recorder, 8)
        .with_mode(Mode::Current)
        .with_restart(no_restart());
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap_err();
    assert_eq!(stored(&store.inner).await, Some(10));
    assert_eq!(recorder.count("stop"), 8, "the others are stopped as well");
}
