//! A row that this connection wrote last is not read again, and yet every change of it is seen.

use std::sync::Arc;

use projectionist_conformance::steps::{self, lane, offset, step};
use projectionist_core::contract::{OffsetStore, TransactionalOffsetStore};
use projectionist_core::{Commit, Error, Offset, SystemClock, Take};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use crate::Fixture;

/// Moves the lane in a transaction that is lent.
async fn moves(fixture: &Fixture, commit: &Commit) {
    let (store, claim) = (&fixture.store, &fixture.claim);
    let tx = store.begin(claim, commit.expected.as_ref()).await.unwrap();
    store.commit_in(tx, claim, commit).await.unwrap();
}

/// A lane that has come to 2 in transactions of this connection.
async fn known() -> Fixture {
    let fixture = Fixture::new().await;
    moves(&fixture, &step(None, "1")).await;
    moves(&fixture, &step(Some("1"), "2")).await;
    fixture
}

async fn begins(fixture: &Fixture, expected: Option<Offset>) -> Result<(), Error> {
    let begun = fixture.store.begin(&fixture.claim, expected.as_ref()).await;
    begun.map(drop)
}

/// The offset that the row holds, as a refused transaction tells it.
async fn found(fixture: &Fixture, expected: &str) -> Option<String> {
    let refused = begins(fixture, Some(offset(expected))).await.unwrap_err();
    assert!(
        matches!(refused, Error::UnexpectedOffset { .. }),
        "{refused:?}"
    );
    match refused {
        Error::UnexpectedOffset { found, .. } => found,
        _ => None,
    }
}

#[tokio::test]
async fn only_what_was_written_last_is_expected() {
    let fixture = known().await;
    assert_eq!(found(&fixture, "1").await.as_deref(), Some("2"));
    begins(&fixture, Some(offset("2"))).await.unwrap();
}

#[tokio::test]
async fn what_was_rolled_back_is_not_known() {
    let fixture = known().await;
    let tx = fixture
        .store
        .begin(&fixture.claim, Some(&offset("2")))
        .await;
    drop(tx.unwrap());
    let tx = fixture
        .store
        .begin(&fixture.claim, Some(&offset("2")))
        .await;
    let wrong = step(Some("7"), "8");
    let refused = fixture.store.commit_in(tx.unwrap(), &fixture.claim, &wrong);
    refused.await.unwrap_err();
    assert_eq!(found(&fixture, "8").await.as_deref(), Some("2"));
    begins(&fixture, Some(offset("2"))).await.unwrap();
}

#[tokio::test]
async fn a_commit_without_a_transaction_is_seen() {
    let fixture = known().await;
    let further = step(Some("2"), "3");
    fixture
        .store
        .commit(&fixture.claim, &further)
        .await
        .unwrap();
    assert_eq!(found(&fixture, "2").await.as_deref(), Some("3"));
    begins(&fixture, Some(offset("3"))).await.unwrap();
}

#[tokio::test]
async fn a_reset_in_a_transaction_is_seen() {
    let fixture = known().await;
    let cleared = Commit {
        expected: Some(offset("2")),
        reset: true,
        ..Commit::default()
    };
    moves(&fixture, &cleared).await;
    assert_eq!(found(&fixture, "2").await, None);
    begins(&fixture, None).await.unwrap();
}

#[tokio::test]
async fn a_later_claim_is_seen_whoever_it_is_granted_to() {
    for is_apart in [false, true] {
        let fixture = known().await;
        let clock = Arc::new(SystemClock);
        let apart = SqliteStore::open_apart(fixture.path(), SqliteOptions::default(), clock);
        let apart = apart.unwrap();
        let other = if is_apart { &apart } else { &fixture.store };
        let take = Take::From(fixture.claim.epoch);
        steps::take_with_state(other, &lane(), "two", take).await;
        let refused = begins(&fixture, Some(offset("2"))).await.unwrap_err();
        assert!(matches!(refused, Error::Fenced { .. }), "{refused:?}");
    }
}

#[tokio::test]
async fn what_another_program_writes_is_seen() {
    let fixture = known().await;
    let sql = r#"UPDATE projectionist_lanes SET "offset" = '5'"#;
    fixture.client().execute_batch(sql).unwrap();
    assert_eq!(found(&fixture, "2").await.as_deref(), Some("5"));
    begins(&fixture, Some(offset("5"))).await.unwrap();
}
