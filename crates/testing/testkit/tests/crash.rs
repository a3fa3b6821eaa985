//! A store whose process dies answers nobody.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::time::Duration;

use common::claims::{claimed, id, offset};
use futures::future::FutureExt;
use projectionist_core::contract::{
    Context, GroupContext, GroupReport, GroupedHandler, GroupedTransactionalHandler, Handler,
    OffsetStore, TransactionalHandler, TransactionalOffsetStore,
};
use projectionist_core::{Claim, Commit};
use projectionist_store_memory::{MemoryStore, Tx};
use projectionist_testkit::{
    CrashPoint, CrashStore, LowWaterStore, Recorder, TestEnvelope, TestPosition,
};

type Dying = CrashStore<MemoryStore>;

fn to(position: u64, expected: Option<u64>) -> Commit {
    Commit {
        expected: expected.map(offset),
        offset: Some(offset(position)),
        ..Commit::default()
    }
}

async fn dying() -> (Dying, Claim) {
    let store = CrashStore::over(MemoryStore::new());
    let (claim, _) = claimed(&store).await;
    (store, claim)
}

async fn stored(store: &MemoryStore) -> Option<String> {
    let row = store.lane(&id()).await.unwrap().unwrap();
    row.offset.map(|offset| offset.text)
}

/// Writes an entry in a transaction and commits it; `None` when it is not answered.
fn write(store: &Dying, claim: &Claim, position: u64, expected: Option<u64>) -> Option<()> {
    let commit = to(position, expected);
    let step = async {
        let mut tx = store.begin(claim, commit.expected.as_ref()).await.unwrap();
        tx.put("table", "key", position.to_string());
        store.commit_in(tx, claim, &commit).await.unwrap();
    };
    step.now_or_never()
}

async fn written(store: &Dying) -> Option<String> {
    store.inner().entries("table").await.remove("key")
}

#[tokio::test]
async fn without_a_plan_nothing_happens() {
    let (store, claim) = dying().await;
    store.commit(&claim, &to(1, None)).await.unwrap();
    write(&store, &claim, 2, Some(1)).unwrap();
    store.renew(&claim, Duration::from_secs(1)).await.unwrap();
    store.release(&claim).await.unwrap();
    assert!(!store.has_crashed());
    assert_eq!(stored(store.inner()).await.unwrap(), "2");
    let reached = CrashPoint::ALL.map(|point| store.reached(point));
    assert_eq!(reached, [0, 1, 1, 1, 1]);
}

#[tokio::test]
async fn a_save_is_lost_or_only_its_answer() {
    for (point, saved) in [(CrashPoint::BeforeSave, "1"), (CrashPoint::AfterSave, "2")] {
        let (store, claim) = dying().await;
        store.crash_at(point, 2);
        let mut crashed = Box::pin(store.crashed());
        store.commit(&claim, &to(1, None)).await.unwrap();
        assert!((&mut crashed).now_or_never().is_none());
        let answer = store.commit(&claim, &to(2, Some(1))).now_or_never();
        assert!(answer.is_none(), "{point:?}");
        crashed.now_or_never().expect("it has crashed");
        assert!(store.has_crashed() && store.clone().has_crashed());
        assert_eq!(stored(store.inner()).await.unwrap(), saved, "{point:?}");
    }
}

#[tokio::test]
async fn a_transaction_is_rolled_back_or_committed_without_an_answer() {
    for (point, left) in [
        (CrashPoint::InTransaction, "1"),
        (CrashPoint::AtCommit, "2"),
    ] {
        let (store, claim) = dying().await;
        store.crash_at(point, 2);
        write(&store, &claim, 1, None).unwrap();
        assert_eq!(write(&store, &claim, 2, Some(1)), None, "{point:?}");
        store.crashed().now_or_never().expect("it has crashed");
        // The lock is free: a transaction that the dead one held would block here.
        assert_eq!(written(&store).await.unwrap(), left, "{point:?}");
        assert_eq!(stored(store.inner()).await.unwrap(), left, "{point:?}");
    }
}

#[tokio::test]
async fn after_the_crash_nothing_is_answered_and_nothing_arrives() {
    let (store, claim) = dying().await;
    let open = store.begin(&claim, None).await.unwrap();
    drop(open);
    store.crash_at(CrashPoint::BeforeSave, 1);
    let lost = to(1, None);
    assert!(store.commit(&claim, &lost).now_or_never().is_none());
    assert!(store.commit(&claim, &lost).now_or_never().is_none());
    assert!(store.renew(&claim, Duration::ZERO).now_or_never().is_none());
    assert!(store.release(&claim).now_or_never().is_none());
    assert!(store.lane(&id()).now_or_never().is_none());
    assert!(store.lanes().now_or_never().is_none());
    assert!(store.begin(&claim, None).now_or_never().is_none());
    let row = store.inner().lane(&id()).await.unwrap().unwrap();
    assert_eq!(row.offset, None);
    assert!(row.holder.is_some(), "the dead release nothing");
}

#[tokio::test]
async fn a_call_that_is_under_way_at_the_crash_is_not_answered() {
    let (store, claim) = dying().await;
    let locked = store.inner().begin(&claim, None).await.unwrap();
    let mut waits = Box::pin(store.lanes());
    assert!((&mut waits).now_or_never().is_none());
    store.crash_at(CrashPoint::BeforeSave, 1);
    assert!(store.commit(&claim, &to(1, None)).now_or_never().is_none());
    drop(locked);
    assert!(waits.now_or_never().is_none());
    assert!(store.inner().lanes().now_or_never().is_some());
}

#[tokio::test]
async fn a_transaction_that_is_open_at_the_crash_is_rolled_back() {
    let (store, claim) = dying().await;
    for rolls_back in [false, true] {
        let dying = CrashStore::over(store.inner().clone());
        let mut tx = dying.begin(&claim, None).await.unwrap();
        tx.put("table", "key", "lost".into());
        // Another lane of the same process dies meanwhile.
        dying.crash_at(CrashPoint::AfterHandle, 1);
        let mut handler = dying.handler(Recorder::<u64>::default().handler());
        assert!(process(&mut handler, 1).now_or_never().is_none());
        let unanswered = if rolls_back {
            dying.rollback(tx).now_or_never()
        } else {
            dying.commit_in(tx, &claim, &to(1, None)).now_or_never()
        };
        assert!(unanswered.is_none());
        assert_eq!(written(&store).await, None);
    }
}

async fn process<H>(handler: &mut H, position: u64) -> Result<(), projectionist_core::BoxError>
where
    H: Handler<TestEnvelope<u64>>,
{
    let (lane, place) = (id(), TestPosition(position));
    let context = Context {
        lane: &lane,
        position: &place,
        attempt: 1,
        replay: false,
    };
    handler
        .process(&TestEnvelope::at(position, position), &context)
        .await
}

#[tokio::test]
async fn a_handler_dies_when_it_has_handled() {
    let (store, claim) = dying().await;
    let recorder = Recorder::<u64>::default();
    let mut handler = store.handler(recorder.handler());
    store.crash_at(CrashPoint::AfterHandle, 2);
    recorder.fail_at(1, 1);
    process(&mut handler, 1).await.unwrap_err();
    process(&mut handler, 1).await.unwrap();
    assert!(
        !store.has_crashed(),
        "a failed attempt is none that handled"
    );
    assert!(process(&mut handler, 2).now_or_never().is_none());
    assert!(store.has_crashed());
    assert_eq!(recorder.handled(), [1, 2]);
    // Neither handler nor hook is called any more.
    assert!(process(&mut handler, 3).now_or_never().is_none());
    assert!(Handler::stop(&mut handler).now_or_never().is_none());
    assert_eq!(
        (recorder.handled(), recorder.count("stop")),
        (vec![1, 2], 0)
    );
    assert!(store.commit(&claim, &to(2, None)).now_or_never().is_none());
}

#[tokio::test]
async fn a_handler_of_groups_dies_too() {
    let (store, _) = dying().await;
    let recorder = Recorder::<u64>::default();
    let mut handler = store.handler(recorder.handler());
    store.crash_at(CrashPoint::AfterHandle, 1);
    let (lane, last, mut report) = (id(), TestPosition(2), GroupReport::default());
    let context = GroupContext {
        lane: &lane,
        position: &last,
        attempt: 1,
        replay: true,
        report: &mut report,
    };
    let group = [TestEnvelope::at(1, 1), TestEnvelope::at(2, 2)];
    assert!(
        GroupedHandler::process(&mut handler, &group, context)
            .now_or_never()
            .is_none()
    );
    assert_eq!(recorder.calls(), ["created", "process 1,2#1 replay"]);
}

/// Puts the event into the transaction.
struct Put;

impl TransactionalHandler<TestEnvelope<u64>, Tx> for Put {
    async fn process(
        &mut self,
        tx: &mut Tx,
        envelope: &TestEnvelope<u64>,
        _: &Context<'_>,
    ) -> Result<(), projectionist_core::BoxError> {
        tx.put("table", "key", envelope.event.to_string());
        Ok(())
    }
}

impl GroupedTransactionalHandler<TestEnvelope<u64>, Tx> for Put {
    async fn process(
        &mut self,
        tx: &mut Tx,
        group: &[TestEnvelope<u64>],
        _: GroupContext<'_>,
    ) -> Result<(), projectionist_core::BoxError> {
        tx.put("table", "key", group.len().to_string());
        Ok(())
    }
}

#[tokio::test]
async fn what_a_handler_wrote_in_a_transaction_is_rolled_back() {
    let memory = MemoryStore::new();
    let (claim, _) = claimed(&memory).await;
    for in_groups in [false, true] {
        let store = CrashStore::over(memory.clone());
        store.crash_at(CrashPoint::AfterHandle, 1);
        let mut handler = store.handler(Put);
        let step = async {
            let mut tx = store.begin(&claim, None).await.unwrap();
            let (lane, place, mut report) = (id(), TestPosition(1), GroupReport::default());
            let envelope = TestEnvelope::at(1, 1);
            if in_groups {
                let context = GroupContext {
                    lane: &lane,
                    position: &place,
                    attempt: 1,
                    replay: false,
                    report: &mut report,
                };
                let group = [envelope];
                let handled =
                    GroupedTransactionalHandler::process(&mut handler, &mut tx, &group, context);
                handled.await.unwrap();
            } else {
                let context = Context {
                    lane: &lane,
                    position: &place,
                    attempt: 1,
                    replay: false,
                };
                let handled =
                    TransactionalHandler::process(&mut handler, &mut tx, &envelope, &context);
                handled.await.unwrap();
            }
            store.commit_in(tx, &claim, &to(1, None)).await.unwrap();
        };
        let mut step = Box::pin(step);
        assert!((&mut step).now_or_never().is_none());
        assert!(store.has_crashed());
        // The step is still there, as a task is before its runtime ends; its transaction is not.
        let written = written(&store).now_or_never();
        assert_eq!(written.expect("the lock is free"), None);
        assert_eq!(store.reached(CrashPoint::InTransaction), 0);
    }
}

#[tokio::test]
async fn stores_before_stores_can_be_piled_up() {
    let store = CrashStore::over(LowWaterStore::over(MemoryStore::new()));
    let (claim, _) = claimed(&store).await;
    assert!(!store.capabilities().atomic_commit);
    store.crash_at(CrashPoint::AfterSave, 1);
    assert!(store.commit(&claim, &to(1, None)).now_or_never().is_none());
    assert_eq!(stored(store.inner().inner()).await.unwrap(), "1");
}
