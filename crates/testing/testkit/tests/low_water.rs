//! A store that keeps the low-water mark alone writes a commit in two steps.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::claims::{claimed, id, offset};
use futures::future::FutureExt;
use projectionist_core::contract::{
    DeadLetterFilter, DeadLetterStore, ManagementStore, OffsetStore, ParkedStore, StoreCapabilities,
};
use projectionist_core::{
    Ahead, Claim, Commit, Counters, DeadLetter, DeadLetterOrigin, Defect, Error, ErrorClass,
    ManagementCommand, Offset, ParkedEnvelope, RequestAnswer, RequestId, SettledRange, Timestamp,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{BetweenSteps, LowWaterStore};

const NOW: Timestamp = Timestamp { unix_millis: 1 };

fn parked(position: u64) -> ParkedEnvelope {
    ParkedEnvelope {
        key: "a".into(),
        offset: offset(position),
        event: "event".into(),
        attempts: 1,
        error: None,
        parked_at: NOW,
        tried_at: None,
        replay: false,
    }
}

/// Everything that a commit can have, behind the envelope that `parked(1)` has.
fn everything(answers: Vec<RequestAnswer>) -> Commit {
    let letter = DeadLetter {
        origin: DeadLetterOrigin::Projection,
        offset: offset(2),
        defect: Defect::new(ErrorClass::Data, "it does not fit"),
        event: "event".into(),
        attempts: 1,
        first_failed_at: NOW,
        failed_at: NOW,
    };
    Commit {
        offset: Some(offset(4)),
        ahead: Some(ahead()),
        counters: Counters {
            read: 4,
            ..Counters::ZERO
        },
        dead_letters: vec![letter],
        parked: vec![parked(3)],
        unparked: vec![offset(1)],
        answers,
        ..Commit::default()
    }
}

fn ahead() -> Ahead {
    Ahead {
        manifest: "test".into(),
        ranges: vec![SettledRange {
            first: "6".into(),
            last: "7".into(),
        }],
    }
}

/// What is there of [`everything`]: counted, letters, parked positions, whether it is answered.
async fn beside(store: &MemoryStore, id_of_request: RequestId) -> Beside {
    let filter = DeadLetterFilter {
        projection: None,
        limit: 10,
        ..DeadLetterFilter::default()
    };
    let parked = store.parked(&id(), "a", 10).await.unwrap();
    let answer = store.answer(id_of_request).await.unwrap();
    Beside {
        read: store.lane(&id()).await.unwrap().unwrap().counters.read,
        letters: store.dead_letters(&filter).await.unwrap().len(),
        parked: parked.into_iter().map(|one| one.offset.text).collect(),
        answered: answer.is_some(),
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Beside {
    read: u64,
    letters: usize,
    parked: Vec<String>,
    answered: bool,
}

/// What the first step writes.
fn first_step() -> Beside {
    Beside {
        answered: false,
        ..all_of_it()
    }
}

fn all_of_it() -> Beside {
    Beside {
        read: 4,
        letters: 1,
        parked: vec!["3".into()],
        answered: true,
    }
}

/// A store whose lane has one parked envelope and one request, and the commit with everything.
async fn prepared() -> (LowWaterStore<MemoryStore>, Claim, Commit, RequestId) {
    let store = LowWaterStore::over(MemoryStore::new());
    let (claim, _) = claimed(&store).await;
    let first = Commit {
        parked: vec![parked(1)],
        ..Commit::default()
    };
    store.commit(&claim, &first).await.unwrap();
    let command = ManagementCommand::RetryParked { key: None };
    let request = store.request(&id(), &command).await.unwrap();
    let commit = everything(vec![RequestAnswer {
        id: request,
        refusal: None,
    }]);
    (store, claim, commit, request)
}

async fn stored(store: &impl OffsetStore) -> Option<Offset> {
    store.lane(&id()).await.unwrap().unwrap().offset
}

#[tokio::test]
async fn both_steps_together_write_everything_but_what_is_ahead() {
    let (store, claim, commit, request) = prepared().await;
    assert_eq!(store.capabilities(), StoreCapabilities::LOW_WATER);
    store.commit(&claim, &commit).await.unwrap();
    assert_eq!(beside(store.inner(), request).await, all_of_it());
    let row = store.inner().lane(&id()).await.unwrap().unwrap();
    assert_eq!((row.offset, row.ahead), (Some(offset(4)), Ahead::default()));
}

#[tokio::test]
async fn a_fault_between_the_steps_leaves_the_offset_behind() {
    let (store, claim, commit, request) = prepared().await;
    store.between_steps(BetweenSteps::Fail);
    let error = store.commit(&claim, &commit).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert_eq!(beside(store.inner(), request).await, first_step());
    assert_eq!(stored(&store).await, None);
    // The fault strikes once, and the commit that is repeated finds its letter kept.
    store.commit(&claim, &commit).await.unwrap();
    assert_eq!(stored(&store).await, Some(offset(4)));
    assert_eq!(beside(store.inner(), request).await.letters, 1);
}

#[tokio::test]
async fn a_crash_between_the_steps_is_never_answered() {
    let (store, claim, commit, request) = prepared().await;
    store.between_steps(BetweenSteps::Crash);
    let crashed = store.crashed();
    assert!(store.commit(&claim, &commit).now_or_never().is_none());
    crashed.now_or_never().expect("it has crashed");
    assert!(store.lane(&id()).now_or_never().is_none());
    assert!(store.release(&claim).now_or_never().is_none());
    assert_eq!(beside(store.inner(), request).await, first_step());
    assert_eq!(stored(store.inner()).await, None);
}

#[tokio::test]
async fn a_commit_with_one_step_meets_nothing_between() {
    let (store, claim, commit, _) = prepared().await;
    store.between_steps(BetweenSteps::Fail);
    let offset_alone = Commit {
        offset: Some(offset(2)),
        ahead: Some(ahead()),
        ..Commit::default()
    };
    store.commit(&claim, &offset_alone).await.unwrap();
    let beside_alone = Commit {
        expected: Some(offset(2)),
        offset: None,
        ahead: None,
        answers: Vec::new(),
        ..commit
    };
    store.commit(&claim, &beside_alone).await.unwrap();
    assert_eq!(stored(&store).await, Some(offset(2)));
}

#[tokio::test]
async fn every_step_asks_for_claim_and_offset() {
    let (store, claim, commit, request) = prepared().await;
    let nothing = |expected| Commit {
        expected,
        ..Commit::default()
    };
    for wrong in [
        nothing(Some(offset(9))),
        Commit {
            expected: Some(offset(9)),
            ..commit
        },
    ] {
        let error = store.commit(&claim, &wrong).await.unwrap_err();
        assert!(matches!(error, Error::UnexpectedOffset { .. }), "{error}");
    }
    assert_eq!(beside(store.inner(), request).await.letters, 0);
    store.release(&claim).await.unwrap();
    claimed(&store).await;
    let error = store.commit(&claim, &nothing(None)).await.unwrap_err();
    assert!(matches!(error, Error::Fenced { .. }), "{error}");
}

#[tokio::test]
async fn what_another_store_settled_ahead_is_not_seen() {
    let memory = MemoryStore::new();
    let (claim, _) = claimed(&memory).await;
    let commit = Commit {
        ahead: Some(ahead()),
        ..Commit::default()
    };
    memory.commit(&claim, &commit).await.unwrap();
    memory.release(&claim).await.unwrap();
    let store = LowWaterStore::over(memory);
    assert_eq!(store.lanes().await.unwrap()[0].1.ahead, Ahead::default());
    let row = store.lane(&id()).await.unwrap().unwrap();
    assert_eq!(row.ahead, Ahead::default());
    assert_eq!(claimed(&store).await.1.ahead, Ahead::default());
}

#[tokio::test]
async fn a_reset_is_of_the_second_step() {
    let (store, claim, commit, _) = prepared().await;
    store.commit(&claim, &commit).await.unwrap();
    let back = Commit {
        expected: Some(offset(4)),
        reset: true,
        ..Commit::default()
    };
    store.commit(&claim, &back).await.unwrap();
    let row = store.lane(&id()).await.unwrap().unwrap();
    assert_eq!((row.offset, row.replay_until), (None, Some(offset(4))));
    let passed = Commit {
        replay_passed: true,
        ..Commit::default()
    };
    store.commit(&claim, &passed).await.unwrap();
    assert_eq!(store.lane(&id()).await.unwrap().unwrap().replay_until, None);
}
