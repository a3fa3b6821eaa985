//! Handlers that say what is to become of each envelope: acknowledged, dropped, or tried again.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::crash::{dies_after, lives};
use crate::common::{applied, id, lane, no_restart, numbers, secs, steady_restarts, stored};
use projectionist_core::contract::{
    Context, DeadLetterFilter, DeadLetterStore, FailureAction, Mode, Settlement, SettlingHandler,
};
use projectionist_core::{BoxError, Counters, ErrorClass, Offset};
use projectionist_engine::{
    Completion, Projection, ProjectionHandle, ProjectionRuntime, ProjectionStatus, Recovery,
    RetryDelay, SaveConfig, SettledAtLeastOnce,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{
    CrashPoint, CrashStore, Recorder, TestEnvelope, TestPosition, TestSource, eventually, pass,
};

/// What is to become of the envelope at each position, one answer an attempt; acknowledged where
/// nothing is planned. And what came of it.
#[derive(Clone, Default)]
struct Plan(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    answers: BTreeMap<u64, VecDeque<Settlement>>,
    attempts: Vec<(u64, u32)>,
    acknowledged: Vec<u64>,
}

impl Plan {
    fn at(self, position: u64, answers: impl IntoIterator<Item = Settlement>) -> Self {
        let answers = answers.into_iter().collect();
        self.0.lock().unwrap().answers.insert(position, answers);
        self
    }

    fn attempts(&self) -> Vec<(u64, u32)> {
        self.0.lock().unwrap().attempts.clone()
    }

    /// How often the envelope at `position` was tried.
    fn tried(&self, position: u64) -> usize {
        let attempts = self.attempts();
        attempts.iter().filter(|(at, _)| *at == position).count()
    }

    fn acknowledged(&self) -> Vec<u64> {
        self.0.lock().unwrap().acknowledged.clone()
    }
}

impl SettlingHandler<TestEnvelope<u64>> for Plan {
    async fn process(
        &mut self,
        envelope: &TestEnvelope<u64>,
        context: &Context<'_>,
    ) -> Result<Settlement, BoxError> {
        let mut state = self.0.lock().unwrap();
        let position = envelope.position.0;
        state.attempts.push((position, context.attempt));
        let planned = state.answers.get_mut(&position);
        if let Some(answer) = planned.and_then(VecDeque::pop_front) {
            return Ok(answer);
        }
        state.acknowledged.push(position);
        Ok(Settlement::Ack)
    }
}

fn drop_it() -> Settlement {
    let reason = "it has no letters".to_owned();
    Settlement::Drop { reason }
}

fn retry() -> Settlement {
    let reason = "its account is not there".to_owned();
    Settlement::Retry { reason }
}

fn retry_after(seconds: u64) -> Settlement {
    Settlement::RetryAfter {
        delay: secs(seconds),
        reason: "the service is busy".to_owned(),
    }
}

fn fixed(retries: u32, seconds: u64) -> (u32, RetryDelay) {
    (retries, RetryDelay::Fixed(secs(seconds)))
}

type Blueprint<F> = Projection<TestSource<u64>, MemoryStore, SettledAtLeastOnce<F>>;

/// Follows six events, and saves each.
fn projection(
    plan: &Plan,
    store: &MemoryStore,
) -> Blueprint<impl Fn() -> Plan + Clone + Send + Sync + use<>> {
    let plan = plan.clone();
    let factory = move || plan.clone();
    let source = TestSource::of(numbers(6));
    Projection::settled_at_least_once(id(), source, store.clone(), factory)
        .with_restart(steady_restarts())
        .with_save(SaveConfig {
            after_envelopes: 1,
            ..SaveConfig::default()
        })
}

fn spawn<F: Fn() -> Plan + Send + Sync + 'static>(projection: Blueprint<F>) -> ProjectionHandle {
    ProjectionRuntime::new().spawn(projection).unwrap()
}

/// Runs it to the end of its source.
async fn run<F: Fn() -> Plan + Send + Sync + 'static>(projection: Blueprint<F>) {
    let running = spawn(projection.with_mode(Mode::Current));
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
}

#[tokio::test(start_paused = true)]
async fn what_is_acknowledged_is_applied() {
    let (plan, store) = (Plan::default(), MemoryStore::new());
    run(projection(&plan, &store)).await;
    assert_eq!(plan.acknowledged(), numbers(6));
    assert_eq!(lane(&store).await.counters, applied(6));
    assert_eq!(stored(&store).await, Some(6));
}

#[tokio::test(start_paused = true)]
async fn what_is_dropped_is_counted_as_skipped_whatever_recovery_says() {
    for recovery in [Recovery::Fail, Recovery::Skip, Recovery::retry_and_fail()] {
        let (plan, store) = (Plan::default().at(3, [drop_it()]), MemoryStore::new());
        run(projection(&plan, &store).with_recovery(recovery)).await;
        assert_eq!(plan.acknowledged(), [1, 2, 4, 5, 6], "{recovery:?}");
        assert_eq!(plan.tried(3), 1, "dropped at once under {recovery:?}");
        let expected = Counters {
            read: 6,
            applied: 5,
            skipped: 1,
            ..Counters::ZERO
        };
        assert_eq!(lane(&store).await.counters, expected, "{recovery:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_dropped_becomes_a_letter_where_these_are_kept() {
    let plan = Plan::default().at(3, [retry(), drop_it()]);
    let store = MemoryStore::new();
    let (retries, delay) = fixed(1, 1);
    let recovery = Recovery::RetryAndFail { retries, delay };
    let projection = projection(&plan, &store).with_recovery(recovery);
    run(projection.keeping_dead_letters()).await;
    let filter = DeadLetterFilter {
        projection: Some("orders".to_owned()),
        limit: 10,
        ..DeadLetterFilter::default()
    };
    let letters = store.dead_letters(&filter).await.unwrap();
    let [kept] = letters.as_slice() else {
        panic!("one letter: {letters:?}");
    };
    let letter = &kept.letter;
    assert_eq!(letter.offset, Offset::of(&TestPosition(3)));
    assert_eq!((letter.attempts, letter.event.as_ref()), (2, &b"3"[..]));
    assert_eq!(letter.defect.class, ErrorClass::Handler);
    assert!(letter.defect.error.contains("it has no letters"));
    let expected = Counters {
        read: 6,
        applied: 5,
        dead_lettered: 1,
        ..Counters::ZERO
    };
    assert_eq!(lane(&store).await.counters, expected);
}

#[tokio::test(start_paused = true)]
async fn a_retry_is_counted_by_recovery() {
    let (retries, delay) = fixed(2, 1);
    for (refusals, recovery, skipped) in [
        (2, Recovery::RetryAndFail { retries, delay }, 0),
        (2, Recovery::RetryAndSkip { retries, delay }, 0),
        (3, Recovery::RetryAndSkip { retries, delay }, 1),
        (1, Recovery::Skip, 1),
    ] {
        let answers = std::iter::repeat_with(retry).take(refusals);
        let (plan, store) = (Plan::default().at(3, answers), MemoryStore::new());
        let began = tokio::time::Instant::now();
        run(projection(&plan, &store).with_recovery(recovery)).await;
        let counters = lane(&store).await.counters;
        assert_eq!(counters.skipped, skipped, "{refusals} under {recovery:?}");
        assert_eq!(counters.applied, 6 - skipped);
        let attempts = refusals + usize::from(skipped == 0);
        assert_eq!(plan.tried(3), attempts, "{refusals} under {recovery:?}");
        let waited = secs(attempts as u64 - 1);
        assert!(began.elapsed() >= waited && began.elapsed() < waited + secs(1));
    }
}

#[tokio::test(start_paused = true)]
async fn retries_that_are_used_up_fail_the_run() {
    let (retries, delay) = fixed(1, 1);
    let plan = Plan::default().at(3, [retry(), retry()]);
    let store = MemoryStore::new();
    let projection = projection(&plan, &store)
        .with_recovery(Recovery::RetryAndFail { retries, delay })
        .with_restart(no_restart());
    let error = spawn(projection).wait().await.unwrap_err().to_string();
    assert!(
        error.contains("orders/all")
            && error.contains("at 3")
            && error.contains("2 attempt")
            && error.contains("its account is not there"),
        "{error}"
    );
    assert_eq!(stored(&store).await, Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_is_not_counted_and_takes_its_own_time() {
    let answers = std::iter::repeat_with(|| retry_after(7)).take(20);
    let plan = Plan::default().at(3, answers);
    let store = MemoryStore::new();
    let began = tokio::time::Instant::now();
    // Recovery allows no retry at all.
    run(projection(&plan, &store).with_restart(no_restart())).await;
    assert_eq!(plan.acknowledged(), numbers(6));
    assert_eq!(plan.attempts()[2..23].last(), Some(&(3, 21)));
    assert!(began.elapsed() >= secs(20 * 7) && began.elapsed() < secs(20 * 7 + 1));
    assert_eq!(lane(&store).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn retries_after_use_up_none_of_the_retries_between_them() {
    let answers = [
        retry_after(1),
        retry(),
        retry_after(1),
        retry_after(1),
        retry(),
        retry_after(1),
    ];
    let (retries, delay) = fixed(2, 1);
    let (plan, store) = (Plan::default().at(3, answers), MemoryStore::new());
    let projection = projection(&plan, &store).with_restart(no_restart());
    run(projection.with_recovery(Recovery::RetryAndFail { retries, delay })).await;
    assert_eq!(plan.tried(3), 7);
    assert_eq!(lane(&store).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn the_status_shows_what_is_waited_for_and_the_lane_waits() {
    let (plan, store) = (Plan::default().at(3, [retry_after(60)]), MemoryStore::new());
    let recorder = Recorder::<u64>::default();
    let running = spawn(projection(&plan, &store).with_observer(recorder.observer()));
    let mut status = running.status_receiver();
    let shown = status
        .wait_for(|status| matches!(status, ProjectionStatus::Retrying { .. }))
        .await;
    let ProjectionStatus::Retrying {
        offset,
        attempt,
        delay,
        error,
    } = shown
    else {
        panic!("{shown:?}");
    };
    assert_eq!((offset.text.as_str(), attempt, delay), ("3", 1, secs(60)));
    assert!(error.contains("the service is busy"), "{error}");
    pass(secs(59)).await;
    assert_eq!(plan.acknowledged(), [1, 2], "the lane waits");
    assert_eq!(stored(&store).await, Some(2), "what is settled is saved");
    pass(secs(2)).await;
    assert_eq!(plan.acknowledged(), numbers(6));
    assert!(running.status().epoch().is_some(), "it goes on");
    assert_eq!(recorder.actions(), [FailureAction::Retry]);
    running.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_every_wait_and_leaves_the_envelope_for_the_next_run() {
    let (retries, delay) = fixed(9, 60);
    for (answer, recovery) in [
        (retry(), Recovery::RetryAndFail { retries, delay }),
        (retry_after(60), Recovery::Fail),
    ] {
        let (plan, store) = (Plan::default().at(3, [answer]), MemoryStore::new());
        let projection = projection(&plan, &store).with_recovery(recovery);
        let running = spawn(projection.clone());
        eventually("refused", async || plan.tried(3) == 1).await;
        let stopped_at = tokio::time::Instant::now();
        assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
        assert_eq!(stopped_at.elapsed(), Duration::ZERO);
        assert_eq!(stored(&store).await, Some(2));
        run(projection).await;
        assert_eq!(plan.acknowledged(), numbers(6), "each once");
        assert_eq!(lane(&store).await.counters, applied(6));
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_ends_the_wait_and_a_resume_tries_again_at_once() {
    let (plan, store) = (
        Plan::default().at(3, [retry_after(600)]),
        MemoryStore::new(),
    );
    let running = spawn(projection(&plan, &store));
    eventually("refused", async || plan.tried(3) == 1).await;
    running.pause_and_wait().await.unwrap();
    running.resume().await.unwrap();
    eventually("handled", async || plan.acknowledged().len() == 6).await;
    assert_eq!(plan.attempts()[3], (3, 1), "a new run counts anew");
    running.stop_and_wait().await.unwrap();
    assert_eq!(lane(&store).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn what_is_waited_for_can_be_skipped_by_command() {
    let (plan, store) = (
        Plan::default().at(3, [retry_after(600)]),
        MemoryStore::new(),
    );
    let running = spawn(projection(&plan, &store));
    let mut status = running.status_receiver();
    status
        .wait_for(|status| matches!(status, ProjectionStatus::Retrying { .. }))
        .await;
    assert_eq!(running.skip_current().await.unwrap().text, "3");
    eventually("goes on", async || plan.acknowledged().len() == 5).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(plan.acknowledged(), [1, 2, 4, 5, 6]);
    assert_eq!(lane(&store).await.counters.skipped, 1);
}

/// The process dies at each moment of a run that acknowledges, drops and tries again.
#[test]
fn a_crash_at_every_moment_repeats_no_more_than_is_promised_and_loses_nothing() {
    let max_unsaved = 2;
    let save = SaveConfig {
        after_envelopes: 1,
        max_unsaved,
        ..SaveConfig::default()
    };
    let mut crashes = 0;
    for point in [
        CrashPoint::AfterHandle,
        CrashPoint::BeforeSave,
        CrashPoint::AfterSave,
    ] {
        for count in 1..=9 {
            let plan = Plan::default()
                .at(2, [retry_after(1)])
                .at(4, [drop_it(), drop_it()]);
            let store = MemoryStore::new();
            let dying = CrashStore::over(store.clone());
            dying.crash_at(point, count);
            let factory = {
                let (dying, plan) = (dying.clone(), plan.clone());
                move || dying.handler(plan.clone())
            };
            let source = TestSource::of(numbers(6));
            let first = Projection::settled_at_least_once(id(), source, dying.clone(), factory)
                .with_save(save)
                .with_mode(Mode::Current);
            let runtime = ProjectionRuntime::new();
            let died = dies_after(async {
                let handle = runtime.spawn(first).unwrap();
                let died = tokio::select! {
                    () = dying.crashed() => true,
                    ended = handle.wait() => ended.is_err(),
                };
                std::mem::forget(handle);
                died
            });
            crashes += u32::from(died);
            let second = projection(&plan, &store).with_save(save);
            let second = second.with_mode(Mode::Current);
            // The same owner: it takes its own lane back at once.
            lives(async { runtime.spawn(second).unwrap().wait().await.unwrap() });
            let mut acknowledged = plan.acknowledged();
            let distinct = 5;
            let repeated = (acknowledged.len() - distinct) as u64;
            assert!(repeated <= max_unsaved, "{point:?} {count}: {repeated}");
            acknowledged.sort_unstable();
            acknowledged.dedup();
            assert_eq!(acknowledged, [1, 2, 3, 5, 6], "{point:?} {count}");
            let expected = Counters {
                read: 6,
                applied: 5,
                skipped: 1,
                ..Counters::ZERO
            };
            assert_eq!(lives(lane(&store)).counters, expected, "{point:?} {count}");
        }
    }
    assert!(crashes >= 15, "{crashes} crashes");
}
