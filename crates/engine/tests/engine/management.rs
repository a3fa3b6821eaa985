//! Management through the handle: get, set, clear, pause and resume, in order and at any moment.

use std::time::Duration;

use crate::common::modes::{ALL, Guarantee, WITHOUT_TRANSACTION, settings, spawn};
use crate::common::store::Verb;
use crate::common::{SteeredStore, lane, millis, numbers, secs, stored};
use projectionist_core::contract::ManagementStore;
use projectionist_core::{Error, Offset, PauseScope};
use projectionist_engine::{
    FailurePolicy, ProjectionHandle, ProjectionStatus, Recovery, RetryDelay, Settings,
};
use projectionist_testkit::{Recorder, TestPosition, TestSource, eventually, pass};
use tokio::time::Instant;

fn at(position: u64) -> Offset {
    Offset::of(&TestPosition(position))
}

/// The offset as the number that it is.
async fn offset(running: &ProjectionHandle) -> Option<u64> {
    let offset = running.offset().await.unwrap();
    offset.map(|offset| offset.text.parse().unwrap())
}

/// Runs over six numbers until they are handled and stored.
async fn caught_up(
    guarantee: Guarantee,
) -> (
    ProjectionHandle,
    TestSource<u64>,
    SteeredStore,
    Recorder<u64>,
) {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
    recorder.has_handled(6).await;
    (running, source, store, recorder)
}

/// Fact 11.
#[tokio::test(start_paused = true)]
async fn an_offset_is_none_before_the_first_save() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(1);
    let guarantee = Guarantee::AtLeastOnce;
    let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
    assert_eq!(offset(&running).await, None);
    recorder.has_called("process 1", 1).await;
    assert_eq!(offset(&running).await, None);
}

/// Facts 58 and 73.
#[tokio::test(start_paused = true)]
async fn a_clear_while_running_handles_everything_again() {
    for guarantee in ALL {
        let (running, source, _, recorder) = caught_up(guarantee).await;
        running.clear_offset().await.unwrap();
        recorder.has_handled(12).await;
        assert_eq!(
            recorder.handled(),
            [numbers(6), numbers(6)].concat(),
            "{guarantee:?}"
        );
        assert_eq!(source.opened_behind(), [None, None]);
        running.stop_and_wait().await.unwrap();
        assert_eq!(recorder.count("stop"), 2, "one stop and one start for each");
    }
}

/// Fact 74.
#[tokio::test(start_paused = true)]
async fn setting_the_offset_back_handles_what_follows_it_again() {
    for guarantee in ALL {
        let (running, source, store, recorder) = caught_up(guarantee).await;
        running.set_offset(at(3)).await.unwrap();
        recorder.has_handled(9).await;
        assert_eq!(
            recorder.handled(),
            [1, 2, 3, 4, 5, 6, 4, 5, 6],
            "{guarantee:?}"
        );
        assert_eq!(source.opened_behind(), [None, Some(3)]);
        running.stop_and_wait().await.unwrap();
        assert_eq!(stored(&store.inner).await, Some(6));
        assert_eq!(
            lane(&store.inner).await.counters.applied,
            9,
            "each time is counted"
        );
    }
}

/// Fact 75, and 59 for the flag.
#[tokio::test(start_paused = true)]
async fn a_paused_lane_is_cleared_and_replays_when_it_is_resumed() {
    for guarantee in ALL {
        let (running, _, store, recorder) = caught_up(guarantee).await;
        let flag = async || {
            let flag = store.inner.pause_flag("orders", Some("all")).await.unwrap();
            flag.map(|flag| flag.paused)
        };
        assert_eq!(flag().await, None);
        running.pause_and_wait().await.unwrap();
        assert_eq!(flag().await, Some(true));
        running.clear_offset().await.unwrap();
        pass(secs(600)).await;
        assert_eq!(recorder.handled(), numbers(6), "{guarantee:?}");
        assert_eq!(offset(&running).await, None);
        running.resume().await.unwrap();
        assert_eq!(flag().await, Some(false));
        recorder.has_handled(12).await;
        assert_eq!(recorder.handled(), [numbers(6), numbers(6)].concat());
        let told = |what: &str| recorder.count(&format!("observer.{what}"));
        assert_eq!(
            (told("paused"), told("resumed"), told("done clear")),
            (1, 1, 1)
        );
    }
}

/// Fact 76: asked at once, answered in the order of asking; the pause survives a set.
#[tokio::test(start_paused = true)]
async fn calls_are_answered_in_their_order_and_a_pause_survives_a_set() {
    for guarantee in ALL {
        let (running, _, _, recorder) = caught_up(guarantee).await;
        running.pause_and_wait().await.unwrap();
        let before = offset(&running);
        let (before, set, between, cleared, after, back, last) = tokio::join!(
            biased;
            before,
            running.set_offset(at(4)),
            offset(&running),
            running.clear_offset(),
            offset(&running),
            running.set_offset(at(2)),
            offset(&running),
        );
        set.unwrap();
        cleared.unwrap();
        back.unwrap();
        let seen = (before, between, after, last);
        assert_eq!(seen, (Some(6), Some(4), None, Some(2)), "{guarantee:?}");
        pass(secs(60)).await;
        let paused = running.status();
        assert!(matches!(
            paused,
            ProjectionStatus::Paused {
                scope: PauseScope::Lane,
                ..
            }
        ));
        assert_eq!(recorder.handled(), numbers(6));
        running.resume().await.unwrap();
        recorder.has_handled(10).await;
        assert_eq!(recorder.handled(), [1, 2, 3, 4, 5, 6, 3, 4, 5, 6]);
    }
}

/// Fact 76: a pause survives the restart of the process.
#[tokio::test(start_paused = true)]
async fn a_pause_survives_a_restart_and_another_owner() {
    for guarantee in ALL {
        let (running, source, store, recorder) = caught_up(guarantee).await;
        running.pause_and_wait().await.unwrap();
        running.stop_and_wait().await.unwrap();
        source.push(7);
        source.push(8);
        let (store, settings) = (store.beside(), settings(&recorder));
        let again = spawn(guarantee, &source, &store, &recorder, &settings);
        pass(secs(600)).await;
        assert!(
            matches!(again.status(), ProjectionStatus::Paused { .. }),
            "{guarantee:?}"
        );
        assert_eq!(
            recorder.count("created"),
            1,
            "no handler is built for a paused lane"
        );
        again.resume().await.unwrap();
        recorder.has_handled(8).await;
        assert_eq!(recorder.handled(), numbers(8));
    }
}

/// What was handled is saved before a pause is reached, also by a store that takes its time.
#[tokio::test(start_paused = true)]
async fn the_tail_is_saved_at_a_pause_and_at_a_set_also_when_the_store_is_slow() {
    for guarantee in WITHOUT_TRANSACTION {
        let (running, _, store, recorder) = caught_up(guarantee).await;
        store.slow_down(Verb::Commit, secs(2));
        running.pause_and_wait().await.unwrap();
        assert_eq!(stored(&store.inner).await, Some(6), "{guarantee:?}");
        running.resume().await.unwrap();
        running.clear_offset().await.unwrap();
        recorder.has_handled(12).await;
        running.pause_and_wait().await.unwrap();
        assert_eq!(stored(&store.inner).await, Some(6), "{guarantee:?}");
        assert_eq!(
            recorder.count("observer.failed"),
            0,
            "a pause is no failure"
        );
        assert_eq!(recorder.handled().len(), 12, "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn compare_and_set_moves_only_what_is_as_expected() {
    let (running, _, _, recorder) = caught_up(Guarantee::AtLeastOnce).await;
    running.pause_and_wait().await.unwrap();
    for expected in [None, Some(at(5))] {
        let refused = running
            .compare_and_set_offset(expected, at(1))
            .await
            .unwrap_err();
        assert!(
            refused.to_string().contains("the lane holds `6`"),
            "{refused}"
        );
    }
    assert_eq!(offset(&running).await, Some(6));
    running
        .compare_and_set_offset(Some(at(6)), at(1))
        .await
        .unwrap();
    assert_eq!(offset(&running).await, Some(1));
    assert_eq!(recorder.count("observer.refused set-if"), 2);
}

#[tokio::test(start_paused = true)]
async fn an_offset_of_another_source_is_refused_and_nothing_moves() {
    let (running, _, store, recorder) = caught_up(Guarantee::GroupedAtLeastOnce).await;
    let foreign = Offset {
        manifest: "kafka".into(),
        text: "3".into(),
    };
    let error = running.set_offset(foreign).await.unwrap_err();
    assert!(matches!(&*error, Error::Refused { .. }), "{error}");
    assert!(error.to_string().contains("format `kafka`"), "{error}");
    let damaged = Offset {
        text: "three".into(),
        ..at(3)
    };
    running.set_offset(damaged).await.unwrap_err();
    assert_eq!(stored(&store.inner).await, Some(6));
    assert_eq!(recorder.handled(), numbers(6));
}

/// Fact 57.
#[tokio::test(start_paused = true)]
async fn the_time_of_the_row_moves_with_each_save() {
    let (store, _) = crate::common::claims::clocked_store();
    let (source, recorder) = (TestSource::of(numbers(2)), Recorder::default());
    let guarantee = Guarantee::GroupedAtLeastOnce;
    let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
    let mut last = None;
    for events in [2, 4, 6] {
        recorder.has_handled(events).await;
        pass(millis(10)).await;
        let updated = running.report().await.unwrap().updated_at;
        assert!(updated > last, "{updated:?} after {last:?}");
        last = updated;
        pass(secs(1)).await;
        source.push(0);
        source.push(0);
    }
}

fn far_apart(recorder: &Recorder<u64>) -> Settings {
    let settings = settings(recorder);
    let (retries, delay) = (9, RetryDelay::Fixed(secs(3600)));
    let failures = FailurePolicy {
        recovery: Recovery::RetryAndFail { retries, delay },
        ..settings.failures
    };
    Settings {
        failures,
        ..settings
    }
}

/// Asks everything that can be asked, and expects no time to pass.
async fn answers_at_once(running: &ProjectionHandle, low: Option<u64>) {
    let began = Instant::now();
    assert!(!running.status().is_terminal());
    assert_eq!(offset(running).await, low);
    let report = running.report().await.unwrap();
    assert_eq!(report.offset.map(|at| at.text.parse().unwrap()), low);
    running.pause().await.unwrap();
    running.resume().await.unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO);
}

/// Datum's row 13: the whole retry ladder used to be waited for.
#[tokio::test(start_paused = true)]
async fn calls_are_answered_at_once_while_a_retry_waits() {
    for guarantee in ALL.into_iter().filter(|one| *one != Guarantee::AtMostOnce) {
        let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(4, usize::MAX);
        let running = spawn(guarantee, &source, &store, &recorder, &far_apart(&recorder));
        recorder.has_called("observer.error 4#", 1).await;
        // Two are saved before the group of 3 and 4; the others save seldom.
        let low = match guarantee {
            Guarantee::AtLeastOnce | Guarantee::SettledAtLeastOnce => None,
            Guarantee::ExactlyOnce => Some(3),
            _ => Some(2),
        };
        answers_at_once(&running, low).await;
        let began = Instant::now();
        running.pause_and_wait().await.unwrap();
        running.stop_and_wait().await.unwrap();
        assert_eq!(began.elapsed(), Duration::ZERO, "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_are_answered_at_once_while_a_handler_sleeps() {
    for guarantee in WITHOUT_TRANSACTION {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.hold_at(5);
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        recorder.has_called("process 5", 1).await;
        let low = match guarantee {
            Guarantee::AtMostOnce => Some(5),
            Guarantee::GroupedAtLeastOnce => Some(4),
            _ => None,
        };
        answers_at_once(&running, low).await;
        // The pause interrupted the handler, which is given its time to end.
        recorder.release(5);
        recorder.has_handled(6).await;
        assert_eq!(recorder.handled(), numbers(6), "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_set_waits_for_the_handler_in_flight_and_gives_it_up_in_the_end() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.hold_at(5);
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        recorder.has_called("process 5", 1).await;
        let began = Instant::now();
        running.set_offset(at(4)).await.unwrap();
        assert_eq!(
            began.elapsed(),
            secs(10),
            "the stop time-out: {guarantee:?}"
        );
        recorder.release(5);
        recorder.has_handled(6).await;
        assert_eq!(recorder.handled(), numbers(6), "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_calls_a_projection_that_has_ended_is_told() {
    let (running, _, _, _) = caught_up(Guarantee::AtLeastOnce).await;
    running.stop_and_wait().await.unwrap();
    let ended = [
        running.offset().await.map(drop),
        running.pause().await,
        running.pause_and_wait().await,
        running.clear_offset().await,
        running.report().await.map(drop),
        running.wait_until(at(9)).await,
    ];
    for answer in ended {
        assert!(matches!(&*answer.unwrap_err(), Error::Ended(_)));
    }
}

/// Fact 78: a handle that is dropped stops its projection.
#[tokio::test(start_paused = true)]
async fn a_dropped_handle_stops_the_projection() {
    let (running, _, store, recorder) = caught_up(Guarantee::AtLeastOnce).await;
    drop(running);
    eventually("stops", async || recorder.count("stop") == 1).await;
    pass(millis(10)).await;
    let lane = lane(&store.inner).await;
    assert_eq!(
        (lane.offset.unwrap().text.as_str(), lane.holder),
        ("6", None)
    );
}
