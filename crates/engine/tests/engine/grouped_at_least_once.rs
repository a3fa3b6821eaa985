//! Grouped at-least-once: whole groups, each saved before the next.

use crate::common::crash::{dies_after, lives};
use crate::common::grouped::{groups, groups_of};
use crate::common::store::{Fault, Verb};
use crate::common::{
    SteeredStore, applied, id, lane, millis, no_restart, numbers, secs, steady_restarts, stored,
};
use projectionist_core::contract::Mode;
use projectionist_engine::{
    Completion, GroupedAtLeastOnce, Projection, ProjectionRuntime, Recovery, RetryDelay,
};
use projectionist_testkit::{Recorder, RecordingHandler, TestSource, pass};

type Blueprint<F> = Projection<TestSource<u64>, SteeredStore, GroupedAtLeastOnce<F>>;

/// Reads the source to its end in groups of three.
fn projection(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> Blueprint<impl Fn() -> RecordingHandler<u64> + Clone + Send + Sync + use<>> {
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    Projection::grouped_at_least_once(id(), source.clone(), store.clone(), factory)
        .with_restart(steady_restarts())
        .with_observer(recorder.observer())
        .with_group(groups_of(3))
        .with_mode(Mode::Current)
}

async fn completes<F>(projection: Blueprint<F>)
where
    F: Fn() -> RecordingHandler<u64> + Send + Sync + 'static,
{
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
}

/// Facts 24 and 25: two groups of three, and an offset after each.
#[tokio::test(start_paused = true)]
async fn the_offset_is_stored_after_each_group() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(4);
    let running = ProjectionRuntime::new()
        .spawn(projection(&source, &store, &recorder))
        .unwrap();
    recorder.has_called("process 4,5,6", 1).await;
    assert_eq!(store.saved(), [3], "before the next group is handled");
    recorder.release(4);
    running.wait().await.unwrap();
    assert_eq!(groups(&recorder), ["1,2,3#1", "4,5,6#1"]);
    assert_eq!(
        (recorder.handled(), store.saved()),
        (numbers(6), vec![3, 6])
    );
    assert_eq!(lane(&store.inner).await.counters, applied(6));
}

/// Fact 26: the whole group is tried again, and nothing of it is told as processed before.
#[tokio::test(start_paused = true)]
async fn a_failure_inside_a_group_tries_the_whole_group_again() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(5, 2);
    let recovery = Recovery::RetryAndFail {
        retries: 2,
        delay: RetryDelay::Fixed(secs(1)),
    };
    let running = ProjectionRuntime::new()
        .spawn(projection(&source, &store, &recorder).with_recovery(recovery))
        .unwrap();
    recorder.has_called("observer.error 6#", 2).await;
    assert_eq!(recorder.count("observer.after 6"), 0);
    running.wait().await.unwrap();
    assert_eq!(
        groups(&recorder),
        ["1,2,3#1", "4,5,6#1", "4,5,6#2", "4,5,6#3"]
    );
    assert_eq!(recorder.count("observer.after"), 2);
    assert_eq!(lane(&store.inner).await.counters, applied(6));
}

/// Fact 30: 13 = 4 · 3 + 1.
#[tokio::test(start_paused = true)]
async fn a_short_last_group_is_handled_when_the_source_ends() {
    let (source, store) = (TestSource::of(numbers(13)), SteeredStore::default());
    let recorder = Recorder::default();
    completes(projection(&source, &store, &recorder)).await;
    let expected = ["1,2,3#1", "4,5,6#1", "7,8,9#1", "10,11,12#1", "13#1"];
    assert_eq!(groups(&recorder), expected);
    assert_eq!(stored(&store.inner).await, Some(13));
}

#[tokio::test(start_paused = true)]
async fn a_partial_group_at_a_pause_is_dropped_and_read_again() {
    let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
    let recorder = Recorder::default();
    let live = projection(&source, &store, &recorder).with_mode(Mode::Live);
    let running = ProjectionRuntime::new().spawn(live).unwrap();
    recorder.has_handled(3).await;
    running.pause_and_wait().await.unwrap();
    assert_eq!(stored(&store.inner).await, Some(3));
    running.resume().await.unwrap();
    recorder.has_handled(5).await;
    assert_eq!(groups(&recorder), ["1,2,3#1", "4,5#1"]);
}

#[tokio::test(start_paused = true)]
async fn after_the_last_attempt_the_group_stays_to_be_handled() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, 1);
    let once = projection(&source, &store, &recorder).with_restart(no_restart());
    let first = ProjectionRuntime::new().spawn(once.clone()).unwrap();
    let error = first.wait().await.unwrap_err().to_string();
    assert!(error.contains("at 6 after 1 attempt"), "{error}");
    assert_eq!(stored(&store.inner).await, Some(3));
    completes(once).await;
    assert_eq!(recorder.handled(), numbers(6));
}

#[test]
fn a_crash_repeats_one_group_at_most_and_loses_nothing() {
    for dies_at in [1, 3, 5, 9, 10] {
        let (source, store) = (TestSource::of(numbers(10)), SteeredStore::default());
        let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
        let projection = projection(&source, &store, &recorder);
        // The group is handled, and its save does not come to an end.
        recorder.hold_at(dies_at);
        dies_after(async {
            let handle = runtime.spawn(projection.clone()).unwrap();
            let before = usize::try_from((dies_at - 1) / 3).unwrap();
            recorder.has_called("process", before + 1).await;
            store.hold(Verb::Commit);
            recorder.release(dies_at);
            recorder.has_called("observer.progress", before).await;
            pass(millis(1)).await;
            std::mem::forget(handle);
        });
        store.let_go(Verb::Commit);
        lives(async { runtime.spawn(projection).unwrap().wait().await.unwrap() });
        let mut handled = recorder.handled();
        let group = if dies_at == 10 { 1 } else { 3 };
        assert_eq!(handled.len(), 10 + group, "one group twice");
        handled.sort_unstable();
        handled.dedup();
        assert_eq!(handled, numbers(10));
        assert_eq!(lives(lane(&store.inner)).counters, applied(10));
    }
}

#[tokio::test(start_paused = true)]
async fn a_save_that_fails_repeats_its_group_and_counts_it_once() {
    for fault in [Fault::Refused, Fault::AnswerLost, Fault::Panics] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        store.plan(Verb::Commit, fault);
        completes(projection(&source, &store, &recorder)).await;
        let mut expected = vec!["1,2,3#1", "4,5,6#1"];
        if fault != Fault::AnswerLost {
            expected.insert(0, "1,2,3#1");
        }
        assert_eq!(groups(&recorder), expected, "{fault:?}");
        assert_eq!(lane(&store.inner).await.counters, applied(6), "{fault:?}");
    }
}

/// Datum's row 12: what follows is at hand while a group is handled.
#[tokio::test(start_paused = true)]
async fn the_next_groups_are_read_before_this_one_is_handled() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    let pace = source.manual_pace();
    pace.request(40);
    recorder.hold_at(1);
    let _running = ProjectionRuntime::new()
        .spawn(projection(&source, &store, &recorder))
        .unwrap();
    recorder.has_called("process 1,2,3", 1).await;
    assert_eq!(pace.outstanding(), 0, "all of it was taken from the source");
}
