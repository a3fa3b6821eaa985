//! Order, speed, and what a run of its own leaves behind.

use projectionist_core::contract::Mode;
use projectionist_engine::{Completion, Projection, ProjectionRuntime};
use projectionist_testkit::{Recorder, TestSource, pass};
use tokio::time::Instant;

use crate::common::random::Random;
use crate::common::{SteeredStore, applied, id, lane, millis, numbers, secs, stored};
use crate::keyed::book::{Book, Clerk, fold};
use crate::keyed::projection::{handlers, key, recorded, saving};

/// Handles `events` with so many handlers and keys; gives how long that took.
async fn handle(
    events: &[u64],
    keys: u64,
    count: usize,
    takes: fn(u64) -> std::time::Duration,
) -> (Book, std::time::Duration, SteeredStore) {
    let (book, store) = (Book::default(), SteeredStore::default());
    let source = TestSource::of(events.iter().copied());
    let factory = {
        let book = book.clone();
        move || Clerk {
            book: book.clone(),
            keys,
            takes,
        }
    };
    let projection = Projection::at_least_once(id(), source, store.clone(), factory)
        .with_mode(Mode::Current)
        .keyed(handlers(count), key(keys));
    let began = Instant::now();
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    assert_eq!(handle.wait().await.unwrap(), Completion::Completed);
    (book, began.elapsed(), store)
}

#[tokio::test(start_paused = true)]
async fn each_key_is_in_order_and_the_model_is_the_fold() {
    for (keys, count) in [(1, 8), (3, 2), (10, 8), (997, 8), (13, 1)] {
        let mut random = Random::seeded(keys);
        let events: Vec<u64> = (0..500).map(|_| random.within(0..=5_000)).collect();
        let takes = |event: u64| millis(event * 31 % 17);
        let (book, _, store) = handle(&events, keys, count, takes).await;
        assert_eq!(
            fold(book.handled(), keys),
            fold(events.iter().copied(), keys),
            "{keys} keys"
        );
        assert!(book.most_at_once() <= count);
        let row = lane(&store.inner).await;
        assert_eq!(row.offset.unwrap().text, "500");
        assert!(row.ahead.is_empty(), "{:?}", row.ahead);
        assert_eq!(row.counters, applied(500));
    }
}

#[tokio::test(start_paused = true)]
async fn keys_are_handled_out_of_order() {
    let takes = |event: u64| millis(if event == 1 { 1_000 } else { 1 });
    let (book, _, _) = handle(&numbers(40), 8, 8, takes).await;
    let handled = book.handled();
    let first = handled.iter().position(|event| *event == 1).unwrap();
    assert_eq!(first, 35, "the other 35 of other keys did not wait for it");
    assert_eq!(handled[first + 1..], [9, 17, 25, 33], "its own key did");
}

#[tokio::test(start_paused = true)]
async fn eight_keys_are_at_least_seven_times_as_fast() {
    let takes = |_: u64| millis(1);
    let (one_by_one, one, _) = handle(&numbers(800), 8, 1, takes).await;
    let (at_once, eight, _) = handle(&numbers(800), 8, 8, takes).await;
    assert_eq!(fold(one_by_one.handled(), 8), fold(at_once.handled(), 8));
    assert_eq!(one_by_one.handled(), numbers(800));
    assert!(eight * 7 <= one, "{one:?} one by one, {eight:?} at once");
}

#[tokio::test(start_paused = true)]
async fn every_handler_is_started_and_stopped_once() {
    let (source, store) = (TestSource::of(numbers(100)), SteeredStore::default());
    let recorder = Recorder::default();
    let projection = recorded(&source, &store, &recorder, 16).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    let counts = ["created", "start", "stop"].map(|call| recorder.count(call));
    assert_eq!(counts, [8, 8, 8]);
    let calls = recorder.calls();
    let last_start = calls.iter().rposition(|call| call == "start").unwrap();
    let first = calls.iter().position(|call| call.starts_with("process"));
    let first_stop = calls.iter().position(|call| call == "stop").unwrap();
    let last = calls.iter().rposition(|call| call.starts_with("process"));
    assert!(last_start < first.unwrap() && last.unwrap() < first_stop);
    for call in ["observer.started", "observer.stopped"] {
        assert_eq!(recorder.count(call), 1, "{call}");
    }
    for event in 1..=100 {
        assert_eq!(recorder.count(&format!("process {event}#1")), 1);
        let told = ["before", "after"].map(|call| format!("observer.{call} {event}"));
        for call in told {
            assert_eq!(
                calls.iter().filter(|told| **told == call).count(),
                1,
                "{call}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_slow_envelope_holds_up_its_key_alone_and_what_is_ahead_is_saved() {
    let (source, store) = (TestSource::of(numbers(5_000)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(3);
    // Of its key there is no other one: all others are handled, however many they are.
    let projection = recorded(&source, &store, &recorder, 100_000);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(4_999).await;
    pass(secs(1)).await;
    let row = lane(&store.inner).await;
    assert_eq!(row.offset.unwrap().text, "2");
    assert_eq!(row.ahead.to_string(), "test 4 5000");
    assert_eq!(row.counters, applied(4_999));
    recorder.release(3);
    recorder.has_handled(5_000).await;
    pass(secs(1)).await;
    let row = lane(&store.inner).await;
    assert_eq!(row.offset.unwrap().text, "5000");
    assert!(row.ahead.is_empty(), "{:?}", row.ahead);
    drop(handle);
}

#[tokio::test(start_paused = true)]
async fn progress_is_saved_by_count_and_by_time() {
    let (source, store) = (TestSource::of(numbers(250)), SteeredStore::default());
    let recorder = Recorder::default();
    let projection = recorded(&source, &store, &recorder, 5).with_save(saving(100, 1_000));
    let _handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(250).await;
    pass(secs(60)).await;
    assert!(stored(&store.inner).await.unwrap() >= 200);
    pass(secs(3_600)).await;
    assert_eq!(stored(&store.inner).await, Some(250));
}

#[tokio::test(start_paused = true)]
async fn an_inclusive_source_repeats_nothing() {
    let source = TestSource::of(numbers(10)).inclusive();
    let (store, recorder) = (SteeredStore::default(), Recorder::default());
    let projection = recorded(&source, &store, &recorder, 4).with_mode(Mode::Current);
    let runtime = ProjectionRuntime::new();
    let first = runtime.spawn(projection.clone()).unwrap();
    first.wait().await.unwrap();
    source.push(11);
    let second = runtime.spawn(projection).unwrap();
    second.wait().await.unwrap();
    assert_eq!(recorder.handled(), numbers(11));
    assert_eq!(source.opened_behind(), [None, Some(10)]);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_goes_back_is_an_error() {
    let source = TestSource::of([]);
    for position in [5, 9, 7] {
        source.push_envelope(projectionist_testkit::TestEnvelope::at(position, position));
    }
    let (store, recorder) = (SteeredStore::default(), Recorder::default());
    let projection = recorded(&source, &store, &recorder, 4).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    let error = handle.wait().await.unwrap_err().to_string();
    assert!(error.contains('9') && error.contains('7'), "{error}");
}
