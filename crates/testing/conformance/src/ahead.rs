//! What is settled ahead of the offset: replaced, left and forgotten.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{Ahead, Commit, Take};

use crate::OffsetStoreHarness;
use crate::steps::{
    lane, lane_named, offset, ranges, refused_twice, reset, row, step, take, take_with_state,
};

fn with_ahead(commit: Commit, ahead: Ahead) -> Commit {
    Commit {
        ahead: Some(ahead),
        ..commit
    }
}

/// S-AHEAD-1: for every handle, in the row, the list and the grant; another lane has its own.
pub async fn what_is_ahead_reads_back_as_written<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let long = "9".repeat(10_000);
    let mut written = ranges(&[
        ("7", "9"),
        ("12", "12"),
        ("", " "),
        ("100 %", "%20 %25"),
        ("it's \"so\"; --\n\t", "\u{1f600} e\u{301}"),
        (r#"{"shard":"0"}"#, &long),
    ]);
    written.manifest = "ü '%20".into();
    let other = lane_named("orders", "other");
    let others = take(&store, &other, "one").await;
    let commit = with_ahead(step(None, "1"), ranges(&[("3", "4")]));
    store.commit(&others, &commit).await.unwrap();

    let claim = take(&store, &lane(), "one").await;
    assert!(row(&store, &lane()).await.ahead.is_empty());
    let commit = with_ahead(Commit::default(), written.clone());
    store.commit(&claim, &commit).await.unwrap();
    let state = row(&second, &lane()).await;
    assert_eq!((&state.ahead, &state.offset), (&written, &None));
    assert_eq!(row(&second, &other).await.ahead, ranges(&[("3", "4")]));
    let (_, granted) = take_with_state(&second, &lane(), "two", Take::From(claim.epoch)).await;
    assert_eq!(granted.ahead, written);
    assert_eq!(store.lanes().await.unwrap()[0].1, granted);
}

/// S-AHEAD-2.
pub async fn what_is_ahead_is_replaced_or_left<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    let first = ranges(&[("3", "4"), ("6", "6")]);
    let commit = with_ahead(step(None, "1"), first.clone());
    store.commit(&claim, &commit).await.unwrap();
    store.commit(&claim, &step(Some("1"), "2")).await.unwrap();
    let state = row(&second, &lane()).await;
    assert_eq!((state.ahead, state.offset), (first, Some(offset("2"))));

    let second_list = ranges(&[("8", "9")]);
    let commit = with_ahead(step(Some("2"), "6"), second_list.clone());
    store.commit(&claim, &commit).await.unwrap();
    assert_eq!(row(&second, &lane()).await.ahead, second_list);
    let commit = with_ahead(step(Some("6"), "9"), ranges(&[]));
    store.commit(&claim, &commit).await.unwrap();
    let state = row(&second, &lane()).await;
    assert!(state.ahead.is_empty(), "{state:?}");
    assert_eq!(state.offset, Some(offset("9")));
}

/// S-AHEAD-3: set or cleared, and whatever was ahead; what the same commit names is kept.
pub async fn a_reset_forgets_what_is_ahead<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let old = || ranges(&[("8", "9")]);
    for (held, to) in [(None, Some("1")), (Some("1"), None)] {
        let at = Commit {
            expected: held.map(offset),
            ..Commit::default()
        };
        let commit = with_ahead(at, old());
        store.commit(&claim, &commit).await.unwrap();
        store.commit(&claim, &reset(held, to)).await.unwrap();
        let state = row(&store, &lane()).await;
        assert!(state.ahead.is_empty(), "{state:?}");
    }
    let commit = with_ahead(step(None, "5"), old());
    store.commit(&claim, &commit).await.unwrap();
    let new = ranges(&[("3", "3")]);
    let commit = with_ahead(reset(Some("5"), Some("2")), new.clone());
    store.commit(&claim, &commit).await.unwrap();
    assert_eq!(row(&store, &lane()).await.ahead, new);
}

/// S-OFFSET-2, S-OFFSET-3.
pub async fn a_refused_commit_leaves_what_is_ahead<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let kept = ranges(&[("3", "4")]);
    let commit = with_ahead(step(None, "1"), kept.clone());
    store.commit(&claim, &commit).await.unwrap();
    let refused = with_ahead(step(Some("1"), "2"), ranges(&[("7", "8")]));
    let claim = refused_twice(&store, &claim, refused).await;
    refused_twice(&store, &claim, reset(Some("1"), None)).await;
    assert_eq!(row(&store, &lane()).await.ahead, kept);
}

/// S-AHEAD-4: whatever the store says, it writes all else.
pub async fn what_is_ahead_is_kept_or_the_store_says_not<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    harness.clock().advance(Duration::from_secs(1));
    let ahead = ranges(&[("3", "4")]);
    let commit = with_ahead(step(None, "1"), ahead.clone());
    store.commit(&claim, &commit).await.unwrap();
    let state = row(&store, &lane()).await;
    let kept = store.capabilities().ahead;
    assert_eq!(state.ahead == ahead, kept, "{state:?}");
    assert_eq!(state.ahead.is_empty(), !kept, "{state:?}");
    assert_eq!((state.offset, state.counters.read), (Some(offset("1")), 1));
}
