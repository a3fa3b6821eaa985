//! Waiting until an event is processed: a reader sees what its own write has led to.

use crate::common::claims::{clocked_store, stands_by};
use crate::common::modes::{ALL, Guarantee, settings, spawn};
use crate::common::{SteeredStore, millis, numbers, secs};
use futures::FutureExt;
use projectionist_core::{Error, Offset};
use projectionist_engine::ProjectionHandle;
use projectionist_testkit::{Recorder, TestPosition, TestSource, pass};
use tokio::time::{Instant, timeout};

fn at(position: u64) -> Offset {
    Offset::of(&TestPosition(position))
}

fn follows(
    guarantee: Guarantee,
    source: &TestSource<u64>,
    recorder: &Recorder<u64>,
) -> ProjectionHandle {
    let store = SteeredStore::default();
    spawn(guarantee, source, &store, recorder, &settings(recorder))
}

/// What is handled and not saved yet counts too, and an idle projection answers at once.
#[tokio::test(start_paused = true)]
async fn what_is_handled_is_not_waited_for() {
    for guarantee in ALL {
        let (source, recorder) = (TestSource::of(numbers(6)), Recorder::default());
        let running = follows(guarantee, &source, &recorder);
        recorder.has_handled(6).await;
        pass(millis(1)).await;
        let began = Instant::now();
        for position in [1, 5, 6] {
            let waited = timeout(secs(60), running.wait_until(at(position))).await;
            waited.expect("it is processed").unwrap();
        }
        assert_eq!(began.elapsed(), millis(0), "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_handled_is_waited_for_also_in_at_most_once() {
    for guarantee in ALL {
        let (source, recorder) = (TestSource::of(numbers(6)), Recorder::default());
        recorder.hold_at(5);
        let running = follows(guarantee, &source, &recorder);
        recorder.has_called("process 5", 1).await;
        // Exactly-once holds the test's store: what waits for it is answered after the handler.
        if !matches!(
            guarantee,
            Guarantee::ExactlyOnce | Guarantee::GroupedExactlyOnce
        ) {
            running.wait_until(at(4)).await.unwrap();
        }
        let mut fifth = Box::pin(running.wait_until(at(5)));
        for _ in 0..5 {
            pass(secs(1)).await;
            assert!((&mut fifth).now_or_never().is_none(), "{guarantee:?}");
        }
        recorder.release(5);
        fifth.await.unwrap();
        assert!(recorder.handled().contains(&5), "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_waiter_goes_on_at_its_own_position() {
    for guarantee in ALL {
        let (source, recorder) = (TestSource::of([]), Recorder::default());
        let running = follows(guarantee, &source, &recorder);
        let waits = async |position: u64| {
            running.wait_until(at(position)).await.unwrap();
            recorder.handled().len() as u64
        };
        let pushes = async {
            for event in 1..=6 {
                pass(secs(10)).await;
                source.push(event);
            }
        };
        let (second, fourth, sixth, ()) = tokio::join!(waits(2), waits(4), waits(6), pushes);
        assert_eq!([second, fourth, sixth], [2, 4, 6], "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_waiter_survives_a_failure_and_a_pause() {
    for guarantee in ALL.into_iter().filter(|one| *one != Guarantee::AtMostOnce) {
        let (source, recorder) = (TestSource::of(numbers(4)), Recorder::default());
        recorder.fail_at(4, 2);
        let running = follows(guarantee, &source, &recorder);
        recorder.has_called("observer.failed", 1).await;
        let meanwhile = async {
            running.pause_and_wait().await.unwrap();
            pass(secs(60)).await;
            running.resume().await.unwrap();
        };
        let (waited, ()) = tokio::join!(running.wait_until(at(4)), meanwhile);
        waited.unwrap();
        assert_eq!(recorder.handled(), numbers(4), "{guarantee:?}");
    }
}

/// A standby used to answer only when it had become the owner.
#[tokio::test(start_paused = true)]
async fn a_standby_tells_what_the_owner_has_processed() {
    let (store, _) = clocked_store();
    let (source, recorder) = (TestSource::of(numbers(2)), Recorder::default());
    let guarantee = Guarantee::GroupedAtLeastOnce;
    let _owner = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
    recorder.has_handled(2).await;
    let others = Recorder::default();
    let standby = spawn(
        guarantee,
        &source,
        &store.beside(),
        &others,
        &settings(&others),
    );
    stands_by(&standby).await;
    let pushes = async {
        pass(secs(5)).await;
        source.push(3);
        source.push(4);
    };
    let began = Instant::now();
    let waited = timeout(secs(60), standby.wait_until(at(4)));
    let (waited, ()) = tokio::join!(waited, pushes);
    waited.expect("the owner has processed it").unwrap();
    assert!(began.elapsed() <= secs(7), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_with_the_projection_and_refuses_what_it_cannot_read() {
    let (source, recorder) = (TestSource::of(numbers(2)), Recorder::default());
    let running = follows(Guarantee::AtLeastOnce, &source, &recorder);
    recorder.has_handled(2).await;
    let foreign = Offset {
        manifest: "kafka".into(),
        text: "1".into(),
    };
    let error = running.wait_until(foreign).await.unwrap_err();
    assert!(matches!(&*error, Error::ForeignOffset { .. }), "{error}");
    let stops = async {
        pass(secs(1)).await;
        running.stop();
    };
    let (waited, ()) = tokio::join!(running.wait_until(at(9)), stops);
    assert!(matches!(&*waited.unwrap_err(), Error::Ended(_)));
}

/// After a move back an event counts as processed when it was processed again.
#[tokio::test(start_paused = true)]
async fn a_wait_after_a_move_back_waits_for_the_replay() {
    let (source, recorder) = (TestSource::of(numbers(4)), Recorder::default());
    let running = follows(Guarantee::GroupedAtLeastOnce, &source, &recorder);
    recorder.has_handled(4).await;
    recorder.hold_at(3);
    running.clear_offset().await.unwrap();
    let mut third = Box::pin(running.wait_until(at(3)));
    assert!(timeout(secs(60), &mut third).await.is_err());
    recorder.release(3);
    third.await.unwrap();
    assert_eq!(recorder.handled(), [1, 2, 3, 4, 1, 2, 3, 4]);
}
