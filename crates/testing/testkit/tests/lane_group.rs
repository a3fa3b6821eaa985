//! The members of a group share lanes, and each lane has one holder.
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
use projectionist_testkit::{Handover, TestLaneGroup, pass};

const DEADLINE: Duration = Duration::from_secs(7);

#[tokio::test]
async fn lanes_are_dealt_out() {
    let group = TestLaneGroup::<u64>::new(2, ["a", "b", "c"]);
    assert_eq!(group.member(0).assigned(), ["a", "c"]);
    assert_eq!(group.member(1).assigned(), ["b"]);
    group.assign("d", 1);
    let holders = ["a", "b", "c", "d", "e"].map(|key| group.holder(key));
    assert_eq!(holders, [Some(0), Some(1), Some(0), Some(1), None]);
    assert_eq!(group.keys(), ["a", "b", "c", "d"]);
}

#[tokio::test]
async fn a_lane_moves_when_it_is_released_and_takes_its_records_along() {
    let group = TestLaneGroup::new(2, ["a"]);
    group.lane("a").push(1);
    let mut from = group.member(0).watch(Mode::Live).await.unwrap();
    let mut to = group.member(1).watch(Mode::Live).await.unwrap();
    assert_eq!(events(&mut from), [Seen::Assigned("a".into())]);
    let mut moved = Box::pin(group.move_lane("a", 1, DEADLINE));
    assert!((&mut moved).now_or_never().is_none());
    assert_eq!((group.holder("a"), events(&mut to)), (None, vec![]));
    let LaneEvent::Revoked {
        deadline, released, ..
    } = next(&mut from)
    else {
        panic!("the lane is revoked");
    };
    assert_eq!(deadline, DEADLINE);
    drop(released);
    assert_eq!(moved.await, Handover::Released);
    assert_eq!(group.holder("a"), Some(1));
    let LaneEvent::Assigned { key, provider } = next(&mut to) else {
        panic!("the lane is assigned");
    };
    assert_eq!(key, "a");
    let records = provider.open(None, Mode::Current).await.unwrap();
    assert_eq!(records.count().await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_lane_that_is_not_released_moves_at_the_deadline() {
    let group = TestLaneGroup::<u64>::new(2, ["a"]);
    let mut from = group.member(0).watch(Mode::Live).await.unwrap();
    let LaneEvent::Assigned { provider, .. } = next(&mut from) else {
        panic!("the lane is assigned");
    };
    let moved = tokio::spawn(group.move_lane("a", 1, DEADLINE));
    let held = next(&mut from);
    pass(DEADLINE - Duration::from_millis(1)).await;
    assert_eq!(group.holder("a"), None);
    assert!(provider.open(None, Mode::Live).await.is_ok());
    pass(Duration::from_millis(2)).await;
    assert_eq!(moved.await.unwrap(), Handover::DeadlinePassed);
    assert_eq!(group.holder("a"), Some(1));
    assert!(provider.open(None, Mode::Live).await.is_err());
    drop(held);
}

#[tokio::test]
async fn a_late_release_does_not_shut_out_the_next_holder() {
    let group = TestLaneGroup::<u64>::new(2, ["a"]);
    let mut from = group.member(0).watch(Mode::Live).await.unwrap();
    let mut to = group.member(1).watch(Mode::Live).await.unwrap();
    assert_eq!(events(&mut from).len(), 1);
    let mut released = Box::pin(group.member(0).revoke("a", DEADLINE));
    assert!((&mut released).now_or_never().is_none());
    group.assign("a", 1);
    let LaneEvent::Assigned { provider, .. } = next(&mut to) else {
        panic!("the lane is assigned");
    };
    assert_eq!(events(&mut from), [Seen::Revoked("a".into())]);
    released.await;
    assert!(provider.open(None, Mode::Live).await.is_ok());
}

#[tokio::test]
async fn a_lane_is_taken_over_without_asking() {
    let group = TestLaneGroup::<u64>::new(3, ["a"]);
    let mut from = group.member(0).watch(Mode::Live).await.unwrap();
    let mut to = group.member(2).watch(Mode::Live).await.unwrap();
    let LaneEvent::Assigned { provider, .. } = next(&mut from) else {
        panic!("the lane is assigned");
    };
    group.take_over("a", 2);
    assert_eq!(events(&mut from), [Seen::Lost("a".into())]);
    assert_eq!(events(&mut to), [Seen::Assigned("a".into())]);
    assert_eq!(group.holder("a"), Some(2));
    assert!(provider.open(None, Mode::Live).await.is_err());
}

#[tokio::test]
#[should_panic(expected = "the lane a is held by member 0")]
async fn a_held_lane_cannot_be_assigned() {
    TestLaneGroup::<u64>::new(2, ["a"]).assign("a", 1);
}

#[tokio::test]
#[should_panic(expected = "the group has no member 2")]
async fn members_are_counted_from_zero() {
    let _ = TestLaneGroup::<u64>::new(2, ["a"]).member(2);
}
