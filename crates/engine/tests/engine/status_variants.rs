//! Every status is produced by its cause, and says why. Blocked belongs to lanes that read ahead.

use crate::common::claims::{clocked_store, held, stands_by};
use crate::common::grouped;
use crate::common::modes::{ALL, Guarantee, settings, spawn};
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, id, millis, no_restart, numbers, secs};
use projectionist_core::contract::Mode;
use projectionist_core::{Clock, Epoch, Error, PauseScope, Timestamp};
use projectionist_engine::{
    FailurePolicy, Projection, ProjectionHandle, ProjectionRuntime, ProjectionStatus, Recovery,
    RetryDelay, Settings, StatusReceiver, WhenHeld,
};
use projectionist_testkit::{Recorder, TestClock, TestEnvelope, TestSource, pass};

/// The name of a status.
fn name(status: &ProjectionStatus) -> &'static str {
    match status {
        ProjectionStatus::Starting => "starting",
        ProjectionStatus::StandingBy { .. } => "standing by",
        ProjectionStatus::Running { .. } => "running",
        ProjectionStatus::Idle { .. } => "idle",
        ProjectionStatus::Blocked { .. } => "blocked",
        ProjectionStatus::Retrying { .. } => "retrying",
        ProjectionStatus::Paused { .. } => "paused",
        ProjectionStatus::Restarting { .. } => "restarting",
        ProjectionStatus::Completed => "completed",
        ProjectionStatus::Stopped => "stopped",
        ProjectionStatus::Failed { .. } => "failed",
        other => unreachable!("{other:?} is new; add its cause"),
    }
}

async fn reaches(status: &mut StatusReceiver, wanted: &str) -> ProjectionStatus {
    let reached = status.wait_for(|status| name(status) == wanted).await;
    assert_eq!(name(&reached), wanted);
    reached
}

fn follows(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> ProjectionHandle {
    spawn(
        Guarantee::AtLeastOnce,
        source,
        store,
        recorder,
        &settings(recorder),
    )
}

#[tokio::test(start_paused = true)]
async fn starting_while_the_lane_is_asked_for_then_running_then_idle() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(1)), SteeredStore::default());
        let recorder = Recorder::default();
        store.hold(Verb::Claim);
        recorder.hold_at(1);
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        pass(secs(5)).await;
        assert_eq!(name(&running.status()), "starting", "{guarantee:?}");
        store.let_go(Verb::Claim);
        recorder.has_called("process 1", 1).await;
        let status = running.status();
        assert!(
            matches!(status, ProjectionStatus::Running { epoch: Epoch(1) }),
            "{status:?}"
        );
        recorder.release(1);
        recorder.has_called("observer.after", 1).await;
        pass(millis(1)).await;
        let status = running.status();
        assert!(
            matches!(status, ProjectionStatus::Idle { epoch: Epoch(1) }),
            "{status:?}"
        );
        assert_eq!(
            name(&running.report().await.unwrap().status),
            "idle",
            "{guarantee:?}"
        );
        recorder.hold_at(2);
        source.push(2);
        recorder.has_called("process 2", 1).await;
        assert_eq!(name(&running.status()), "running", "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn standing_by_names_who_holds_the_lane() {
    let (store, _) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(1)), Recorder::default());
    let owner = ProjectionRuntime::new();
    let first = crate::common::claims::single(&source, &store, &recorder);
    let _first = owner.spawn(first).unwrap();
    recorder.has_handled(1).await;
    let second = follows(&source, &store.beside(), &recorder);
    assert_eq!(stands_by(&second).await, owner.owner().label());
}

#[tokio::test(start_paused = true)]
async fn retrying_says_what_when_and_why_and_ends_with_the_success() {
    for guarantee in ALL.into_iter().filter(|one| *one != Guarantee::AtMostOnce) {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(4, 2);
        let (retries, first, cap) = (5, secs(7), secs(60));
        let delay = RetryDelay::Doubling { first, cap };
        let settings = settings(&recorder);
        let failures = FailurePolicy {
            recovery: Recovery::RetryAndFail { retries, delay },
            ..settings.failures
        };
        let settings = Settings {
            failures,
            ..settings
        };
        let running = spawn(guarantee, &source, &store, &recorder, &settings);
        for (made, waits) in [(1, 7), (2, 14)] {
            recorder
                .has_called("observer.error 4#", usize::try_from(made).unwrap())
                .await;
            pass(millis(1)).await;
            let status = running.status();
            let ProjectionStatus::Retrying {
                offset,
                attempt,
                delay,
                error,
            } = status
            else {
                panic!("{status:?}");
            };
            assert_eq!(
                (offset.text.as_str(), attempt, delay),
                ("4", made, secs(waits))
            );
            assert_eq!(error, "no 4", "{guarantee:?}");
        }
        recorder.has_handled(6).await;
        pass(millis(1)).await;
        assert_eq!(name(&running.status()), "idle", "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn restarting_says_what_failed_where_there_is_an_envelope_to_blame() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(4, 1);
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        let mut status = running.status_receiver();
        let reached = reaches(&mut status, "restarting").await;
        let ProjectionStatus::Restarting {
            failures,
            delay,
            offset,
            error,
        } = reached
        else {
            unreachable!("waited for it");
        };
        assert_eq!((failures, delay), (1, secs(1)));
        assert_eq!(offset.unwrap().text, "4", "{guarantee:?}");
        assert!(matches!(&*error, Error::Handler { .. }), "{error}");
        reaches(&mut status, "running").await;
        recorder.has_called("observer.started", 2).await;
        source.fail_behind(4, "the disk is away");
        let reached = reaches(&mut status, "restarting").await;
        let ProjectionStatus::Restarting {
            offset: None,
            error,
            ..
        } = reached
        else {
            panic!("no envelope is to blame: {reached:?}");
        };
        assert!(error.to_string().contains("the disk is away"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn restarting_when_the_store_is_away_and_starting_again_when_a_claim_is_lost() {
    let (store, _) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(1)), Recorder::default());
    store.plan(Verb::Claim, Fault::Refused);
    let running = follows(&source, &store, &recorder);
    let mut status = running.status_receiver();
    reaches(&mut status, "restarting").await;
    recorder.has_handled(1).await;
    store.hold(Verb::Renew);
    store.hold(Verb::Claim);
    reaches(&mut status, "starting").await;
    store.let_go(Verb::Renew);
    store.let_go(Verb::Claim);
    reaches(&mut status, "running").await;
}

#[tokio::test(start_paused = true)]
async fn paused_says_by_whose_flag_and_since_when() {
    let (store, clock) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(1)), Recorder::default());
    let running = follows(&source, &store, &recorder);
    recorder.has_handled(1).await;
    pass(secs(100)).await;
    let before = clock.now();
    running.pause_and_wait().await.unwrap();
    pass(secs(100)).await;
    let status = running.status();
    let ProjectionStatus::Paused { scope, since } = status else {
        panic!("{status:?}");
    };
    assert_eq!((scope, since), (PauseScope::Lane, before));
}

#[tokio::test(start_paused = true)]
async fn the_ends_are_completed_stopped_and_failed() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        let recorder = Recorder::default();
        let follows = settings(&recorder);
        let to_the_end = Settings {
            mode: Mode::Current,
            ..follows.clone()
        };
        let failures = FailurePolicy {
            restart: no_restart(),
            ..follows.failures
        };
        let once = Settings {
            failures,
            ..to_the_end.clone()
        };
        let running = spawn(guarantee, &source, &store, &recorder, &follows);
        recorder.has_handled(2).await;
        running.stop_and_wait().await.unwrap();
        assert_eq!(name(&running.status()), "stopped", "{guarantee:?}");
        let running = spawn(guarantee, &source, &store, &recorder, &to_the_end);
        running.wait().await.unwrap();
        assert_eq!(name(&running.status()), "completed", "{guarantee:?}");
        source.push(3);
        recorder.fail_at(3, 1);
        let running = spawn(guarantee, &source, &store, &recorder, &once);
        running.wait().await.unwrap_err();
        assert_eq!(name(&running.status()), "failed", "{guarantee:?}");
        assert!(
            running.status_receiver().changed().await.is_none(),
            "there will be none"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_projection_that_is_robbed_or_not_to_wait_has_failed_and_names_the_holder() {
    let (store, _) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(1)), Recorder::default());
    let _first = follows(&source, &store, &recorder);
    recorder.has_handled(1).await;
    let second = crate::common::claims::single(&source, &store, &recorder);
    let second = second.with_claim(held(WhenHeld::Fail));
    let second = ProjectionRuntime::new().spawn(second).unwrap();
    let reached = reaches(&mut second.status_receiver(), "failed").await;
    let ProjectionStatus::Failed { error } = reached else {
        unreachable!("waited for it");
    };
    assert!(matches!(&*error, Error::Held { .. }), "{error}");
}

/// The report tells the lag in events and in time, the counters, the epoch and since when.
#[tokio::test(start_paused = true)]
async fn a_report_tells_how_far_behind_the_projection_is() {
    let clock = TestClock::new();
    let store = SteeredStore::default();
    let source = TestSource::of([]);
    let recorder = Recorder::default();
    let began = clock.now();
    for (position, age) in [(1, 30), (2, 20), (3, 10), (4, 0)] {
        let time = Timestamp::from_unix_millis(began.unix_millis - age * 1_000);
        source.push_envelope(TestEnvelope::at(position, position).with_created_at(time));
    }
    recorder.hold_at(3);
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    let projection = Projection::at_most_once(id(), source.clone(), store, factory)
        .with_observer(recorder.observer());
    let pace = source.manual_pace();
    pace.request(3);
    let running = ProjectionRuntime::with_clock(std::sync::Arc::new(clock.clone()));
    let running = running.spawn(projection).unwrap();
    recorder.has_called("process 3", 1).await;
    let report = running.report().await.unwrap();
    assert_eq!((report.lag_events, report.lag), (Some(1), Some(secs(10))));
    assert_eq!((report.epoch, report.counters.read), (Epoch(1), 3));
    assert_eq!(report.since, began);
    recorder.release(3);
    pace.request(1);
    recorder.has_called("observer.after 4", 1).await;
    pass(millis(1)).await;
    let report = running.report().await.unwrap();
    assert_eq!((report.lag_events, report.lag), (Some(0), Some(secs(0))));
}

/// Of a group as well that came while the projection waited for it.
#[tokio::test(start_paused = true)]
async fn a_group_that_was_waited_for_tells_how_far_behind_it_is() {
    let clock = TestClock::new();
    let began = clock.now();
    let (source, store) = (TestSource::of([]), SteeredStore::default());
    let recorder = Recorder::default();
    let push = |position: u64, age: i64| {
        let time = Timestamp::from_unix_millis(began.unix_millis - age * 1_000);
        source.push_envelope(TestEnvelope::at(position, position).with_created_at(time));
    };
    push(1, 30);
    recorder.hold_at(2);
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    // No transaction is open that would keep the store from answering.
    let projection = Projection::grouped_at_least_once(id(), source.clone(), store, factory)
        .with_observer(recorder.observer())
        .with_group(grouped::groups_of(1))
        .with_mode(Mode::Live);
    let running = ProjectionRuntime::with_clock(std::sync::Arc::new(clock.clone()));
    let running = running.spawn(projection).unwrap();
    recorder.has_called("observer.after", 1).await;
    pass(millis(1)).await;
    assert_eq!(running.report().await.unwrap().lag, Some(secs(0)));
    push(2, 10);
    recorder.has_called("process 2", 1).await;
    let report = running.report().await.unwrap();
    let lag = report.lag.map(|lag| lag.as_secs());
    assert_eq!(lag, Some(10), "not that of the event before it");
    recorder.release(2);
}
