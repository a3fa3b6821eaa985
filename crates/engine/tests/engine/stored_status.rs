//! Every status as another process sees it in the store, produced by its cause; and how seldom it
//! is written.

use std::sync::Arc;

use projectionist_core::contract::{Mode, OwnerReportStore};
use projectionist_core::{Clock, ErrorClass, OwnerState, PauseScope, Timestamp};
use projectionist_engine::{
    FailurePolicy, KeyedConfig, LaneCondition, LaneOverview, Liveness, Overview, Projection,
    ProjectionHandle, ProjectionManagement, ProjectionRuntime, Recovery, RetryDelay, Settings,
    WindowLimits,
};
use projectionist_testkit::{Recorder, TestClock, TestEnvelope, TestSource, pass};

use crate::common::claims::clocked_store;
use crate::common::modes::{ALL, settings, spawn};
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, id, millis, no_restart, numbers, secs};

/// The lane as another process sees it.
async fn seen(store: &SteeredStore, clock: &TestClock) -> LaneOverview {
    let survey = store.beside().survey().await.unwrap();
    let overview = Overview::of(survey, &[], clock.now());
    assert_eq!(overview.lanes.len(), 1);
    overview.lanes[0].clone()
}

/// Waits until what is seen has this condition.
async fn becomes(store: &SteeredStore, clock: &TestClock, wanted: OwnerState) -> LaneOverview {
    for _ in 0..100 {
        // Before the lane is claimed there is nothing to see.
        if store.beside().survey().await.unwrap().lanes.len() == 1 {
            let lane = seen(store, clock).await;
            if lane.condition == LaneCondition::Says(wanted) {
                return lane;
            }
        }
        pass(millis(10)).await;
    }
    panic!(
        "{wanted:?} is not told within a second: {:?}",
        seen(store, clock).await
    );
}

fn follows(
    clock: &TestClock,
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
    settings: Settings,
) -> ProjectionHandle {
    let recorder = recorder.clone();
    let factory = move || recorder.handler();
    let projection = Projection::at_least_once(id(), source.clone(), store.clone(), factory)
        .with_settings(settings);
    let runtime = ProjectionRuntime::with_clock(Arc::new(clock.clone()));
    runtime.spawn(projection).unwrap()
}

#[tokio::test(start_paused = true)]
async fn starting_running_and_idle_with_lag_and_rate() {
    let (store, clock) = clocked_store();
    let (source, recorder) = (TestSource::of([]), Recorder::default());
    let age = |seconds: i64| Timestamp::from_unix_millis(clock.now().unix_millis - seconds * 1_000);
    for position in 1..=40 {
        let envelope = TestEnvelope::at(position, position).with_created_at(age(100));
        source.push_envelope(envelope);
    }
    store.hold(Verb::Manage);
    recorder.hold_at(31);
    let settings = settings(&recorder);
    let _running = follows(&clock, &source, &store, &recorder, settings);
    let lane = becomes(&store, &clock, OwnerState::Starting).await;
    assert_eq!(lane.owner.unwrap().liveness, Liveness::Alive);
    store.let_go(Verb::Manage);
    recorder.has_called("process 31", 1).await;
    pass(secs(3)).await;
    let lane = becomes(&store, &clock, OwnerState::Running).await;
    assert_eq!(lane.reason, "running under epoch 1");
    assert_eq!((lane.lag_events, lane.counters.read), (Some(10), 30));
    let lag = lane.lag.unwrap();
    assert!((secs(100)..secs(110)).contains(&lag), "{lag:?}");
    // It grows without a word of the owner.
    let reports = store.count(Verb::Report);
    pass(secs(60)).await;
    assert_eq!(store.count(Verb::Report), reports);
    assert_eq!(seen(&store, &clock).await.lag.unwrap(), lag + secs(60));
    assert_eq!(lane.events_per_second, Some(0.0));
    recorder.release(31);
    recorder.has_called("observer.after 40", 1).await;
    pass(secs(1)).await;
    let lane = becomes(&store, &clock, OwnerState::Idle).await;
    assert_eq!((lane.lag_events, lane.lag), (Some(0), Some(secs(0))));
}

#[tokio::test(start_paused = true)]
async fn the_rate_is_that_of_the_last_second() {
    let (store, clock) = clocked_store();
    let (source, recorder) = (TestSource::of([]), Recorder::default());
    let settings = settings(&recorder);
    let _running = follows(&clock, &source, &store, &recorder, settings);
    becomes(&store, &clock, OwnerState::Idle).await;
    for number in 1..=100 {
        source.push(number);
        pass(millis(100)).await;
    }
    let rate = seen(&store, &clock).await.events_per_second.unwrap();
    assert!((8.0..12.0).contains(&rate), "{rate}");
    let reports = store.count(Verb::Report);
    assert!(reports <= 16, "{reports} reports in ten seconds");
    pass(secs(3)).await;
    let lane = seen(&store, &clock).await;
    assert_eq!(
        (lane.events_per_second, lane.counters.read),
        (Some(0.0), 100)
    );
}

#[tokio::test(start_paused = true)]
async fn an_idle_projection_says_nothing_more() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let recorder = Recorder::default();
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        recorder.has_handled(3).await;
        // Some guarantees save the tail only after an hour.
        pass(secs(3_700)).await;
        let reports = store.count(Verb::Report);
        assert!(reports <= 5, "{guarantee:?}: {reports}");
        pass(secs(36_000)).await;
        assert_eq!(store.count(Verb::Report), reports, "{guarantee:?}");
        running.stop_and_wait().await.unwrap();
        assert_eq!(store.count(Verb::Report), reports + 1, "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn retrying_tells_the_envelope_the_attempts_and_the_error() {
    let (store, clock) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(6)), Recorder::default());
    recorder.fail_at(4, 3);
    let settings = settings(&recorder);
    let delay = RetryDelay::Fixed(secs(20));
    let failures = FailurePolicy {
        recovery: Recovery::RetryAndFail { retries: 9, delay },
        ..settings.failures
    };
    let began = clock.now();
    let settings = Settings {
        failures,
        ..settings
    };
    let _running = follows(&clock, &source, &store, &recorder, settings);
    recorder.has_called("observer.error 4#", 3).await;
    pass(secs(1)).await;
    let lane = becomes(&store, &clock, OwnerState::Retrying).await;
    let failing = lane.failing.unwrap();
    assert_eq!((failing.offset.text.as_str(), failing.attempts), ("4", 3));
    let error = lane.last_error.unwrap();
    assert_eq!(
        (error.text.as_str(), error.class),
        ("no 4", ErrorClass::Handler)
    );
    assert_eq!(error.offset.unwrap().text, "4");
    assert_eq!(error.since, began, "the first attempt in the row");
    assert!(lane.reason.contains("no 4"), "{}", lane.reason);
    recorder.has_handled(6).await;
    let lane = becomes(&store, &clock, OwnerState::Idle).await;
    assert_eq!(lane.failing, None);
    assert_eq!(
        lane.last_error.unwrap().text,
        "no 4",
        "it is kept when it is over"
    );
}

#[tokio::test(start_paused = true)]
async fn restarting_tells_what_failed_and_how_often() {
    let (store, clock) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(4)), Recorder::default());
    recorder.fail_at(4, 4);
    let settings = settings(&recorder);
    let _running = follows(&clock, &source, &store, &recorder, settings);
    recorder.has_called("observer.error 4#", 4).await;
    pass(secs(1)).await;
    let lane = becomes(&store, &clock, OwnerState::Restarting).await;
    assert_eq!(lane.restarts, Some(3));
    let failing = lane.failing.unwrap();
    assert_eq!((failing.offset.text.as_str(), failing.attempts), ("4", 1));
    assert_eq!(lane.last_error.unwrap().text, "no 4");
    recorder.has_handled(4).await;
    source.fail_behind(4, "the disk is away");
    let lane = becomes(&store, &clock, OwnerState::Restarting).await;
    let error = lane.last_error.unwrap();
    assert!(error.text.contains("the disk is away"), "{}", error.text);
    assert_eq!((error.offset, lane.failing), (None, None));
}

#[tokio::test(start_paused = true)]
async fn blocked_names_what_holds_it_up() {
    let (store, clock) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(200)), Recorder::default());
    recorder.fail_at(2, 1);
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    let config = KeyedConfig {
        handlers: 4,
        window: WindowLimits {
            max_unsettled: 8,
            ..WindowLimits::default()
        },
    };
    let recovery = Recovery::RetryAndFail {
        retries: 1,
        delay: RetryDelay::Fixed(secs(600)),
    };
    let key = |envelope: &TestEnvelope<u64>, key: &mut String| {
        key.push_str("key ");
        key.push_str(&(envelope.event % 4).to_string());
    };
    let projection = Projection::at_least_once(id(), source, store.clone(), factory)
        .with_recovery(recovery)
        .keyed(config, key);
    let runtime = ProjectionRuntime::with_clock(Arc::new(clock.clone()));
    let _running = runtime.spawn(projection).unwrap();
    let lane = becomes(&store, &clock, OwnerState::Blocked).await;
    assert!(lane.reason.contains("key 2"), "{}", lane.reason);
    assert_eq!(lane.failing.unwrap().offset.text, "2");
}

#[tokio::test(start_paused = true)]
async fn paused_is_told_within_a_second_and_by_whose_flag() {
    let (store, clock) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(1)), Recorder::default());
    let settings = settings(&recorder);
    let _running = follows(&clock, &source, &store, &recorder, settings);
    becomes(&store, &clock, OwnerState::Idle).await;
    let management = ProjectionManagement::new(store.beside());
    let asked = clock.now();
    management.pause("orders", None).await.unwrap();
    let lane = seen(&store, &clock).await;
    assert!(lane.pause.is_some(), "the flag is seen before it is obeyed");
    assert_eq!(lane.condition, LaneCondition::Says(OwnerState::Idle));
    let lane = becomes(&store, &clock, OwnerState::Paused).await;
    let pause = lane.pause.unwrap();
    assert_eq!((pause.scope, pause.since), (PauseScope::AllLanes, asked));
    management.resume("orders", None).await.unwrap();
    let lane = becomes(&store, &clock, OwnerState::Idle).await;
    assert_eq!(lane.pause, None);
}

#[tokio::test(start_paused = true)]
async fn the_ends_are_told_when_nobody_is_there_any_more() {
    for guarantee in ALL {
        let (store, clock) = clocked_store();
        let (source, recorder) = (TestSource::of(numbers(2)), Recorder::default());
        let follows = settings(&recorder);
        let to_the_end = Settings {
            mode: Mode::Current,
            failures: FailurePolicy {
                restart: no_restart(),
                ..follows.failures
            },
            ..follows.clone()
        };
        let running = spawn(guarantee, &source, &store, &recorder, &follows);
        recorder.has_handled(2).await;
        pass(secs(1)).await;
        running.stop_and_wait().await.unwrap();
        let lane = seen(&store, &clock).await;
        assert_eq!(lane.condition.words(), "stopped", "{guarantee:?}");
        assert_eq!(
            (lane.owner, lane.lag_events),
            (None, Some(0)),
            "{guarantee:?}"
        );
        let running = spawn(guarantee, &source, &store, &recorder, &to_the_end);
        running.wait().await.unwrap();
        let lane = seen(&store, &clock).await;
        assert_eq!(lane.condition.words(), "completed", "{guarantee:?}");
        source.push(3);
        recorder.fail_at(3, 1);
        let running = spawn(guarantee, &source, &store, &recorder, &to_the_end);
        running.wait().await.unwrap_err();
        let lane = seen(&store, &clock).await;
        assert_eq!(lane.condition.words(), "failed", "{guarantee:?}");
        let error = lane.last_error.unwrap();
        assert_eq!(
            (error.text.as_str(), lane.owner),
            ("no 3", None),
            "{guarantee:?}"
        );
        assert!(lane.reason.contains("no 3"), "{}", lane.reason);
    }
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_was_robbed_says_nothing_of_its_successor() {
    let (store, clock) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(1)), Recorder::default());
    let first = follows(&clock, &source, &store, &recorder, settings(&recorder));
    recorder.has_handled(1).await;
    let steals = Settings {
        claim: crate::common::claims::held(projectionist_engine::WhenHeld::Steal),
        ..settings(&recorder)
    };
    let beside = store.beside();
    let _second = follows(&clock, &source, &beside, &recorder, steals);
    pass(secs(60)).await;
    first.stop_and_wait().await.unwrap();
    let lane = seen(&store, &clock).await;
    assert_eq!(lane.condition, LaneCondition::Says(OwnerState::Idle));
    assert_eq!(lane.reason, "waiting for events under epoch 2");
}

/// Reports are beside the point: a store that cannot keep them hinders nothing.
#[tokio::test(start_paused = true)]
async fn a_store_that_keeps_no_reports_hinders_nothing() {
    for fault in [Fault::Refused, Fault::Panics, Fault::AnswerLost] {
        let (store, clock) = clocked_store();
        let (source, recorder) = (TestSource::of(numbers(2)), Recorder::default());
        for _ in 0..3 {
            store.plan(Verb::Report, fault);
        }
        let running = follows(&clock, &source, &store, &recorder, settings(&recorder));
        recorder.has_handled(2).await;
        // It is told when the store can keep it again.
        pass(secs(5)).await;
        let lane = seen(&store, &clock).await;
        assert_eq!(lane.condition.words(), "idle", "{fault:?}");
        store.plan(Verb::Report, fault);
        running.stop_and_wait().await.unwrap();
        assert_eq!(seen(&store, &clock).await.counters.read, 2);
    }
    let (store, clock) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(2)), Recorder::default());
    store.hold(Verb::Report);
    let running = follows(&clock, &source, &store, &recorder, settings(&recorder));
    recorder.has_handled(2).await;
    pass(secs(60)).await;
    running.stop_and_wait().await.unwrap();
    let lane = seen(&store, &clock).await;
    assert_eq!((lane.counters.read, lane.owner), (2, None));
}
