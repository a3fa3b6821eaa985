//! Failed attempts: what they hold up, what is passed over, what is kept.

use projectionist_core::Counters;
use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, FailureAction, Mode};
use projectionist_engine::{ProjectionRuntime, ProjectionStatus, Recovery, RetryDelay};
use projectionist_testkit::{Recorder, TestSource, pass};

use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, applied, id, lane, millis, numbers, secs, stored};
use crate::keyed::book::fold;
use crate::keyed::projection::recorded;

fn retrying(retries: u32, delay: u64) -> Recovery {
    Recovery::RetryAndFail {
        retries,
        delay: RetryDelay::Fixed(secs(delay)),
    }
}

fn all_letters() -> DeadLetterFilter {
    DeadLetterFilter {
        projection: None,
        limit: 100,
        ..DeadLetterFilter::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_delay_holds_up_its_key_alone() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(2, 2);
    let projection = recorded(&source, &store, &recorder, 8).with_recovery(retrying(2, 60));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(35).await;
    pass(secs(50)).await;
    assert_eq!(recorder.handled().len(), 35, "the five of its key wait");
    match handle.status() {
        ProjectionStatus::Retrying {
            offset,
            attempt,
            delay,
            ..
        } => assert_eq!((offset.text.as_str(), attempt, delay), ("2", 1, secs(60))),
        other => panic!("{other:?}"),
    }
    pass(secs(60)).await;
    assert_eq!(recorder.count("process 2#"), 2);
    recorder.has_handled(40).await;
    assert_eq!(fold(recorder.handled(), 8), fold(numbers(40), 8));
    assert_eq!(recorder.count("process 2#3"), 1);
    assert_eq!(recorder.actions(), [FailureAction::Retry; 2]);
    assert!(
        matches!(handle.status(), ProjectionStatus::Idle { .. }),
        "{:?}",
        handle.status()
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_skipped_is_counted_and_kept_where_letters_are() {
    for keeps in [false, true] {
        let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(5, usize::MAX);
        recorder.fail_at(12, usize::MAX);
        let recovery = Recovery::RetryAndSkip {
            retries: 1,
            delay: RetryDelay::Fixed(secs(1)),
        };
        let mut projection = recorded(&source, &store, &recorder, 8)
            .with_mode(Mode::Current)
            .with_recovery(recovery);
        if keeps {
            projection = projection.keeping_dead_letters();
        }
        let handle = ProjectionRuntime::new().spawn(projection).unwrap();
        handle.wait().await.unwrap();
        let rest = numbers(40)
            .into_iter()
            .filter(|event| ![5, 12].contains(event));
        assert_eq!(fold(recorder.handled(), 8), fold(rest, 8));
        let passed = Counters {
            skipped: if keeps { 0 } else { 2 },
            dead_lettered: if keeps { 2 } else { 0 },
            read: 40,
            ..applied(38)
        };
        assert_eq!(lane(&store.inner).await.counters, passed);
        let letters = store.inner.dead_letters(&all_letters()).await.unwrap();
        let mut offsets: Vec<String> = letters
            .into_iter()
            .map(|kept| kept.letter.offset.text)
            .collect();
        offsets.sort();
        let expected: &[&str] = if keeps { &["12", "5"] } else { &[] };
        assert_eq!(offsets, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_gets_a_fresh_handler() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.panic_at(7);
    let projection = recorded(&source, &store, &recorder, 8)
        .with_mode(Mode::Current)
        .with_recovery(retrying(1, 1));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    assert_eq!(fold(recorder.handled(), 8), fold(numbers(40), 8));
    let counts = ["created", "start", "stop"].map(|call| recorder.count(call));
    assert_eq!(counts, [9, 9, 8], "the broken one is not stopped");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_too_long_fails_alone() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(7);
    let recovery = Recovery::RetryAndSkip {
        retries: 1,
        delay: RetryDelay::Fixed(secs(1)),
    };
    let projection = recorded(&source, &store, &recorder, 8)
        .with_mode(Mode::Current)
        .with_recovery(recovery)
        .with_handler_timeout(secs(5));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    let rest = numbers(40).into_iter().filter(|event| *event != 7);
    assert_eq!(fold(recorder.handled(), 8), fold(rest, 8));
    assert_eq!(recorder.count("process 7#"), 2);
    assert_eq!(recorder.count("created"), 10);
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_only_what_is_not_settled_is_handled_again() {
    let (source, store) = (TestSource::of(numbers(400)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(3, 2);
    let projection = recorded(&source, &store, &recorder, 8).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    assert_eq!(fold(recorder.handled(), 8), fold(numbers(400), 8));
    assert_eq!(recorder.handled().len(), 400, "nothing twice");
    assert_eq!(recorder.count("process 3#1"), 3);
    assert_eq!(recorder.actions(), [FailureAction::Restart; 2]);
    assert_eq!(recorder.count("observer.failed"), 2);
    assert_eq!(lane(&store.inner).await.counters, applied(400));
}

#[tokio::test(start_paused = true)]
async fn what_the_source_does_not_vouch_for_is_passed_over() {
    let source = TestSource::of(numbers(40)).verifying();
    source.refuse(9);
    let (store, recorder) = (SteeredStore::default(), Recorder::default());
    let projection = recorded(&source, &store, &recorder, 8).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    let rest = numbers(40).into_iter().filter(|event| *event != 9);
    assert_eq!(fold(recorder.handled(), 8), fold(rest, 8));
    assert_eq!(lane(&store.inner).await.counters.skipped, 1);
    assert!((1..=40).all(|position| source.verified(position) == 1));
}

#[tokio::test(start_paused = true)]
async fn a_failed_verification_is_a_source_failure() {
    let source = TestSource::of(numbers(40)).verifying();
    source.fail_next_verification("away");
    let (store, recorder) = (SteeredStore::default(), Recorder::default());
    let projection = recorded(&source, &store, &recorder, 8).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    assert_eq!(fold(recorder.handled(), 8), fold(numbers(40), 8));
    assert_eq!(recorder.count("observer.failed"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_malformed_record_is_a_letter_and_holds_up_nothing() {
    let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
    source.push_malformed("no JSON", b"{");
    (7..=12).for_each(|event| source.push(event));
    let recorder = Recorder::default();
    let projection = recorded(&source, &store, &recorder, 4).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    let row = lane(&store.inner).await;
    assert_eq!((row.counters.malformed, row.counters.applied), (1, 11));
    assert_eq!(row.offset.unwrap().text, "12");
    let letters = store.inner.dead_letters(&all_letters()).await.unwrap();
    assert_eq!(letters.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_who_tells_the_key_fails_the_run_and_names_the_envelope() {
    let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
    let recorder = Recorder::<u64>::default();
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    let projection =
        projectionist_engine::Projection::at_least_once(id(), source, store.clone(), factory)
            .with_restart(crate::common::no_restart())
            .keyed(crate::keyed::projection::handlers(2), |envelope, key| {
                assert_ne!(envelope.event, 4, "no key for four");
                key.push_str(&envelope.event.to_string());
            });
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    let error = handle.wait().await.unwrap_err();
    let chain = format!("{error}: {:?}", std::error::Error::source(&*error));
    assert!(chain.contains("no key for four"), "{chain}");
    assert!(error.to_string().contains('4'), "{error}");
    assert_eq!(recorder.handled(), [1, 2, 3]);
    assert_eq!(stored(&store.inner).await, Some(3));
}

#[tokio::test(start_paused = true)]
async fn panicking_observers_change_nothing() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.panic_in_observers();
    recorder.fail_at(4, 1);
    let projection = recorded(&source, &store, &recorder, 8)
        .with_mode(Mode::Current)
        .with_recovery(retrying(1, 1));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    assert_eq!(fold(recorder.handled(), 8), fold(numbers(40), 8));
    pass(millis(1)).await;
}

/// A save that moves no offset and is refused takes nothing away: what it counted and kept goes
/// into the next one.
#[tokio::test(start_paused = true)]
async fn a_letter_ahead_of_what_is_handled_outlives_a_refused_save() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(1);
    recorder.fail_at(2, usize::MAX);
    store.plan(Verb::Commit, Fault::Refused);
    let projection = recorded(&source, &store, &recorder, 8)
        .with_recovery(Recovery::Skip)
        .keeping_dead_letters();
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    pass(secs(2)).await;
    recorder.release(1);
    recorder.has_handled(1).await;
    pass(secs(60)).await;
    handle.stop_and_wait().await.unwrap();
    assert_eq!(stored(&store.inner).await, Some(2));
    let counters = lane(&store.inner).await.counters;
    let expected = Counters {
        dead_lettered: 1,
        read: 2,
        ..applied(1)
    };
    assert_eq!(counters, expected);
    let letters = store.inner.dead_letters(&all_letters()).await.unwrap();
    assert_eq!(letters.len(), 1);
}
