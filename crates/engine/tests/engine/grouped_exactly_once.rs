//! Grouped exactly-once: the model and the offset move together, whatever happens in between.

use std::time::Duration;

use crate::common::grouped::{groups, groups_of, letters_of, projection, retries, spawn};
use crate::common::model::Tables;
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, applied, id, lane, millis, no_restart, numbers, secs, stored};
use projectionist_core::contract::{
    DeadLetterStore, GroupContext, GroupedTransactionalHandler, HandlerResult, Mode,
};
use projectionist_engine::{
    Completion, GroupConfig, Projection, ProjectionRuntime, ProjectionStatus,
};
use projectionist_store_memory::Tx;
use projectionist_testkit::{Recorder, TestEnvelope, TestSource, pass};

#[tokio::test(start_paused = true)]
async fn groups_of_any_size_give_the_same_model_and_one_transaction_each() {
    for size in [1, 2, 3, 7, 100, 1000] {
        let (source, store) = (TestSource::of(numbers(100)), SteeredStore::default());
        let recorder = Recorder::default();
        let projection = projection(&source, &store, &recorder).with_group(groups_of(size));
        assert_eq!(
            spawn(projection).wait().await.unwrap(),
            Completion::Completed
        );
        let tables = Tables::of(&store.inner).await;
        assert_eq!(tables, Tables::fold(numbers(100)), "groups of {size}");
        assert_eq!(lane(&store.inner).await.counters, applied(100));
        assert_eq!(stored(&store.inner).await, Some(100));
        assert_eq!(store.count(Verb::Begin), 100_usize.div_ceil(size));
        assert_eq!(store.count(Verb::Commit), 100_usize.div_ceil(size));
    }
}

#[tokio::test(start_paused = true)]
async fn a_short_last_group_is_handled_at_completion() {
    let (source, store) = (TestSource::of(numbers(7)), SteeredStore::default());
    let recorder = Recorder::default();
    spawn(projection(&source, &store, &recorder))
        .wait()
        .await
        .unwrap();
    assert_eq!(groups(&recorder), ["1,2,3#1", "4,5,6#1", "7#1"]);
}

#[tokio::test(start_paused = true)]
async fn a_partial_group_at_a_stop_is_dropped_and_read_again() {
    let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
    let recorder = Recorder::default();
    let live = projection(&source, &store, &recorder).with_mode(Mode::Live);
    let running = spawn(live.clone());
    recorder.has_handled(3).await;
    pass(millis(100)).await;
    assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
    assert_eq!(stored(&store.inner).await, Some(3));
    assert_eq!(lane(&store.inner).await.counters, applied(3));
    let running = spawn(live);
    recorder.has_handled(5).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(groups(&recorder), ["1,2,3#1", "4,5#1"]);
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(5)));
}

#[tokio::test(start_paused = true)]
async fn a_stop_gives_a_handler_up_and_its_transaction_rolls_back() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(5);
    let projection = projection(&source, &store, &recorder).with_stop_timeout(secs(2));
    let running = spawn(projection);
    recorder.has_called("process 4,5,6", 1).await;
    running.stop();
    pass(millis(1_990)).await;
    assert!(!running.status().is_terminal());
    pass(millis(20)).await;
    assert!(matches!(running.status(), ProjectionStatus::Stopped));
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(3)));
    assert_eq!(stored(&store.inner).await, Some(3));
}

/// Runs a live projection over `events` that come 10 ms apart; gives the groups and how long after
/// the first event each was handled, to the nearest 10 ms.
async fn live_groups(
    config: GroupConfig,
    bytes: usize,
    events: u64,
    wait: Duration,
) -> Vec<String> {
    let source = TestSource::of([]).with_envelope_bytes(bytes);
    let (store, recorder) = (SteeredStore::default(), Recorder::default());
    let live = projection(&source, &store, &recorder)
        .with_mode(Mode::Live)
        .with_group(config);
    let _running = spawn(live);
    // Longer than any limit: an empty group has no age.
    pass(secs(10)).await;
    for event in 1..=events {
        source.push(event);
        pass(millis(10)).await;
    }
    pass(wait).await;
    groups(&recorder)
}

#[tokio::test(start_paused = true)]
async fn a_group_is_closed_when_the_source_has_been_quiet() {
    let config = GroupConfig {
        max_envelopes: 1000,
        max_delay: secs(5),
        linger: millis(25),
        ..GroupConfig::default()
    };
    let seen = live_groups(config, 0, 6, millis(30)).await;
    assert_eq!(seen, ["1,2,3#1", "4,5,6#1"]);
}

#[tokio::test(start_paused = true)]
async fn a_group_is_closed_when_it_is_old() {
    let config = GroupConfig {
        max_envelopes: 1000,
        max_delay: millis(45),
        linger: secs(5),
        ..GroupConfig::default()
    };
    let seen = live_groups(config, 0, 12, millis(40)).await;
    assert_eq!(seen, ["1,2,3,4,5#1", "6,7,8,9,10#1", "11,12#1"]);
}

#[tokio::test(start_paused = true)]
async fn a_group_is_closed_when_it_has_its_bytes() {
    let config = GroupConfig {
        max_envelopes: 1000,
        max_bytes: 1000,
        max_delay: secs(5),
        linger: secs(5),
    };
    let seen = live_groups(config, 400, 7, millis(10)).await;
    assert_eq!(seen, ["1,2,3#1", "4,5,6#1"], "7 waits for more");
}

#[tokio::test(start_paused = true)]
async fn a_full_group_does_not_wait() {
    let seen = live_groups(groups_of(3), 0, 7, millis(10)).await;
    assert_eq!(seen, ["1,2,3#1", "4,5,6#1"]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_attempt_rolls_back_and_the_group_is_tried_again() {
    let (source, store) = (TestSource::of(numbers(8)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(5, 2);
    let projection = projection(&source, &store, &recorder).with_recovery(retries(3));
    assert_eq!(
        spawn(projection).wait().await.unwrap(),
        Completion::Completed
    );
    let expected = ["1,2,3#1", "4,5,6#1", "4,5,6#2", "4,5,6#3", "7,8#1"];
    assert_eq!(groups(&recorder), expected);
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(8)));
    assert_eq!(lane(&store.inner).await.counters, applied(8));
    assert_eq!(recorder.count("created"), 1);
    assert_eq!(recorder.count("observer.error 6#"), 2);
    assert_eq!(recorder.count("observer.after 6"), 1);
}

#[tokio::test(start_paused = true)]
async fn after_the_last_attempt_nothing_of_the_group_is_there() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, 3);
    let once = projection(&source, &store, &recorder)
        .with_recovery(retries(2))
        .with_restart(no_restart());
    let error = spawn(once.clone()).wait().await.unwrap_err().to_string();
    assert!(error.contains("at 6 after 3 attempt"), "{error}");
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(3)));
    assert_eq!(stored(&store.inner).await, Some(3));
    spawn(once).wait().await.unwrap();
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(6)));
}

#[tokio::test(start_paused = true)]
async fn a_failure_restarts_and_nothing_is_lost_or_doubled() {
    let (source, store) = (TestSource::of(numbers(20)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, 2);
    recorder.panic_at(11);
    recorder.fail_at(20, 1);
    spawn(projection(&source, &store, &recorder))
        .wait()
        .await
        .unwrap();
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(20)));
    assert_eq!(lane(&store.inner).await.counters, applied(20));
    assert_eq!(
        recorder.count("created"),
        5,
        "a fresh handler for every run"
    );
}

#[tokio::test(start_paused = true)]
async fn a_panic_rolls_back_and_the_retry_has_a_fresh_handler() {
    let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.panic_at(2);
    let projection = projection(&source, &store, &recorder).with_recovery(retries(1));
    spawn(projection).wait().await.unwrap();
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(4)));
    let handler_calls: Vec<_> = recorder
        .calls()
        .into_iter()
        .filter(|call| !call.starts_with("observer"))
        .collect();
    let expected = [
        "created",
        "start",
        "process 1,2,3#1",
        "created",
        "start",
        "process 1,2,3#2",
        "process 4#1",
        "stop",
    ];
    assert_eq!(handler_calls, expected);
}

#[tokio::test(start_paused = true)]
async fn a_panicked_handler_is_not_called_again() {
    let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.panic_at(2);
    let projection = projection(&source, &store, &recorder).with_restart(no_restart());
    spawn(projection).wait().await.unwrap_err();
    assert_eq!(recorder.count("stop"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_commit_with_an_unknown_outcome_is_settled_by_the_row() {
    for fault in [Fault::Refused, Fault::AnswerLost, Fault::Panics] {
        let (source, store) = (TestSource::of(numbers(9)), SteeredStore::default());
        let recorder = Recorder::default();
        store.plan(Verb::Commit, fault);
        spawn(projection(&source, &store, &recorder))
            .wait()
            .await
            .unwrap();
        let tables = Tables::of(&store.inner).await;
        assert_eq!(tables, Tables::fold(numbers(9)), "{fault:?}");
        assert_eq!(lane(&store.inner).await.counters, applied(9), "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_a_store_that_hangs() {
    for verb in [Verb::Begin, Verb::Commit] {
        let (source, store) = (TestSource::of(numbers(9)), SteeredStore::default());
        let recorder = Recorder::default();
        store.hold(verb);
        let projection = projection(&source, &store, &recorder).with_stop_timeout(secs(3));
        let running = spawn(projection);
        pass(millis(1)).await;
        running.stop();
        pass(millis(6_010)).await;
        assert!(running.status().is_terminal(), "hangs in {verb:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_position_twice_is_an_error_and_no_silent_drop() {
    for size in [1, 3] {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        source.push_envelope(TestEnvelope::at(2, 99));
        source.push_envelope(TestEnvelope::at(3, 3));
        let recorder = Recorder::default();
        let projection = projection(&source, &store, &recorder)
            .with_group(groups_of(size))
            .with_restart(no_restart());
        let error = spawn(projection).wait().await.unwrap_err().to_string();
        assert!(error.contains("delivered 2 after 2"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_group_of_nothing_but_malformed_records_moves_the_lane() {
    let (source, store) = (TestSource::of([]), SteeredStore::default());
    let recorder = Recorder::default();
    for _ in 0..7 {
        source.push_malformed("no JSON", b"{");
    }
    for _ in 0..2 {
        spawn(projection(&source, &store, &recorder))
            .wait()
            .await
            .unwrap();
    }
    let lane = lane(&store.inner).await;
    assert_eq!((lane.counters.malformed, lane.counters.read), (7, 0));
    assert_eq!(lane.offset.unwrap().text, "7");
    let letters = store.inner.dead_letters(&letters_of("")).await.unwrap();
    assert_eq!(letters.len(), 7);
    assert_eq!(groups(&recorder).len(), 0, "no handler is called for them");
}

#[tokio::test(start_paused = true)]
async fn limits_without_end_are_no_overflow() {
    let config = GroupConfig {
        max_envelopes: 3,
        max_bytes: usize::MAX,
        max_delay: Duration::MAX,
        linger: Duration::MAX,
    };
    let seen = live_groups(config, 0, 7, secs(3600)).await;
    assert_eq!(seen, ["1,2,3#1", "4,5,6#1"]);
}

/// A handler whose call panics before there is a future.
struct PanicsInCall;

impl GroupedTransactionalHandler<TestEnvelope<u64>, Tx> for PanicsInCall {
    fn process(
        &mut self,
        _: &mut Tx,
        _: &[TestEnvelope<u64>],
        context: GroupContext<'_>,
    ) -> impl Future<Output = HandlerResult> + Send {
        assert!(context.attempt > 2, "panic {}", context.attempt);
        std::future::ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_call_itself_is_a_failed_attempt() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let projection = Projection::grouped_exactly_once(id(), source, store, || PanicsInCall)
        .with_mode(Mode::Current)
        .with_restart(no_restart())
        .with_recovery(retries(2));
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
}

/// A handler whose hooks never end.
#[derive(Clone, Copy)]
struct Hangs {
    in_start: bool,
}

impl GroupedTransactionalHandler<TestEnvelope<u64>, Tx> for Hangs {
    async fn process(
        &mut self,
        _: &mut Tx,
        _: &[TestEnvelope<u64>],
        _: GroupContext<'_>,
    ) -> HandlerResult {
        Ok(())
    }

    async fn start(&mut self) -> HandlerResult {
        if self.in_start {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    async fn stop(&mut self) -> HandlerResult {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_gives_up_hooks_that_do_not_end() {
    for in_start in [true, false] {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        let hangs = move || Hangs { in_start };
        let projection =
            Projection::grouped_exactly_once(id(), source, store, hangs).with_stop_timeout(secs(2));
        let running = ProjectionRuntime::new().spawn(projection).unwrap();
        pass(secs(60)).await;
        running.stop();
        pass(millis(2_010)).await;
        let status = running.status();
        assert!(
            matches!(status, ProjectionStatus::Stopped),
            "start {in_start}: {status:?}"
        );
    }
}

/// In real time: a run that spins leaves paused time no chance to pass.
#[tokio::test]
async fn a_limit_of_zero_is_met_by_the_first_envelope() {
    let zero = GroupConfig {
        max_envelopes: 0,
        ..GroupConfig::default()
    };
    let no_bytes = GroupConfig {
        max_bytes: 0,
        ..GroupConfig::default()
    };
    for config in [zero, no_bytes] {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let recorder = Recorder::default();
        let running = spawn(projection(&source, &store, &recorder).with_group(config));
        let ended = tokio::time::timeout(secs(10), running.wait()).await;
        assert_eq!(ended.unwrap().unwrap(), Completion::Completed);
        assert_eq!(groups(&recorder), ["1#1", "2#1", "3#1"]);
    }
}
