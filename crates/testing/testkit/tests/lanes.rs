//! Lanes come and go as a test says.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::time::Duration;

use common::lanes::{Seen, events, next};
use futures::future::FutureExt;
use futures::stream::StreamExt;
use projectionist_core::contract::{LaneEvent, LaneSource, Mode, SourceProvider};
use projectionist_core::{Error, SourceItem};
use projectionist_testkit::{TestLanes, TestSource};

const DEADLINE: Duration = Duration::from_secs(7);

/// Assigns a lane and gives the provider of its reader.
async fn assigned(lanes: &TestLanes<u64>, key: &str) -> TestSource<u64> {
    let mut watch = lanes.watch(Mode::Live).await.unwrap();
    while let Some(event) = watch.next().await {
        match event.unwrap() {
            LaneEvent::Assigned {
                key: told,
                provider,
            } if told == key => return provider,
            other => drop(other),
        }
    }
    panic!("{key} is not assigned");
}

#[tokio::test]
async fn a_watch_is_told_what_is_held_and_then_what_happens() {
    let lanes = TestLanes::new();
    lanes.lane("a").push(1);
    lanes.assign("a");
    let mut watch = lanes.watch(Mode::Live).await.unwrap();
    lanes.assign("b");
    lanes.end("a");
    lanes.lose("b");
    let expected = [
        Seen::Assigned("a".into()),
        Seen::Assigned("b".into()),
        Seen::Ended("a".into()),
        Seen::Lost("b".into()),
    ];
    assert_eq!(events(&mut watch), expected);
    assert_eq!(
        (lanes.assigned(), lanes.watched()),
        (vec!["a".to_owned()], 1)
    );
}

#[tokio::test]
async fn an_event_wakes_the_watch() {
    let lanes = TestLanes::<u64>::new();
    let mut watch = lanes.watch(Mode::Live).await.unwrap();
    let watcher = tokio::spawn(async move { watch.next().await.unwrap().unwrap() });
    tokio::task::yield_now().await;
    lanes.assign("a");
    assert!(matches!(watcher.await.unwrap(), LaneEvent::Assigned { key, .. } if key == "a"));
}

#[tokio::test]
async fn a_revocation_ends_when_it_is_released() {
    let lanes = TestLanes::new();
    lanes.assign("a");
    let mut watch = lanes.watch(Mode::Live).await.unwrap();
    let LaneEvent::Assigned { provider, .. } = next(&mut watch) else {
        panic!("the lane is assigned");
    };
    lanes.lane("a").push(1);
    let mut records = provider.open(None, Mode::Live).await.unwrap();
    let mut revoked = Box::pin(lanes.revoke("a", DEADLINE));
    let LaneEvent::Revoked {
        deadline, released, ..
    } = next(&mut watch)
    else {
        panic!("the lane is revoked");
    };
    assert_eq!(deadline, DEADLINE);
    assert!((&mut revoked).now_or_never().is_none());
    // What is in flight is finished: until it is released the lane can be read.
    assert!(matches!(
        records.next().await,
        Some(Ok(SourceItem::Envelope(_)))
    ));
    drop(released);
    revoked.await;
    assert!(records.next().await.unwrap().is_err());
    assert!(provider.open(None, Mode::Live).await.is_err());
    assert_eq!(lanes.assigned(), [""; 0]);
}

#[tokio::test]
async fn nobody_is_told_while_nobody_watches() {
    let lanes = TestLanes::<u64>::new();
    lanes.assign("a");
    lanes.revoke("a", DEADLINE).now_or_never().unwrap();
    lanes.assign("b");
    let watch = lanes.watch(Mode::Live).await.unwrap();
    let revoked = lanes.revoke("b", DEADLINE);
    drop(watch);
    revoked
        .now_or_never()
        .expect("a dropped watch gives up all lanes");
    let mut watch = lanes.watch(Mode::Live).await.unwrap();
    assert_eq!(events(&mut watch), []);
}

#[tokio::test]
async fn a_lost_lane_cannot_be_read_on() {
    let lanes = TestLanes::new();
    lanes.lane("a").push(1);
    lanes.assign("a");
    let provider = assigned(&lanes, "a").await;
    let mut records = provider.open(None, Mode::Live).await.unwrap();
    assert!(records.next().await.unwrap().is_ok());
    let reader = tokio::spawn(async move { records.next().await.unwrap() });
    tokio::task::yield_now().await;
    lanes.lose("a");
    let error = reader.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("lane a"), "{error}");
    // Another assignment is another reader, and the first one stays shut out.
    lanes.assign("a");
    let again = assigned(&lanes, "a").await;
    assert!(again.open(None, Mode::Live).await.is_ok());
    assert!(provider.open(None, Mode::Live).await.is_err());
    assert!(lanes.lane("a").open(None, Mode::Live).await.is_ok());
}

#[tokio::test]
async fn an_ended_lane_is_read_to_its_end_also_by_a_later_watch() {
    let lanes = TestLanes::new();
    lanes.lane("a").push(1);
    lanes.assign("a");
    lanes.end("a");
    let mut watch = lanes.watch(Mode::Live).await.unwrap();
    let expected = [Seen::Assigned("a".into()), Seen::Ended("a".into())];
    assert_eq!(events(&mut watch), expected);
    let provider = assigned(&lanes, "a").await;
    let records = provider.open(None, Mode::Live).await.unwrap();
    assert_eq!(records.count().await, 1);
}

#[tokio::test]
async fn a_current_watch_ends_behind_what_is_there() {
    let lanes = TestLanes::<u64>::new();
    lanes.assign("a");
    lanes.assign("b");
    let watch = lanes.watch(Mode::Current).await.unwrap();
    assert_eq!(watch.count().await, 2);
    let watch = lanes.watch(Mode::Live).await.unwrap();
    lanes.complete();
    assert_eq!(watch.count().await, 2);
}

#[tokio::test]
async fn watches_fail_as_planned() {
    let lanes = TestLanes::<u64>::new();
    lanes.assign("a");
    lanes.fail_next_watch("the coordinator is away");
    let refused = lanes.watch(Mode::Live).await;
    assert!(refused.is_err_and(|error| error.is_retryable()));
    let mut watch = lanes.watch(Mode::Live).await.unwrap();
    lanes.assign("b");
    lanes.fail_watch("the session is over");
    let expected = [
        Seen::Assigned("a".into()),
        Seen::Assigned("b".into()),
        Seen::Failed { retryable: true },
    ];
    assert_eq!(events(&mut watch), expected);
    drop(watch);
    lanes.fail_watch("at once");
    let mut watch = lanes.watch(Mode::Live).await.unwrap();
    assert_eq!(events(&mut watch), expected);
    assert_eq!(lanes.watched(), 2);
}

#[tokio::test]
async fn a_later_watch_ends_the_one_before() {
    let lanes = TestLanes::<u64>::new();
    lanes.assign("a");
    let mut first = lanes.watch(Mode::Live).await.unwrap();
    let mut second = lanes.watch(Mode::Live).await.unwrap();
    assert_eq!(events(&mut first), [Seen::Failed { retryable: false }]);
    drop(first);
    lanes.assign("b");
    let expected = [Seen::Assigned("a".into()), Seen::Assigned("b".into())];
    assert_eq!(events(&mut second), expected);
}

#[tokio::test]
#[should_panic(expected = "the lane a is assigned already")]
async fn a_lane_is_not_assigned_twice() {
    let lanes = TestLanes::<u64>::new();
    lanes.assign("a");
    lanes.assign("a");
}

#[tokio::test]
#[should_panic(expected = "the lane a is not assigned")]
async fn what_is_not_assigned_cannot_be_lost() {
    TestLanes::<u64>::new().lose("a");
}

#[tokio::test]
async fn the_error_of_a_reader_is_one_of_its_source() {
    let lanes = TestLanes::<u64>::new();
    lanes.assign("a");
    let provider = assigned(&lanes, "a").await;
    lanes.lose("a");
    let opened = provider.open(None, Mode::Live).await;
    assert!(matches!(opened.err(), Some(Error::Source { .. })));
}
