//! Claims: one owner a lane, who may take it, and that a former owner changes nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers included"
)]

mod common;

use std::process::{Child, Command};
use std::sync::Arc;

use common::model::{Model, Tables};
use common::store::{Fault, Verb};
use common::{SteeredStore, id, millis, numbers, secs, steady_restarts, stored};
use projectionist_core::contract::{Mode, OffsetStore};
use projectionist_core::{ClaimOutcome, ClaimRequest, Epoch, Error, Owner, ProcessIdentity, Take};
use projectionist_engine::claim::process;
use projectionist_engine::{
    AtLeastOnce, ClaimConfig, Completion, GroupConfig, GroupedExactlyOnce, Projection,
    ProjectionHandle, ProjectionRuntime, ProjectionStatus, SaveConfig, WhenHeld,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, RecordingHandler, TestClock, TestSource, pass};

type Single<F> = Projection<TestSource<u64>, SteeredStore, AtLeastOnce<F>>;
type Grouped<F> = Projection<TestSource<u64>, SteeredStore, GroupedExactlyOnce<F>>;

/// At-least-once, saving every envelope.
fn single(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> Single<impl Fn() -> RecordingHandler<u64> + Clone + Send + Sync + use<>> {
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    Projection::at_least_once(id(), source.clone(), store.clone(), factory)
        .with_restart(steady_restarts())
        .with_observer(recorder.observer())
        .with_save(SaveConfig {
            after_envelopes: 1,
            ..SaveConfig::default()
        })
}

/// Exactly-once in groups of three.
fn grouped(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> Grouped<impl Fn() -> Model + Clone + Send + Sync + use<>> {
    let factory = {
        let recorder = recorder.clone();
        move || Model::of(&recorder)
    };
    Projection::grouped_exactly_once(id(), source.clone(), store.clone(), factory)
        .with_restart(steady_restarts())
        .with_observer(recorder.observer())
        .with_group(GroupConfig {
            max_envelopes: 3,
            ..GroupConfig::default()
        })
}

fn held(when_held: WhenHeld) -> ClaimConfig {
    ClaimConfig {
        when_held,
        ..ClaimConfig::default()
    }
}

/// A store whose clock keeps step with the test.
fn clocked_store() -> (SteeredStore, TestClock) {
    let clock = TestClock::new();
    let store = MemoryStore::with_clock(Arc::new(clock.clone()));
    (SteeredStore::over(store), clock)
}

async fn stands_by(handle: &ProjectionHandle) -> String {
    let mut status = handle.status_receiver();
    let standing =
        |status: &ProjectionStatus| matches!(status, ProjectionStatus::StandingBy { .. });
    match &*status.wait_for(standing).await.unwrap() {
        ProjectionStatus::StandingBy { holder } => holder.clone(),
        other => unreachable!("{other:?} is not waited for"),
    }
}

async fn runs_under(handle: &ProjectionHandle, epoch: u64) {
    let expected = Epoch(epoch);
    let mut status = handle.status_receiver();
    let running = |status: &ProjectionStatus| matches!(status, ProjectionStatus::Running { epoch } if *epoch == expected);
    status.wait_for(running).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_runtime_runs_a_projection_once_and_claims_nothing_for_the_second() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
    let running = runtime.spawn(single(&source, &store, &recorder)).unwrap();
    recorder.has_handled(3).await;
    let steal = single(&source, &store, &recorder).with_claim(held(WhenHeld::Steal));
    let error = runtime.clone().spawn(steal.clone()).unwrap_err();
    assert!(
        matches!(&error, Error::AlreadyRunning(lane) if *lane == id()),
        "{error}"
    );
    pass(secs(1)).await;
    assert_eq!(store.count(Verb::Claim), 1);
    running.stop_and_wait().await.unwrap();
    let again = runtime.spawn(steal).unwrap();
    runs_under(&again, 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_second_runtime_stands_by_and_takes_over_at_a_stop() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
    let first = runtime.spawn(single(&source, &store, &recorder)).unwrap();
    recorder.has_handled(3).await;
    let others = Recorder::default();
    let standby = single(&source, &store.beside(), &others);
    let second = ProjectionRuntime::new().spawn(standby).unwrap();
    assert_eq!(stands_by(&second).await, runtime.owner().label());
    // Renewals hold the claim for as long as it takes.
    pass(secs(3600)).await;
    assert!(matches!(
        second.status(),
        ProjectionStatus::StandingBy { .. }
    ));
    assert_eq!(others.count("created"), 0);
    first.stop_and_wait().await.unwrap();
    pass(millis(260)).await;
    runs_under(&second, 2).await;
    source.push(4);
    others.has_handled(1).await;
    assert_eq!(
        (recorder.handled(), others.handled()),
        (numbers(3), vec![4])
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_standing_by_at_once() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let recorder = Recorder::default();
    let spawn = || {
        let projection = single(&source, &store, &recorder);
        ProjectionRuntime::new().spawn(projection).unwrap()
    };
    let first = spawn();
    recorder.has_handled(3).await;
    let second = spawn();
    stands_by(&second).await;
    assert_eq!(second.stop_and_wait().await.unwrap(), Completion::Stopped);
    assert!(matches!(first.status(), ProjectionStatus::Running { .. }));
}

#[tokio::test(start_paused = true)]
async fn who_does_not_wait_fails_and_names_the_holder() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
    let _first = runtime.spawn(single(&source, &store, &recorder)).unwrap();
    recorder.has_handled(3).await;
    let second = single(&source, &store, &recorder).with_claim(held(WhenHeld::Fail));
    let second = ProjectionRuntime::new().spawn(second).unwrap();
    let error = second.wait().await.unwrap_err();
    let Error::Held { lane, holder } = &*error else {
        panic!("{error}");
    };
    assert_eq!((lane, holder), (&id(), &runtime.owner().label()));
}

#[tokio::test(start_paused = true)]
async fn standing_by_ends_when_it_has_been_long_enough() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let recorder = Recorder::default();
    let first = single(&source, &store, &recorder);
    let _first = ProjectionRuntime::new().spawn(first).unwrap();
    recorder.has_handled(3).await;
    let patient = ClaimConfig {
        wait_at_most: Some(millis(2_100)),
        ..ClaimConfig::default()
    };
    let second = single(&source, &store, &recorder).with_claim(patient);
    let began = tokio::time::Instant::now();
    let second = ProjectionRuntime::new().spawn(second).unwrap();
    let error = second.wait().await.unwrap_err();
    assert!(matches!(&*error, Error::Held { .. }), "{error}");
    assert_eq!(began.elapsed(), millis(2_100));
}

#[tokio::test(start_paused = true)]
async fn after_a_steal_nothing_of_the_first_owner_is_saved() {
    for first_policy in [WhenHeld::Wait, WhenHeld::Fail, WhenHeld::Steal] {
        let (source, (store, _)) = (TestSource::of(numbers(9)), clocked_store());
        let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
        store.hold(Verb::Commit);
        let first = single(&source, &store, &recorder).with_claim(held(first_policy));
        let first = runtime.spawn(first).unwrap();
        recorder.has_handled(9).await;
        let (theirs, others) = (store.beside(), Recorder::default());
        let steal = single(&source, &theirs, &others).with_claim(held(WhenHeld::Steal));
        let thief = ProjectionRuntime::new();
        let second = thief.spawn(steal).unwrap();
        others.has_handled(9).await;
        pass(millis(600)).await;
        assert_eq!(stored(&store.inner).await, Some(9));
        store.let_go(Verb::Commit);
        pass(secs(60)).await;
        assert_eq!(store.history(), [], "the first one saved nothing");
        assert_eq!(stored(&store.inner).await, Some(9));
        assert!(matches!(
            second.status(),
            ProjectionStatus::Running { epoch: Epoch(2) }
        ));
        if first_policy == WhenHeld::Wait {
            assert_eq!(stands_by(&first).await, thief.owner().label());
        } else {
            let error = first.wait().await.unwrap_err();
            assert!(matches!(&*error, Error::Held { .. }), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_steal_no_event_is_in_the_model_twice() {
    let (source, (store, _)) = (TestSource::of(numbers(4)), clocked_store());
    let (recorder, others) = (Recorder::default(), Recorder::default());
    let first = ProjectionRuntime::new().spawn(grouped(&source, &store, &recorder));
    let first = first.unwrap();
    recorder.has_handled(4).await;
    pass(secs(1)).await;
    // The next group of the first one is complete and stands before its transaction.
    store.hold(Verb::Begin);
    (5..=7).for_each(|event| source.push(event));
    projectionist_testkit::eventually("begins", async || store.count(Verb::Begin) == 3).await;
    let theirs = store.beside();
    let steal = grouped(&source, &theirs, &others).with_claim(held(WhenHeld::Steal));
    let _second = ProjectionRuntime::new().spawn(steal).unwrap();
    others.has_handled(3).await;
    store.let_go(Verb::Begin);
    stands_by(&first).await;
    (8..=20).for_each(|event| source.push(event));
    others.has_handled(16).await;
    pass(secs(60)).await;
    assert_eq!(recorder.handled(), numbers(4));
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(20)));
    assert_eq!(common::lane(&store.inner).await.counters.applied, 20);
}

#[tokio::test(start_paused = true)]
async fn a_thief_that_is_robbed_does_not_steal_back() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let mut handles = Vec::new();
    for epoch in 1..=4 {
        let recorder = Recorder::default();
        let steal = single(&source, &store.beside(), &recorder);
        let steal = steal.with_claim(held(WhenHeld::Steal));
        let handle = ProjectionRuntime::new().spawn(steal).unwrap();
        runs_under(&handle, epoch).await;
        handles.push(handle);
        pass(secs(30)).await;
    }
    let last = handles.pop().unwrap();
    for robbed in handles {
        let error = robbed.wait().await.unwrap_err();
        assert!(matches!(&*error, Error::Held { .. }), "{error}");
    }
    assert!(matches!(
        last.status(),
        ProjectionStatus::Running { epoch: Epoch(4) }
    ));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_is_stolen_during_a_backoff_is_respected() {
    for policy in [WhenHeld::Wait, WhenHeld::Steal] {
        let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
        let recorder = Recorder::default();
        recorder.fail_at(2, usize::MAX);
        let slow = projectionist_engine::RestartBackoff {
            min_backoff: secs(3600),
            max_backoff: secs(3600),
            ..steady_restarts()
        };
        let first = single(&source, &store, &recorder).with_claim(held(policy));
        let first = ProjectionRuntime::new()
            .spawn(first.with_restart(slow))
            .unwrap();
        recorder.has_called("observer.stopped", 1).await;
        let others = Recorder::default();
        let steal = single(&source, &store.beside(), &others);
        let steal = steal.with_claim(held(WhenHeld::Steal));
        let second = ProjectionRuntime::new().spawn(steal).unwrap();
        others.has_handled(2).await;
        pass(secs(60)).await;
        assert!(matches!(second.status(), ProjectionStatus::Running { .. }));
        if policy == WhenHeld::Wait {
            stands_by(&first).await;
        } else {
            let error = first.wait().await.unwrap_err();
            assert!(matches!(&*error, Error::Held { .. }), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_failed_is_not_repeated_under_a_claim_that_was_stolen() {
    // Told by the save of the tail, or, where nothing is to be saved, by the row.
    for fails_at in [3, 1] {
        let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
        let recorder = Recorder::default();
        recorder.hold_at(fails_at);
        recorder.fail_at(fails_at, 1);
        let slow = SaveConfig {
            after: secs(3600),
            ..SaveConfig::default()
        };
        let first = single(&source, &store, &recorder).with_save(slow);
        let first = ProjectionRuntime::new().spawn(first).unwrap();
        let called = format!("process {fails_at}#");
        recorder.has_called(&called, 1).await;
        let others = Recorder::default();
        let steal = single(&source, &store.beside(), &others).with_save(slow);
        let steal = steal.with_claim(held(WhenHeld::Steal));
        let _second = ProjectionRuntime::new().spawn(steal).unwrap();
        others.has_handled(3).await;
        recorder.release(fails_at);
        stands_by(&first).await;
        assert_eq!(recorder.count(&called), 1);
        assert_eq!(recorder.handled(), numbers(fails_at - 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_frozen_owner_that_wakes_saves_nothing_and_stands_by() {
    let (source, (store, clock)) = (TestSource::of(numbers(9)), clocked_store());
    let recorder = Recorder::default();
    store.hold(Verb::Commit);
    store.hold(Verb::Renew);
    let first = single(&source, &store, &recorder);
    let first = ProjectionRuntime::new().spawn(first).unwrap();
    recorder.has_handled(9).await;
    clock.jump(secs(11));
    let (theirs, others) = (store.beside(), Recorder::default());
    let thief = ProjectionRuntime::new();
    let second = thief.spawn(single(&source, &theirs, &others)).unwrap();
    others.has_handled(9).await;
    pass(millis(600)).await;
    store.let_go(Verb::Commit);
    store.let_go(Verb::Renew);
    assert_eq!(stands_by(&first).await, thief.owner().label());
    assert_eq!(store.history(), []);
    // It looks again now and then, and not in a loop.
    let asked = store.count(Verb::Claim);
    pass(secs(10)).await;
    assert!((10..=50).contains(&(store.count(Verb::Claim) - asked)));
    second.stop_and_wait().await.unwrap();
    source.push(10);
    recorder.has_handled(10).await;
    assert_eq!(
        stored(&store.inner).await.max(Some(9)),
        stored(&store.inner).await
    );
}

#[tokio::test(start_paused = true)]
async fn a_frozen_owner_that_wakes_applies_nothing() {
    let (source, (store, clock)) = (TestSource::of(numbers(9)), clocked_store());
    let (recorder, others) = (Recorder::default(), Recorder::default());
    store.hold(Verb::Begin);
    store.hold(Verb::Renew);
    let first = grouped(&source, &store, &recorder);
    let first = ProjectionRuntime::new().spawn(first).unwrap();
    projectionist_testkit::eventually("begins", async || store.count(Verb::Begin) == 1).await;
    clock.jump(secs(11));
    let second = grouped(&source, &store.beside(), &others);
    let _second = ProjectionRuntime::new().spawn(second).unwrap();
    others.has_handled(9).await;
    store.let_go(Verb::Begin);
    store.let_go(Verb::Renew);
    stands_by(&first).await;
    assert_eq!(recorder.handled(), Vec::<u64>::new());
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(9)));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_cannot_be_renewed_is_given_up_in_time_and_asked_for_again() {
    for (policy, hangs) in [
        (WhenHeld::Wait, true),
        (WhenHeld::Wait, false),
        (WhenHeld::Fail, true),
        (WhenHeld::Steal, false),
    ] {
        let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
        let recorder = Recorder::default();
        let running = single(&source, &store, &recorder).with_claim(held(policy));
        let running = ProjectionRuntime::new().spawn(running).unwrap();
        recorder.has_handled(3).await;
        if hangs {
            store.hold(Verb::Renew);
        } else {
            (0..4).for_each(|_| store.plan(Verb::Renew, Fault::Refused));
        }
        pass(millis(9_990)).await;
        assert!(matches!(
            running.status(),
            ProjectionStatus::Running { epoch: Epoch(1) }
        ));
        pass(millis(20)).await;
        store.let_go(Verb::Renew);
        // Nobody took it meanwhile: it goes on under a claim of its own.
        runs_under(&running, 2).await;
        source.push(4);
        recorder.has_handled(4).await;
        assert_eq!(recorder.handled(), numbers(4));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_handled_is_saved_when_a_claim_ends_that_nobody_took() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let recorder = Recorder::default();
    let slow = SaveConfig {
        after: secs(3600),
        ..SaveConfig::default()
    };
    let running = single(&source, &store, &recorder).with_save(slow);
    let running = ProjectionRuntime::new().spawn(running).unwrap();
    recorder.has_handled(3).await;
    store.hold(Verb::Renew);
    runs_under(&running, 2).await;
    source.push(4);
    recorder.has_handled(4).await;
    assert_eq!(recorder.handled(), numbers(4));
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_fails_once_loses_nothing() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let recorder = Recorder::default();
    let running = ProjectionRuntime::new().spawn(single(&source, &store, &recorder));
    let running = running.unwrap();
    recorder.has_handled(3).await;
    store.plan(Verb::Renew, Fault::Refused);
    pass(secs(120)).await;
    assert!(matches!(
        running.status(),
        ProjectionStatus::Running { epoch: Epoch(1) }
    ));
    let lane = common::lane(&store.inner).await;
    assert!(lane.holder.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_panics_loses_the_claim() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let recorder = Recorder::default();
    store.plan(Verb::Renew, Fault::Panics);
    let running = ProjectionRuntime::new().spawn(single(&source, &store, &recorder));
    runs_under(&running.unwrap(), 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_answers_nothing_is_told_by_the_status() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let recorder = Recorder::default();
    let running = ProjectionRuntime::new().spawn(single(&source, &store, &recorder));
    let running = running.unwrap();
    recorder.has_handled(3).await;
    for verb in [
        Verb::Renew,
        Verb::Commit,
        Verb::Release,
        Verb::Claim,
        Verb::Load,
    ] {
        store.hold(verb);
    }
    source.push(4);
    pass(secs(21)).await;
    assert!(matches!(running.status(), ProjectionStatus::Starting));
    for verb in [
        Verb::Renew,
        Verb::Commit,
        Verb::Release,
        Verb::Claim,
        Verb::Load,
    ] {
        store.let_go(verb);
    }
    runs_under(&running, 2).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(stored(&store.inner).await, Some(4));
}

/// A process that does nothing, as the kernel tells it apart; killed when dropped.
struct Sleeper {
    child: Child,
    identity: ProcessIdentity,
}

impl Sleeper {
    fn new() -> Self {
        let child = Command::new("sleep").arg("1000").spawn().unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        // proc(5): the start time is field 22, the 20th behind the name in parentheses.
        let (_, behind_name) = stat.rsplit_once(')').unwrap();
        let start_ticks = behind_name.split_whitespace().nth(19).unwrap();
        let identity = ProcessIdentity {
            pid: child.id(),
            start_ticks: start_ticks.parse().unwrap(),
            ..process::current().unwrap()
        };
        Self { child, identity }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        // Killed already when the test has come to its end.
        let _gone = self.child.kill();
        let _collected = self.child.wait();
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn the_claim_of_a_killed_process_of_this_machine_is_taken_at_once() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let mut sleeper = Sleeper::new();
    let owner = Owner {
        instance: "theirs".into(),
        process: Some(sleeper.identity.clone()),
    };
    let request = ClaimRequest {
        lane: id(),
        owner: owner.clone(),
        ttl: secs(86_400),
        take: Take::Free,
    };
    let outcome = store.inner.claim(&request).await.unwrap();
    assert!(matches!(outcome, ClaimOutcome::Granted { .. }));
    let recorder = Recorder::default();
    let projection = single(&source, &store, &recorder).with_mode(Mode::Current);
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    assert_eq!(stands_by(&running).await, owner.label());
    pass(secs(60)).await;
    assert!(matches!(
        running.status(),
        ProjectionStatus::StandingBy { .. }
    ));
    sleeper.kill();
    let began = tokio::time::Instant::now();
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
    assert!(began.elapsed() < millis(500), "{:?}", began.elapsed());
    assert_eq!(recorder.handled(), numbers(3));
}
