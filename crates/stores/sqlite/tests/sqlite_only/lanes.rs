//! The row of a lane as SQLite keeps it.

use projectionist_conformance::steps::{keeping, lane, letter, offset, row, step};
use projectionist_core::contract::{ManagementStore, OffsetStore};
use projectionist_core::{Commit, Counters, DeadLetterOrigin, Error, ManagementCommand};

use crate::Fixture;

#[tokio::test]
async fn a_count_stays_at_the_largest_integer() {
    let fixture = Fixture::new().await;
    for (malformed, expected) in [(7, 7), (u64::MAX, i64::MAX), (1, i64::MAX)] {
        let commit = Commit {
            counters: Counters {
                malformed,
                ..Counters::default()
            },
            ..Commit::default()
        };
        fixture.store.commit(&fixture.claim, &commit).await.unwrap();
        let counted = row(&fixture.store, &lane()).await.counters.malformed;
        assert_eq!(i64::try_from(counted).unwrap(), expected);
    }
}

#[tokio::test]
async fn a_letter_alone_moves_nothing() {
    let fixture = Fixture::new().await;
    let (store, claim) = (&fixture.store, &fixture.claim);
    store.commit(claim, &step(None, "1")).await.unwrap();
    let before = row(store, &lane()).await;
    assert!(before.updated_at.is_some());
    let commit = Commit {
        expected: Some(offset("1")),
        ..keeping(&[letter(DeadLetterOrigin::Projection, "0", "text")])
    };
    store.commit(claim, &commit).await.unwrap();
    assert_eq!(row(store, &lane()).await, before);
}

#[tokio::test]
async fn a_row_that_someone_damaged_is_told() {
    let fixture = Fixture::new().await;
    let client = fixture.client();
    let damages = [
        "epoch = -1",
        "owner_process = 'one two three'",
        "applied = -1",
        "ahead = 'conformance.v1 7'",
    ];
    for damage in damages {
        client
            .execute_batch(&format!(
                "CREATE TEMP TABLE kept AS SELECT * FROM projectionist_lanes;
                 UPDATE projectionist_lanes SET {damage}"
            ))
            .unwrap();
        let error = fixture.store.lane(&lane()).await.unwrap_err();
        assert!(
            matches!(error, Error::Damaged { .. }),
            "{damage}: {error:?}"
        );
        client
            .execute_batch(
                "DELETE FROM projectionist_lanes;
                 INSERT INTO projectionist_lanes SELECT * FROM kept;
                 DROP TABLE kept",
            )
            .unwrap();
    }
    fixture.store.lane(&lane()).await.unwrap();
}

#[tokio::test]
async fn a_request_that_someone_damaged_is_told() {
    let fixture = Fixture::new().await;
    let retry = ManagementCommand::RetryParked { key: None };
    let store = &fixture.store;
    store.request(&lane(), &retry).await.unwrap();
    fixture
        .client()
        .execute_batch("UPDATE projectionist_requests SET command = 'drop everything'")
        .unwrap();
    let error = store.management(&lane()).await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
}
