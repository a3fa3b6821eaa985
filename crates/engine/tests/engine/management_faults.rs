//! Management when something fails, hangs or is not there: the store, the source, the claim, the
//! handler's hooks.

use crate::common::claims::{clocked_store, stands_by};
use crate::common::modes::{ALL, Guarantee, settings, spawn};
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, millis, numbers, secs, stored};
use projectionist_core::{Error, Offset};
use projectionist_engine::{ProjectionHandle, ProjectionStatus};
use projectionist_testkit::{Recorder, TestPosition, TestSource, eventually, pass};
use tokio::time::Instant;

fn at(position: u64) -> Offset {
    Offset::of(&TestPosition(position))
}

fn spawned(
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

/// A pause of a standby used to stop it for good.
#[tokio::test(start_paused = true)]
async fn a_pause_of_a_standby_is_stored_and_it_goes_on_standing_by() {
    let (store, _) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(3)), Recorder::default());
    let first = spawned(&source, &store, &recorder);
    recorder.has_handled(3).await;
    let others = Recorder::default();
    let second = spawned(&source, &store.beside(), &others);
    stands_by(&second).await;
    second.pause_and_wait().await.unwrap();
    pass(secs(60)).await;
    let standing = second.status();
    assert!(
        matches!(standing, ProjectionStatus::StandingBy { .. }),
        "{standing:?}"
    );
    // The owner obeys the flag that the other one has stored.
    assert!(matches!(first.status(), ProjectionStatus::Paused { .. }));
    first.stop_and_wait().await.unwrap();
    pass(secs(1)).await;
    assert!(matches!(second.status(), ProjectionStatus::Paused { .. }));
    second.resume().await.unwrap();
    source.push(4);
    others.has_handled(1).await;
    assert_eq!(others.handled(), [4]);
}

#[tokio::test(start_paused = true)]
async fn a_standby_has_the_owner_move_the_lane() {
    let (store, _) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(3)), Recorder::default());
    let _first = spawned(&source, &store, &recorder);
    recorder.has_handled(3).await;
    let second = spawned(&source, &store.beside(), &Recorder::default());
    stands_by(&second).await;
    second.set_offset(at(1)).await.unwrap();
    recorder.has_handled(5).await;
    assert_eq!(recorder.handled(), [1, 2, 3, 2, 3]);
}

/// A call while the store is away used to end the backoff again and again.
#[tokio::test(start_paused = true)]
async fn a_call_while_the_store_is_away_does_not_spoil_the_backoff() {
    for verb in [Verb::Claim, Verb::Manage] {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let recorder = Recorder::default();
        for _ in 0..4 {
            store.plan(verb, Fault::Refused);
        }
        let running = spawned(&source, &store, &recorder);
        let began = Instant::now();
        eventually("is away", async || store.count(verb) == 1).await;
        // Stored, or refused by a store that is away.
        let _stored = running.pause().await;
        eventually("comes back", async || {
            store.count(Verb::Load) >= 1
                || matches!(running.status(), ProjectionStatus::Paused { .. })
        })
        .await;
        assert!(
            began.elapsed() >= secs(1),
            "{verb:?}: {:?}",
            began.elapsed()
        );
        assert!(store.count(verb) <= 30, "{verb:?}: {}", store.count(verb));
        running.stop_and_wait().await.unwrap();
    }
}

/// A set whose commit fails used to say that the projection had ended.
#[tokio::test(start_paused = true)]
async fn a_set_that_the_store_refuses_is_told_as_such_and_the_projection_goes_on() {
    for (fault, low) in [(Fault::Refused, 3), (Fault::AnswerLost, 1)] {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let recorder = Recorder::default();
        let running = spawned(&source, &store, &recorder);
        recorder.has_handled(3).await;
        running.pause_and_wait().await.unwrap();
        store.plan(Verb::Commit, fault);
        let error = running.set_offset(at(1)).await.unwrap_err();
        assert!(matches!(&*error, Error::Refused { .. }), "{error}");
        assert!(error.to_string().contains("the store is away"), "{error}");
        assert_eq!(stored(&store.inner).await, Some(low), "{fault:?}");
        running.set_offset(at(2)).await.unwrap();
        running.resume().await.unwrap();
        recorder.has_handled(4).await;
        assert_eq!(recorder.handled(), [1, 2, 3, 3], "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_whatever_the_run_waits_for() {
    for verb in [
        Verb::Claim,
        Verb::Manage,
        Verb::Load,
        Verb::Commit,
        Verb::Release,
    ] {
        for guarantee in ALL {
            let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
            let recorder = Recorder::default();
            store.hold(verb);
            let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
            pass(secs(1)).await;
            let began = Instant::now();
            // Some of these lose what was handled, and say so.
            let _ended = running.stop_and_wait().await;
            // The save, the hook and the release have the time-out each.
            assert!(
                began.elapsed() <= secs(30),
                "{verb:?}, {guarantee:?}: {:?}",
                began.elapsed()
            );
            assert!(running.status().is_terminal());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_reaches_a_run_that_hangs_while_it_begins() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        source.hang_next_open();
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        crate::common::is_opened(&source, 1).await;
        let began = Instant::now();
        running.pause_and_wait().await.unwrap();
        assert_eq!(began.elapsed(), millis(0), "{guarantee:?}");
        running.set_offset(at(2)).await.unwrap();
        running.resume().await.unwrap();
        recorder.has_handled(4).await;
        assert_eq!(recorder.handled(), [3, 4, 5, 6], "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_set_ends_a_backoff_and_begins_where_it_says() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(3, 1);
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        recorder.has_called("observer.stopped", 1).await;
        let began = Instant::now();
        running.set_offset(at(4)).await.unwrap();
        recorder.has_called("observer.after 6", 1).await;
        assert!(began.elapsed() < secs(1), "{guarantee:?}");
        assert_eq!(recorder.handled().last(), Some(&6));
        assert!(!recorder.handled().contains(&3), "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_save_in_flight_is_awaited_before_the_lane_moves() {
    for guarantee in [
        Guarantee::AtLeastOnce,
        Guarantee::AtMostOnce,
        Guarantee::GroupedAtLeastOnce,
    ] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        recorder.has_handled(6).await;
        source.push(7);
        source.push(8);
        recorder.has_handled(7).await;
        store.slow_down(Verb::Commit, secs(3));
        running.set_offset(at(1)).await.unwrap();
        assert_eq!(store.saved().last(), Some(&1), "{guarantee:?}");
        recorder.has_called("observer.done set", 1).await;
        assert_eq!(recorder.count("observer.failed"), 0, "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_whose_hooks_fail_still_lets_management_in() {
    for plan in [Recorder::fail_at_start, Recorder::panic_at_start] {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let recorder = Recorder::default();
        plan(&recorder);
        let running = spawned(&source, &store, &recorder);
        recorder.has_called("observer.failed", 1).await;
        running.pause_and_wait().await.unwrap();
        running.set_offset(at(2)).await.unwrap();
        running.resume().await.unwrap();
        recorder.has_handled(1).await;
        assert_eq!(recorder.handled(), [3]);
    }
}

#[tokio::test(start_paused = true)]
async fn observers_that_panic_change_nothing_of_management() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.panic_in_observers();
    let running = spawned(&source, &store, &recorder);
    recorder.has_handled(3).await;
    running.pause_and_wait().await.unwrap();
    running.set_offset(at(1)).await.unwrap();
    running
        .set_offset(Offset {
            manifest: "x".into(),
            text: "1".into(),
        })
        .await
        .unwrap_err();
    running.resume().await.unwrap();
    recorder.has_handled(5).await;
    assert_eq!(recorder.handled(), [1, 2, 3, 2, 3]);
}

/// A store that hangs until the claim is lost used to be told as a stop.
#[tokio::test(start_paused = true)]
async fn a_claim_that_is_lost_while_the_store_hangs_is_no_stop() {
    let (store, _) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(3)), Recorder::default());
    store.hold(Verb::Manage);
    store.hold(Verb::Renew);
    let running = spawned(&source, &store, &recorder);
    pass(secs(60)).await;
    assert!(!running.status().is_terminal(), "{:?}", running.status());
    store.let_go(Verb::Manage);
    store.let_go(Verb::Renew);
    recorder.has_handled(3).await;
}

/// Fact 79.
#[tokio::test(start_paused = true)]
async fn a_stop_while_the_stream_fails_still_ends_the_projection() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        let recorder = Recorder::default();
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        recorder.has_handled(2).await;
        source.fail_behind(2, "away");
        let began = Instant::now();
        running.stop_and_wait().await.unwrap();
        assert_eq!(began.elapsed(), millis(0), "{guarantee:?}");
    }
}
