//! Commands: pause, skip, offsets, and those who wait for a position.

use projectionist_core::{Counters, Offset};
use projectionist_engine::{ProjectionRuntime, ProjectionStatus, Recovery, RetryDelay};
use projectionist_testkit::{Recorder, TestPosition, TestSource, pass};

use crate::common::{SteeredStore, applied, lane, numbers, secs, stored};
use crate::keyed::book::fold;
use crate::keyed::projection::recorded;

fn patient() -> Recovery {
    Recovery::RetryAndFail {
        retries: 99,
        delay: RetryDelay::Fixed(secs(600)),
    }
}

fn offset(position: u64) -> Offset {
    Offset::of(&TestPosition(position))
}

#[tokio::test(start_paused = true)]
async fn an_envelope_that_fails_is_skipped_by_command_and_its_key_goes_on() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(3, usize::MAX);
    let projection = recorded(&source, &store, &recorder, 8).with_recovery(patient());
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(35).await;
    assert_eq!(handle.skip_current().await.unwrap(), offset(3));
    let row = lane(&store.inner).await;
    assert_eq!(row.counters.skipped, 1, "it is stored when it is told");
    recorder.has_handled(39).await;
    pass(secs(1)).await;
    let rest = numbers(40).into_iter().filter(|event| *event != 3);
    assert_eq!(fold(recorder.handled(), 8), fold(rest, 8));
    assert_eq!(stored(&store.inner).await, Some(40));
}

#[tokio::test(start_paused = true)]
async fn every_envelope_that_fails_can_be_skipped() {
    for at in [3, 14] {
        let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(3, usize::MAX);
        recorder.fail_at(14, usize::MAX);
        let projection = recorded(&source, &store, &recorder, 8).with_recovery(patient());
        let handle = ProjectionRuntime::new().spawn(projection).unwrap();
        recorder.has_handled(31).await;
        handle.skip(offset(at)).await.unwrap();
        let freed = if at == 3 { 4 } else { 3 };
        recorder.has_handled(31 + freed).await;
        pass(secs(1)).await;
        assert_eq!(recorder.handled().len(), 31 + freed);
        let counters = Counters {
            read: 32 + freed as u64,
            skipped: 1,
            ..applied(31 + freed as u64)
        };
        assert_eq!(lane(&store.inner).await.counters, counters);
    }
}

#[tokio::test(start_paused = true)]
async fn an_envelope_that_is_settled_ahead_is_not_skipped() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(30, usize::MAX);
    recorder.fail_at(1, usize::MAX);
    let projection = recorded(&source, &store, &recorder, 8).with_recovery(patient());
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(33).await;
    handle.skip(offset(2)).await.unwrap_err();
    pass(secs(1)).await;
    assert_eq!(lane(&store.inner).await.counters, applied(33));
}

#[tokio::test(start_paused = true)]
async fn a_pause_ends_the_calls_that_run_and_repeats_nothing() {
    let (source, store) = (TestSource::of(numbers(200)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(50);
    let projection = recorded(&source, &store, &recorder, 8);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_called("process 50#", 1).await;
    pass(secs(1)).await;
    handle.pause().await.unwrap();
    recorder.release(50);
    let mut status = handle.status_receiver();
    status
        .wait_for(|status| matches!(status, ProjectionStatus::Paused { .. }))
        .await;
    let paused_with = recorder.handled().len();
    pass(secs(60)).await;
    assert_eq!(recorder.handled().len(), paused_with);
    assert!(paused_with < 200);
    assert_eq!(
        lane(&store.inner).await.counters,
        applied(paused_with as u64)
    );
    handle.resume().await.unwrap();
    recorder.has_handled(200).await;
    assert_eq!(fold(recorder.handled(), 8), fold(numbers(200), 8));
}

#[tokio::test(start_paused = true)]
async fn a_lane_that_is_set_back_is_read_again_as_a_replay() {
    let (source, store) = (TestSource::of(numbers(20)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(15);
    let projection = recorded(&source, &store, &recorder, 100).with_stop_timeout(secs(1));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(19).await;
    handle.set_offset(offset(10)).await.unwrap();
    recorder.release(15);
    pass(secs(10)).await;
    let replayed = |event: u64| recorder.count(&format!("process {event}#1 replay"));
    // The lane had come to 14, and had settled 16 to 20 ahead of 15; management forgets these.
    for event in 11..=14 {
        assert_eq!(replayed(event), 1, "{event}");
    }
    for event in 15..=20 {
        assert_eq!(recorder.count(&format!("process {event}#1")), 2, "{event}");
    }
    assert_eq!(stored(&store.inner).await, Some(20));
    assert!(lane(&store.inner).await.ahead.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_position_is_processed_when_all_before_it_is() {
    let (source, store) = (TestSource::of(numbers(40)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(20);
    let projection = recorded(&source, &store, &recorder, 8);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait_until(offset(19)).await.unwrap();
    let later = tokio::time::timeout(secs(60), handle.wait_until(offset(21)));
    later.await.unwrap_err();
    recorder.release(20);
    handle.wait_until(offset(21)).await.unwrap();
}
