//! Durability: what is there of lanes after the store was closed and opened again.

use projectionist_core::contract::{ManagementStore, OffsetStore, ParkedStore};
use projectionist_core::{Commit, DeadLetterOrigin, Error, ManagementCommand, RequestAnswer};

use crate::OffsetStoreHarness;
use crate::steps::{
    all_letters, lane, letter, offset, ranges, reset, row, steal, step, take, waiting,
};

const RETRY: ManagementCommand = ManagementCommand::RetryParked { key: None };

/// S-DURABLE-1: the claim is one of the things that are kept.
pub async fn everything_committed_is_there_after_opening_again<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let answered = store.request(&lane(), &RETRY).await.unwrap();
    store.request(&lane(), &RETRY).await.unwrap();
    store.set_paused("orders", None, true).await.unwrap();
    store.commit(&claim, &step(None, "9")).await.unwrap();
    let back = reset(Some("9"), Some("1"));
    store.commit(&claim, &back).await.unwrap();
    let full = Commit {
        ahead: Some(ranges(&[("4", "5")])),
        dead_letters: vec![letter(DeadLetterOrigin::Projection, "1", "a")],
        parked: vec![waiting("a", "2"), waiting("a", "1")],
        answers: vec![RequestAnswer {
            id: answered,
            refusal: Some("not now".to_owned()),
        }],
        ..step(Some("1"), "2")
    };
    store.commit(&claim, &full).await.unwrap();
    let seen = async |harness: &H| {
        let store = harness.store();
        (
            row(&store, &lane()).await,
            all_letters(&harness.letters(&store)).await,
            store.parked(&lane(), "a", 9).await.unwrap(),
            store.management(&lane()).await.unwrap(),
            store.answer(answered).await.unwrap(),
            store.pause_flag("orders", None).await.unwrap(),
        )
    };
    let before = seen(&harness).await;
    assert_eq!(before.0.replay_until, Some(offset("9")));
    assert_eq!((before.1.len(), before.2.len()), (1, 2));
    assert_eq!(before.3.requests.len(), 1);
    assert!(before.3.pause.is_some() && before.4.is_some());

    drop(store);
    let harness = harness.reopen().await.unwrap();
    assert_eq!(seen(&harness).await, before);
    // The claim outlives the handle under which it was granted.
    let next = step(Some("2"), "3");
    harness.store().commit(&claim, &next).await.unwrap();
}

/// S-DURABLE-2.
pub async fn fencing_outlives_the_store<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let old = take(&store, &lane(), "one").await;
    let first = steal(&store, &old, "two").await;
    drop(store);
    let harness = harness.reopen().await.unwrap();
    let store = harness.store();
    let error = store.commit(&old, &step(None, "1")).await.unwrap_err();
    assert!(matches!(error, Error::Fenced { .. }), "{error}");
    let next = steal(&store, &first, "three").await;
    assert!(next.epoch > first.epoch, "{next:?} after {first:?}");
}

/// S-MANAGE-6, S-DURABLE-1: also when the last one was withdrawn.
pub async fn ids_of_requests_outlive_the_store<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let last = store.request(&lane(), &RETRY).await.unwrap();
    assert!(store.withdraw(last).await.unwrap());
    drop(store);
    let harness = harness.reopen().await.unwrap();
    let next = harness.store().request(&lane(), &RETRY).await;
    assert!(next.unwrap() > last);
}
