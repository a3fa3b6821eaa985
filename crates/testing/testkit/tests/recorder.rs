//! A recorder keeps what it was told, in one order.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::claims::{id, offset};
use projectionist_core::contract::{FailureAction, ManagementAction, Mode};
use projectionist_core::{Error, ManagementCommand};
use projectionist_engine::{Projection, ProjectionRuntime};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, TestPosition, TestSource};

#[test]
fn an_observer_records_what_follows_a_failure_and_what_management_did() {
    let recorder = Recorder::<u64>::default();
    let observer = recorder.observer();
    let (lane, place) = (id(), TestPosition(3));
    let error = Error::AlreadyRunning(id());
    observer.error(&lane, &place, 1, &error, FailureAction::Retry);
    observer.error(&lane, &place, 2, &error, FailureAction::Park);
    let skip = ManagementCommand::Skip { at: offset(3) };
    for action in [
        ManagementAction::Paused,
        ManagementAction::Resumed,
        ManagementAction::Done(ManagementCommand::RetryParked { key: None }),
        ManagementAction::Refused(skip, "it is handled".into()),
    ] {
        observer.managed(&lane, &action);
    }
    let expected = [
        "observer.error 3#1",
        "observer.error 3#2",
        "observer.paused",
        "observer.resumed",
        "observer.done retry-parked",
        "observer.refused skip test 3: it is handled",
    ];
    assert_eq!(recorder.calls(), expected);
    let actions = [FailureAction::Retry, FailureAction::Park];
    assert_eq!(recorder.actions(), actions);
}

#[tokio::test(start_paused = true)]
async fn a_verification_stands_between_the_calls_of_the_handler() {
    let recorder = Recorder::<u64>::default();
    let source = TestSource::of([1, 2]).recorded_by(&recorder);
    source.refuse(1);
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    let projection = Projection::exactly_once(id(), source.clone(), MemoryStore::new(), factory)
        .with_mode(Mode::Current);
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    running.wait().await.unwrap();
    let calls = recorder.calls();
    let expected = ["verify 1", "verify 2", "process 2#1", "verify 2"];
    let told = |call: &&String| call.starts_with("verify") || call.starts_with("process");
    assert!(calls.iter().filter(told).eq(expected), "{calls:?}");
    assert_eq!([1, 2].map(|position| source.verified(position)), [1, 2]);
}
