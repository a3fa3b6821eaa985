//! Claims: one owner a lane, who waits for it and how long, and how a claim is kept.

use std::process::{Child, Command};

use crate::common::claims::{clocked_store, held, runs_under, single, stands_by};
use crate::common::store::{Fault, Verb};
use crate::common::{id, millis, numbers, secs, stored};
use projectionist_core::contract::{Mode, OffsetStore};
use projectionist_core::{ClaimOutcome, ClaimRequest, Epoch, Error, Owner, ProcessIdentity, Take};
use projectionist_engine::claim::process;
use projectionist_engine::{
    ClaimConfig, Completion, ProjectionRuntime, ProjectionStatus, SaveConfig, WhenHeld,
};
use projectionist_testkit::{Recorder, TestSource, pass};

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
    assert!(first.status().epoch().is_some());
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
        assert!(running.status().epoch() == Some(Epoch(1)));
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
    // Later than the first claim would have held: each renewal counts from itself.
    pass(secs(60)).await;
    store.plan(Verb::Renew, Fault::Refused);
    pass(secs(60)).await;
    assert!(running.status().epoch() == Some(Epoch(1)));
    let lane = crate::common::lane(&store.inner).await;
    assert!(lane.holder.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_could_not_be_given_back_does_not_keep_its_own_runtime_waiting() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
    store.plan(Verb::Release, Fault::Refused);
    let running = runtime.spawn(single(&source, &store, &recorder)).unwrap();
    recorder.has_handled(3).await;
    running.stop_and_wait().await.unwrap();
    assert!(crate::common::lane(&store.inner).await.holder.is_some());
    let began = tokio::time::Instant::now();
    let again = runtime.spawn(single(&source, &store, &recorder)).unwrap();
    runs_under(&again, 2).await;
    assert_eq!(began.elapsed(), millis(0));
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
