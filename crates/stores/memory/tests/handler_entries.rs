//! Entries of handlers move with the transaction.

use projectionist_conformance::steps::{lane, take};
use projectionist_core::Commit;
use projectionist_core::contract::TransactionalOffsetStore;
use projectionist_store_memory::MemoryStore;

#[tokio::test]
async fn committed_entries_are_there_and_others_are_not() {
    let store = MemoryStore::new();
    let claim = take(&store, &lane(), "one").await;
    let mut tx = store.begin(&claim, None).await.unwrap();
    tx.put("totals", "a", "1".into());
    tx.put("totals", "b", "2".into());
    tx.put("other", "a", "3".into());
    store
        .commit_in(tx, &claim, &Commit::default())
        .await
        .unwrap();

    let mut tx = store.begin(&claim, None).await.unwrap();
    tx.put("totals", "a", "9".into());
    assert!(tx.delete("totals", "b"));
    assert!(!tx.delete("totals", "b"));
    assert!(!tx.delete("nowhere", "b"));
    tx.put("totals", "b", "8".into());
    tx.put("totals", "c", "7".into());
    assert!(tx.delete("totals", "a"));
    assert_eq!(
        (tx.get("totals", "a"), tx.get("totals", "b")),
        (None, Some("8"))
    );
    assert_eq!(tx.get("nowhere", "a"), None);
    drop(tx);

    let totals: Vec<_> = store.entries("totals").await.into_iter().collect();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(totals, [pair("a", "1"), pair("b", "2")]);
    assert_eq!(store.entries("other").await.len(), 1);
    assert!(store.entries("nowhere").await.is_empty());
}

#[tokio::test]
async fn a_handle_sees_nothing_of_an_open_transaction() {
    let store = MemoryStore::new();
    let claim = take(&store, &lane(), "one").await;
    let mut tx = store.begin(&claim, None).await.unwrap();
    tx.put("totals", "a", "1".into());
    let other = store.clone();
    let mut reading = std::pin::pin!(other.entries("totals"));
    let polled = futures::poll!(&mut reading);
    assert!(polled.is_pending(), "{polled:?}");
    drop(tx);
    assert!(reading.await.is_empty());
}
