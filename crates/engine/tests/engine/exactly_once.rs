//! Exactly-once: an envelope, what its handler wrote and its offset are one.

use crate::common::crash::{dies_after, lives};
use crate::common::grouped::letters_of;
use crate::common::model::{Model, Tables};
use crate::common::store::{Fault, Verb};
use crate::common::{
    SteeredStore, applied, id, lane, no_restart, numbers, secs, steady_restarts, stored,
};
use projectionist_core::Counters;
use projectionist_core::contract::{DeadLetterStore, Mode};
use projectionist_engine::{
    Completion, ExactlyOnce, Projection, ProjectionRuntime, Recovery, RetryDelay,
};
use projectionist_testkit::{Recorder, TestSource};

type Blueprint<F> = Projection<TestSource<u64>, SteeredStore, ExactlyOnce<F>>;

fn projection(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> Blueprint<impl Fn() -> Model + Clone + Send + Sync + use<>> {
    let factory = {
        let recorder = recorder.clone();
        move || Model::of(&recorder)
    };
    Projection::exactly_once(id(), source.clone(), store.clone(), factory)
        .with_restart(steady_restarts())
        .with_observer(recorder.observer())
        .with_mode(Mode::Current)
}

async fn completes<F>(projection: Blueprint<F>)
where
    F: Fn() -> Model + Send + Sync + 'static,
{
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
}

fn without(missing: u64) -> Vec<u64> {
    numbers(6).into_iter().filter(|n| *n != missing).collect()
}

const A_SECOND: RetryDelay = RetryDelay::Fixed(std::time::Duration::from_secs(1));

/// Fact 16: each transaction holds one envelope with its offset.
#[tokio::test(start_paused = true)]
async fn model_and_offset_move_in_one_transaction_an_envelope() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    completes(projection(&source, &store, &recorder)).await;
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(6)));
    assert_eq!(store.saved(), numbers(6));
    assert_eq!(
        (store.count(Verb::Begin), store.count(Verb::Commit)),
        (6, 6)
    );
    assert_eq!(lane(&store.inner).await.counters, applied(6));
}

/// Facts 17 and 18: a skipped envelope, the last one too, leaves nothing but its offset.
#[tokio::test(start_paused = true)]
async fn a_skipped_envelope_rolls_back_and_its_offset_is_stored() {
    for bad in [1, 4, 6] {
        for keeps in [false, true] {
            let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
            let recorder = Recorder::default();
            recorder.fail_at(bad, usize::MAX);
            let mut projection =
                projection(&source, &store, &recorder).with_recovery(Recovery::Skip);
            if keeps {
                projection = projection.keeping_dead_letters();
            }
            completes(projection).await;
            assert_eq!(Tables::of(&store.inner).await, Tables::fold(without(bad)));
            let (kept, passed) = (u64::from(keeps), u64::from(!keeps));
            let lane = lane(&store.inner).await;
            let expected = Counters {
                read: 6,
                dead_lettered: kept,
                skipped: passed,
                ..applied(5)
            };
            assert_eq!(
                (lane.offset.unwrap().text.as_str(), lane.counters),
                ("6", expected)
            );
            let letters = store
                .inner
                .dead_letters(&letters_of("orders"))
                .await
                .unwrap();
            assert_eq!(letters.len() as u64, kept);
        }
    }
}

/// Fact 19: every attempt begins with a clean model.
#[tokio::test(start_paused = true)]
async fn retry_and_skip_makes_its_attempts_and_rolls_each_back() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, usize::MAX);
    let (retries, delay) = (3, A_SECOND);
    let recovery = Recovery::RetryAndSkip { retries, delay };
    completes(projection(&source, &store, &recorder).with_recovery(recovery)).await;
    assert_eq!(recorder.count("process 4#"), 4);
    assert_eq!(recorder.count("observer.error 4#"), 4);
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(without(4)));
}

/// Facts 20, 21 and 22: what the handler wrote before it failed is gone, and a later run misses
/// and doubles nothing.
#[tokio::test(start_paused = true)]
async fn retry_and_fail_leaves_what_came_before_and_a_later_run_the_rest() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, 3);
    let (retries, delay) = (2, A_SECOND);
    let once = projection(&source, &store, &recorder)
        .with_recovery(Recovery::RetryAndFail { retries, delay })
        .with_restart(no_restart());
    let first = ProjectionRuntime::new().spawn(once.clone()).unwrap();
    let error = first.wait().await.unwrap_err().to_string();
    assert!(error.contains("at 4 after 3 attempt"), "{error}");
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(3)));
    assert_eq!(stored(&store.inner).await, Some(3));
    completes(once).await;
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(6)));
    assert_eq!(lane(&store.inner).await.counters, applied(6));
}

/// Fact 23.
#[tokio::test(start_paused = true)]
async fn retries_inflate_no_count() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    for position in 1..=6 {
        recorder.fail_at(position, 2);
    }
    let (retries, delay) = (2, A_SECOND);
    let recovery = Recovery::RetryAndFail { retries, delay };
    completes(projection(&source, &store, &recorder).with_recovery(recovery)).await;
    for position in 1..=6 {
        for call in ["observer.after", "observer.progress"] {
            assert_eq!(recorder.count(&format!("{call} {position}")), 1);
        }
    }
    assert_eq!(lane(&store.inner).await.counters, applied(6));
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(6)));
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_the_store_at_any_commit_loses_and_doubles_nothing() {
    for fault in [Fault::Refused, Fault::AnswerLost, Fault::Panics] {
        for verb in [Verb::Begin, Verb::Commit] {
            for at in 1..=6 {
                let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
                let recorder = Recorder::default();
                if verb == Verb::Begin {
                    // Planned while the envelope before is handled, so that it strikes this one.
                    recorder.hold_at(at - 1);
                } else {
                    recorder.hold_at(at);
                }
                let running = projection(&source, &store, &recorder);
                let running = ProjectionRuntime::new().spawn(running).unwrap();
                let held = if verb == Verb::Begin { at - 1 } else { at };
                if held > 0 {
                    recorder.has_called(&format!("process {held}#"), 1).await;
                }
                store.plan(verb, fault);
                recorder.release(held);
                running.wait().await.unwrap();
                let tables = Tables::of(&store.inner).await;
                assert_eq!(
                    tables,
                    Tables::fold(numbers(6)),
                    "{fault:?} at {verb:?} {at}"
                );
                assert_eq!(lane(&store.inner).await.counters, applied(6));
            }
        }
    }
}

#[test]
fn a_kill_inside_any_transaction_loses_and_doubles_nothing() {
    for dies_at in 1..=6 {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
        recorder.hold_at(dies_at);
        let projection = projection(&source, &store, &recorder);
        dies_after(async {
            let handle = runtime.spawn(projection.clone()).unwrap();
            recorder.has_called(&format!("process {dies_at}#"), 1).await;
            std::mem::forget(handle);
        });
        let kept = lives(Tables::of(&store.inner));
        assert_eq!(kept, Tables::fold(numbers(dies_at - 1)));
        recorder.release(dies_at);
        lives(async { runtime.spawn(projection).unwrap().wait().await.unwrap() });
        assert_eq!(lives(Tables::of(&store.inner)), Tables::fold(numbers(6)));
        assert_eq!(lives(lane(&store.inner)).counters, applied(6));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_gives_the_handler_up_and_nothing_of_it_stays() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(4);
    let projection = projection(&source, &store, &recorder).with_stop_timeout(secs(2));
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_called("process 4", 1).await;
    assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(3)));
    assert_eq!(stored(&store.inner).await, Some(3));
}
