//! At-least-once: when progress is saved, what is bounded, what is flushed and what adds up.

use crate::common::single::{projection, spawn};
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, applied, id, lane, millis, no_restart, numbers, secs, stored};
use futures::FutureExt;
use projectionist_core::Counters;
use projectionist_core::contract::{
    Context, DeadLetterFilter, DeadLetterStore, Handler, HandlerResult, Mode,
};
use projectionist_engine::{
    Completion, Projection, ProjectionRuntime, ProjectionStatus, Recovery, RetryDelay, SaveConfig,
};
use projectionist_testkit::{Recorder, TestEnvelope, TestSource, eventually, pass};
use tokio::time::Instant;

/// Saves by count alone.
fn every(after_envelopes: u64) -> SaveConfig {
    SaveConfig {
        after_envelopes,
        after: secs(3600),
        ..SaveConfig::default()
    }
}

/// Saves by time alone.
fn each(after: std::time::Duration) -> SaveConfig {
    SaveConfig {
        after_envelopes: u64::MAX,
        after,
        ..SaveConfig::default()
    }
}

/// Facts 1 and 70.
#[tokio::test(start_paused = true)]
async fn a_finite_source_is_handled_in_order_and_saved_to_its_end() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    let projection = projection(&source, &store, &recorder).with_mode(Mode::Current);
    assert_eq!(
        spawn(projection).wait().await.unwrap(),
        Completion::Completed
    );
    assert_eq!(recorder.handled(), numbers(6));
    let lane = lane(&store.inner).await;
    assert_eq!(lane.offset.unwrap().text, "6");
    assert_eq!(lane.counters, applied(6));
    assert_eq!(lane.holder, None, "the claim was given back");
}

/// Fact 4.
#[tokio::test(start_paused = true)]
async fn progress_is_saved_by_count_whatever_comes_at_once() {
    let (source, store) = (TestSource::of(numbers(15)), SteeredStore::default());
    let recorder = Recorder::default();
    let _running = spawn(projection(&source, &store, &recorder).with_save(every(10)));
    recorder.has_handled(15).await;
    pass(secs(60)).await;
    assert_eq!(stored(&store.inner).await, Some(10));
    for event in 16..=22 {
        source.push(event);
    }
    recorder.has_handled(22).await;
    pass(secs(60)).await;
    assert_eq!(stored(&store.inner).await, Some(20));
    assert_eq!(store.saved(), [10, 20]);
}

#[tokio::test(start_paused = true)]
async fn a_save_that_fell_due_while_one_was_in_flight_follows_it() {
    let (source, store) = (TestSource::of(numbers(35)), SteeredStore::default());
    let recorder = Recorder::default();
    store.hold(Verb::Commit);
    let _running = spawn(projection(&source, &store, &recorder).with_save(every(10)));
    recorder.has_handled(35).await;
    pass(secs(60)).await;
    assert_eq!(
        store.count(Verb::Commit),
        1,
        "one save is in flight, not more"
    );
    store.let_go(Verb::Commit);
    pass(secs(60)).await;
    // What was settled meanwhile is one save, not one for every ten.
    assert_eq!(store.saved(), [10, 35]);
}

/// Fact 5.
#[tokio::test(start_paused = true)]
async fn progress_is_saved_by_time_also_when_nothing_more_comes() {
    let (source, store) = (TestSource::of(numbers(17)), SteeredStore::default());
    let recorder = Recorder::default();
    let _running = spawn(projection(&source, &store, &recorder).with_save(each(secs(2))));
    recorder.has_handled(17).await;
    pass(millis(1_990)).await;
    assert_eq!(stored(&store.inner).await, None);
    pass(millis(20)).await;
    assert_eq!(stored(&store.inner).await, Some(17));
    pass(secs(60)).await;
    assert_eq!(store.saved(), [17], "nothing new, nothing saved");
}

/// Fact 9: handlers are asynchronous.
#[tokio::test(start_paused = true)]
async fn progress_is_saved_by_time_while_one_handler_takes_long() {
    let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(5);
    let _running = spawn(projection(&source, &store, &recorder).with_save(each(secs(2))));
    recorder.has_called("process 5", 1).await;
    pass(millis(2_010)).await;
    assert_eq!(stored(&store.inner).await, Some(4));
}

/// A handler that blocks its thread for 100 ms.
struct Blocks;

impl Handler<TestEnvelope<u64>> for Blocks {
    async fn process(&mut self, _: &TestEnvelope<u64>, _: &Context<'_>) -> HandlerResult {
        // Its first poll moves the time; nothing else runs meanwhile.
        let _moved = tokio::time::advance(millis(100)).now_or_never();
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn progress_is_saved_by_time_while_handlers_block_the_thread() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let projection = Projection::at_least_once(id(), source, store.clone(), || Blocks)
        .with_save(each(millis(500)))
        .with_mode(Mode::Current);
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    running.wait().await.unwrap();
    assert_eq!(store.saved(), [16, 32, 40]);
}

#[tokio::test(start_paused = true)]
async fn progress_is_saved_by_time_while_a_retry_waits() {
    let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(5, usize::MAX);
    let recovery = Recovery::RetryAndFail {
        retries: 3,
        delay: RetryDelay::Fixed(secs(60)),
    };
    let projection = projection(&source, &store, &recorder)
        .with_save(each(secs(2)))
        .with_recovery(recovery);
    let _running = spawn(projection);
    recorder.has_called("process 5", 1).await;
    pass(millis(2_010)).await;
    assert_eq!(stored(&store.inner).await, Some(4));
}

#[tokio::test(start_paused = true)]
async fn a_save_in_flight_ends_while_a_retry_waits() {
    let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(5, 1);
    store.hold(Verb::Commit);
    let recovery = Recovery::RetryAndFail {
        retries: 1,
        delay: RetryDelay::Fixed(secs(60)),
    };
    let projection = projection(&source, &store, &recorder)
        .with_save(every(4))
        .with_recovery(recovery);
    let _running = spawn(projection);
    recorder.has_called("process 5", 1).await;
    store.let_go(Verb::Commit);
    pass(millis(10)).await;
    assert_eq!(stored(&store.inner).await, Some(4));
}

#[tokio::test(start_paused = true)]
async fn handling_waits_when_max_unsaved_is_reached() {
    for after_envelopes in [1, 10, 100] {
        let (source, store) = (TestSource::of(numbers(500)), SteeredStore::default());
        let recorder = Recorder::default();
        store.hold(Verb::Commit);
        let save = SaveConfig {
            after_envelopes,
            after: secs(3600),
            max_unsaved: 25,
        };
        let running = spawn(projection(&source, &store, &recorder).with_save(save));
        recorder.has_handled(25).await;
        pass(secs(60)).await;
        assert_eq!(
            recorder.handled().len(),
            25,
            "saving after {after_envelopes}"
        );
        store.let_go(Verb::Commit);
        // Nothing is due by time: a full lane saves whatever the counts are.
        let began = Instant::now();
        recorder.has_handled(500).await;
        assert_eq!(began.elapsed(), millis(0));
        assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
        assert_eq!(stored(&store.inner).await, Some(500));
    }
}

#[tokio::test(start_paused = true)]
async fn the_tail_is_saved_at_a_stop() {
    let (source, store) = (TestSource::of(numbers(7)), SteeredStore::default());
    let recorder = Recorder::default();
    let running = spawn(projection(&source, &store, &recorder).with_save(every(100)));
    recorder.has_handled(7).await;
    assert_eq!(store.count(Verb::Commit), 0);
    assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
    assert_eq!(store.saved(), [7]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_a_store_that_is_slow() {
    let (source, store) = (TestSource::of(numbers(7)), SteeredStore::default());
    let recorder = Recorder::default();
    let running = spawn(projection(&source, &store, &recorder).with_save(every(100)));
    recorder.has_handled(7).await;
    store.hold(Verb::Commit);
    running.stop();
    pass(secs(9)).await;
    assert!(!running.status().is_terminal());
    store.let_go(Verb::Commit);
    assert_eq!(running.wait().await.unwrap(), Completion::Stopped);
    assert_eq!(store.saved(), [7]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_the_invocation_in_flight_end_and_saves_it() {
    let (source, store) = (TestSource::of(numbers(9)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(4);
    let running = spawn(projection(&source, &store, &recorder).with_save(every(100)));
    recorder.has_called("process 4", 1).await;
    running.stop();
    pass(secs(9)).await;
    assert!(running.status().epoch().is_some());
    recorder.release(4);
    assert_eq!(running.wait().await.unwrap(), Completion::Stopped);
    assert_eq!(recorder.handled(), numbers(4));
    assert_eq!(stored(&store.inner).await, Some(4));
}

#[tokio::test(start_paused = true)]
async fn a_stop_gives_a_handler_up_that_does_not_end() {
    let (source, store) = (TestSource::of(numbers(9)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(4);
    let projection = projection(&source, &store, &recorder).with_stop_timeout(secs(3));
    let running = spawn(projection.with_save(every(100)));
    recorder.has_called("process 4", 1).await;
    running.stop();
    pass(millis(2_990)).await;
    assert!(!running.status().is_terminal());
    pass(millis(20)).await;
    assert!(matches!(running.status(), ProjectionStatus::Stopped));
    assert_eq!(stored(&store.inner).await, Some(3), "4 was not handled");
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_a_store_that_hangs() {
    let (source, store) = (TestSource::of(numbers(50)), SteeredStore::default());
    let recorder = Recorder::default();
    store.hold(Verb::Commit);
    let save = SaveConfig {
        max_unsaved: 10,
        ..SaveConfig::default()
    };
    let projection = projection(&source, &store, &recorder).with_stop_timeout(secs(3));
    let running = spawn(projection.with_save(save));
    recorder.has_handled(10).await;
    running.stop();
    pass(millis(3_010)).await;
    let ended = running.status();
    assert!(ended.is_terminal(), "{ended:?}");
    let error = running.wait().await.unwrap_err().to_string();
    assert!(error.contains("save"), "says what is lost: {error}");
}

/// Fact 2.
#[tokio::test(start_paused = true)]
async fn a_failure_saves_the_tail_and_the_rerun_begins_with_what_failed() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, 1);
    let once = projection(&source, &store, &recorder)
        .with_mode(Mode::Current)
        .with_restart(no_restart());
    let error = spawn(once.clone()).wait().await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("orders/all") && text.contains("at 4"),
        "{text}"
    );
    assert_eq!(stored(&store.inner).await, Some(3));
    assert_eq!(spawn(once).wait().await.unwrap(), Completion::Completed);
    assert_eq!(recorder.handled(), numbers(6), "each once");
    assert_eq!(lane(&store.inner).await.counters, applied(6));
}

/// Fact 3 and Datum's row 5: a failure repeats nothing that was handled.
#[tokio::test(start_paused = true)]
async fn the_tail_is_saved_before_a_restart() {
    let (source, store) = (TestSource::of(numbers(7)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, 1);
    recorder.panic_at(6);
    let running = spawn(projection(&source, &store, &recorder).with_save(every(100)));
    recorder.has_handled(7).await;
    source.fail_behind(7, "away");
    recorder.has_called("start", 4).await;
    source.push(8);
    recorder.has_handled(8).await;
    source.panic_behind(8);
    recorder.has_called("start", 5).await;
    source.push(9);
    recorder.has_handled(9).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(recorder.handled(), numbers(9), "each once");
    assert_eq!(store.saved(), [3, 5, 7, 8, 9]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_save_loses_neither_counts_nor_letters() {
    for fault in [Fault::Refused, Fault::Panics, Fault::AnswerLost] {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let recorder = Recorder::default();
        source.push_malformed("no JSON", b"{");
        source.push(5);
        store.plan(Verb::Commit, fault);
        let running = spawn(projection(&source, &store, &recorder).with_save(every(4)));
        recorder.has_called("observer.stopped", 1).await;
        source.push(6);
        eventually("goes on", async || recorder.handled().contains(&6)).await;
        running.stop_and_wait().await.unwrap();
        let lane = lane(&store.inner).await;
        let expected = Counters {
            malformed: 1,
            ..applied(5)
        };
        assert_eq!(lane.counters, expected, "after {fault:?}");
        assert_eq!(letters(&store).await.len(), 1, "after {fault:?}");
        // The tail was saved once more before the restart, or the row told that it was saved.
        assert_eq!(recorder.handled(), [1, 2, 3, 5, 6], "after {fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_settled_beside_a_failed_save_does_not_pass_what_it_lost() {
    for fault in [Fault::Refused, Fault::Panics, Fault::AnswerLost] {
        let (source, store) = (TestSource::of(numbers(1)), SteeredStore::default());
        let recorder = Recorder::default();
        source.push_malformed("no JSON", b"{");
        (3..=7).for_each(|event| source.push(event));
        store.hold(Verb::Commit);
        store.plan(Verb::Commit, fault);
        let running = spawn(projection(&source, &store, &recorder).with_save(every(4)));
        // Four records are in the save in flight, three are settled beside it.
        recorder.has_handled(6).await;
        store.let_go(Verb::Commit);
        recorder.has_called("observer.stopped", 1).await;
        running.stop_and_wait().await.unwrap();
        let lane = lane(&store.inner).await;
        let passed: u64 = lane.offset.unwrap().text.parse().unwrap();
        let expected = Counters {
            malformed: 1,
            ..applied(passed - 1)
        };
        assert_eq!(lane.counters, expected, "at {passed} after {fault:?}");
        assert_eq!(letters(&store).await.len(), 1, "after {fault:?}");
    }
}

async fn letters(store: &SteeredStore) -> Vec<(String, String, String)> {
    let filter = DeadLetterFilter {
        projection: Some(String::new()),
        limit: 100,
        ..DeadLetterFilter::default()
    };
    let letters = store.inner.dead_letters(&filter).await.unwrap();
    let parts = letters.into_iter().map(|stored| {
        let raw = String::from_utf8(stored.letter.event.to_vec()).unwrap();
        (stored.letter.offset.text, stored.letter.defect.error, raw)
    });
    parts.collect()
}

#[tokio::test(start_paused = true)]
async fn a_malformed_record_becomes_one_letter_and_is_counted_once() {
    let store = SteeredStore::default();
    let source = TestSource::of(numbers(2)).inclusive();
    source.push_malformed("no JSON", b"{");
    source.push(4);
    source.push_malformed("no number", b"x");
    let recorder = Recorder::default();
    for _ in 0..3 {
        // An inclusive source delivers the malformed record it resumes behind once more.
        let projection = projection(&source, &store, &recorder).with_mode(Mode::Current);
        spawn(projection).wait().await.unwrap();
    }
    assert_eq!(recorder.handled(), [1, 2, 4]);
    let letter = |offset: &str, error: &str, raw: &str| {
        (offset.to_owned(), error.to_owned(), raw.to_owned())
    };
    assert_eq!(
        letters(&store).await,
        [
            letter("3", "item 3: no JSON", "{"),
            letter("5", "item 5: no number", "x")
        ]
    );
    let expected = Counters {
        malformed: 2,
        ..applied(3)
    };
    assert_eq!(lane(&store.inner).await.counters, expected);
}

#[tokio::test(start_paused = true)]
async fn counters_add_up_over_restarts_and_runs() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    for position in [3, 11, 12, 29] {
        recorder.fail_at(position, 1);
    }
    let live = projection(&source, &store, &recorder).with_save(every(7));
    let running = spawn(live.clone());
    recorder.has_handled(40).await;
    running.stop_and_wait().await.unwrap();
    source.push(41);
    let running = spawn(live);
    recorder.has_handled(41).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(lane(&store.inner).await.counters, applied(41));
    assert_eq!(recorder.handled(), numbers(41));
}

/// Fact 3: only a crash repeats what was handled and not saved.
#[test]
fn a_crash_repeats_at_most_max_unsaved_and_loses_nothing() {
    for (max_unsaved, dies_at) in [(1, 10), (5, 23), (20, 20), (50, 77)] {
        let (source, store) = (TestSource::of(numbers(100)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.hold_at(dies_at);
        let save = SaveConfig {
            after_envelopes: max_unsaved,
            max_unsaved,
            ..SaveConfig::default()
        };
        let projection = projection(&source, &store, &recorder)
            .with_save(save)
            .with_mode(Mode::Current);
        let runtime = ProjectionRuntime::new();
        crate::common::crash::dies_after(async {
            let handle = runtime.spawn(projection.clone()).unwrap();
            recorder.has_called(&format!("process {dies_at}#"), 1).await;
            std::mem::forget(handle);
        });
        recorder.release(dies_at);
        crate::common::crash::lives(async {
            runtime.spawn(projection).unwrap().wait().await.unwrap()
        });
        let mut handled = recorder.handled();
        let repeated = handled.len() - 100;
        assert!(
            repeated <= usize::try_from(max_unsaved).unwrap(),
            "{repeated} repeated of at most {max_unsaved}"
        );
        handled.sort_unstable();
        handled.dedup();
        assert_eq!(handled, numbers(100), "nothing lost");
        let counters = crate::common::crash::lives(lane(&store.inner)).counters;
        assert_eq!(counters, applied(100), "the crash is counted nowhere");
    }
}
