//! The hook that sees every failed attempt with its envelopes.

use std::sync::{Arc, Mutex};

use crate::common::store::Verb;
use crate::common::{SteeredStore, id, lane, no_restart, numbers, secs};
use projectionist_core::contract::{FailureAction, Mode};
use projectionist_engine::{
    FailedAttempt, LossRecovery, Projection, ProjectionRuntime, Recovery, RetryDelay, WhenExhausted,
};
use projectionist_testkit::{Recorder, TestEnvelope, TestSource};

/// What the hook was told: the events, the position, the attempt, the error and the action.
type Seen = Arc<Mutex<Vec<(Vec<u64>, String, u32, String, FailureAction)>>>;

fn watcher() -> (
    Seen,
    impl Fn(&FailedAttempt<'_, TestEnvelope<u64>>) + Send + Sync + 'static,
) {
    let seen = Seen::default();
    let told = Arc::clone(&seen);
    let hook = move |failed: &FailedAttempt<'_, TestEnvelope<u64>>| {
        assert_eq!(failed.lane, &id());
        let events = failed.envelopes.iter().map(|envelope| envelope.event);
        told.lock().unwrap().push((
            events.collect(),
            failed.position.offset().text,
            failed.attempt,
            failed.error.to_string(),
            failed.action,
        ));
    };
    (seen, hook)
}

fn entry(
    events: &[u64],
    attempt: u32,
    error: &str,
    action: FailureAction,
) -> (Vec<u64>, String, u32, String, FailureAction) {
    let last = events.last().unwrap().to_string();
    (events.to_vec(), last, attempt, error.to_owned(), action)
}

fn retries(skips: bool) -> Recovery {
    let (retries, delay) = (2, RetryDelay::Fixed(secs(1)));
    if skips {
        Recovery::RetryAndSkip { retries, delay }
    } else {
        Recovery::RetryAndFail { retries, delay }
    }
}

#[tokio::test(start_paused = true)]
async fn the_hook_sees_every_attempt_and_what_follows_it() {
    let ends = [
        (retries(true), WhenExhausted::Restart, FailureAction::Skip),
        (
            retries(false),
            WhenExhausted::Restart,
            FailureAction::Restart,
        ),
        (retries(false), WhenExhausted::Stop, FailureAction::Stop),
    ];
    for (recovery, when_exhausted, last) in ends {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let (recorder, (seen, hook)) = (Recorder::default(), watcher());
        recorder.fail_at(2, usize::MAX);
        let projection = crate::common::single::projection(&source, &store, &recorder)
            .with_mode(Mode::Current)
            .with_restart(no_restart())
            .with_recovery(recovery)
            .when_exhausted(when_exhausted)
            .on_failure(hook);
        let _ended = crate::common::single::spawn(projection).wait().await;
        let retry = FailureAction::Retry;
        let expected = [(1, retry), (2, retry), (3, last)]
            .map(|(attempt, action)| entry(&[2], attempt, "no 2", action));
        assert_eq!(*seen.lock().unwrap(), expected);
        assert_eq!(
            recorder.actions(),
            [retry, retry, last],
            "the observer is told the same"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_hook_sees_the_whole_group_and_its_halves() {
    let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
    let (recorder, (seen, hook)) = (Recorder::default(), watcher());
    recorder.refuse(2);
    let projection = crate::common::grouped::projection(&source, &store, &recorder)
        .with_group(crate::common::grouped::groups_of(4))
        .isolating_data_errors()
        .on_failure(hook);
    crate::common::grouped::spawn(projection)
        .wait()
        .await
        .unwrap();
    let error = "table test: 2 does not fit";
    let isolate = FailureAction::Isolate;
    let expected = [
        entry(&[1, 2, 3, 4], 1, error, isolate),
        entry(&[1, 2], 2, error, isolate),
        entry(&[2], 3, error, isolate),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn the_hook_sees_what_at_most_once_loses() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let (recorder, (seen, hook)) = (Recorder::default(), watcher());
    recorder.panic_at(2);
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    let projection = Projection::at_most_once(id(), source, store, factory)
        .with_mode(Mode::Current)
        .with_recovery(LossRecovery::Skip)
        .on_failure(hook);
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    running.wait().await.unwrap();
    let error = "the handler panicked: panic 2";
    assert_eq!(
        *seen.lock().unwrap(),
        [entry(&[2], 1, error, FailureAction::Skip)]
    );
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_panics_changes_nothing() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    for position in [2, 4, 6] {
        recorder.fail_at(position, 1);
    }
    let projection = crate::common::single::projection(&source, &store, &recorder)
        .with_mode(Mode::Current)
        .with_recovery(retries(false))
        .on_failure(|failed| panic!("the hook panics at {:?}", failed.position.offset()));
    crate::common::single::spawn(projection)
        .wait()
        .await
        .unwrap();
    assert_eq!(recorder.handled(), numbers(6));
    assert_eq!(lane(&store.inner).await.counters, crate::common::applied(6));
    assert_eq!(store.count(Verb::Claim), 1, "no run failed");
    assert_eq!(recorder.count("created"), 1);
}

/// What is logged of it has coordinates and no payload.
#[tokio::test(start_paused = true)]
async fn what_a_failed_attempt_shows_has_no_payload() {
    let source = TestSource::of([7_777_777]);
    let (store, recorder) = (SteeredStore::default(), Recorder::default());
    recorder.fail_at(1, 1);
    let shown = Arc::new(Mutex::new(String::new()));
    let show = Arc::clone(&shown);
    let projection = crate::common::single::projection(&source, &store, &recorder)
        .with_mode(Mode::Current)
        .on_failure(move |failed| *show.lock().unwrap() = format!("{failed:?}"));
    crate::common::single::spawn(projection)
        .wait()
        .await
        .unwrap();
    let shown = shown.lock().unwrap();
    assert!(
        shown.contains("orders") && shown.contains("no 1"),
        "{shown}"
    );
    assert!(!shown.contains("7777777"), "{shown}");
}
