//! Resets: an offset that management sets, and how far the lane was before.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{Clock, Commit, Offset, Take};

use crate::OffsetStoreHarness;
use crate::steps::{
    TTL, lane, offset, refused_twice, reset, row, steal, step, take, take_with_state,
};

/// S-OFFSET-10: a row that was cleared is as one that never had an offset.
pub async fn a_reset_sets_or_clears_the_offset<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    store.commit(&claim, &step(None, "1")).await.unwrap();
    let set = reset(Some("1"), Some("0"));
    store.commit(&claim, &set).await.unwrap();
    assert_eq!(row(&second, &lane()).await.offset, Some(offset("0")));
    let clear = reset(Some("0"), None);
    store.commit(&claim, &clear).await.unwrap();
    assert_eq!(row(&second, &lane()).await.offset, None);
    second.commit(&claim, &reset(None, None)).await.unwrap();
    assert_eq!(row(&store, &lane()).await.offset, None);
    second.commit(&claim, &step(None, "1")).await.unwrap();
    let state = row(&store, &lane()).await;
    assert_eq!((state.offset, state.counters.read), (Some(offset("1")), 2));
}

/// S-OFFSET-2, S-OFFSET-3.
pub async fn a_refused_reset_changes_nothing<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    store.commit(&claim, &step(None, "9")).await.unwrap();
    store
        .commit(&claim, &reset(Some("9"), Some("5")))
        .await
        .unwrap();
    let before = row(&store, &lane()).await;
    harness.clock().advance(Duration::from_secs(1));
    let refused = Commit {
        replay_passed: true,
        ..reset(Some("5"), None)
    };
    refused_twice(&store, &claim, refused).await;
    let after = row(&store, &lane()).await;
    assert_eq!(after.offset, before.offset);
    assert_eq!(after.replay_until, before.replay_until);
    assert_eq!(after.updated_at, before.updated_at);
}

/// S-OFFSET-11: with its manifest; the first offset that was left counts, however often management
/// moves the lane before it has caught up.
pub async fn a_reset_keeps_how_far_the_lane_was<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    store.commit(&claim, &reset(None, Some("3"))).await.unwrap();
    assert_eq!(row(&second, &lane()).await.replay_until, None);

    let reached = Offset {
        manifest: "another.v1".into(),
        text: "it's \"9\"".to_owned(),
    };
    let reach = Commit {
        offset: Some(reached.clone()),
        ..step(Some("3"), "")
    };
    store.commit(&claim, &reach).await.unwrap();
    assert_eq!(row(&second, &lane()).await.replay_until, None);
    let back = Commit {
        expected: Some(reached.clone()),
        ..reset(None, Some("2"))
    };
    store.commit(&claim, &back).await.unwrap();
    assert_eq!(
        row(&second, &lane()).await.replay_until.as_ref(),
        Some(&reached)
    );

    store.commit(&claim, &step(Some("2"), "4")).await.unwrap();
    for (held, to) in [(Some("4"), None), (None, Some("7")), (Some("7"), None)] {
        store.commit(&claim, &reset(held, to)).await.unwrap();
        let state = row(&second, &lane()).await;
        assert_eq!(state.replay_until.as_ref(), Some(&reached), "{held:?}");
    }
    let (_, granted) = take_with_state(&second, &lane(), "two", Take::From(claim.epoch)).await;
    assert_eq!(granted.replay_until, Some(reached));
    assert_eq!(store.lanes().await.unwrap(), [(lane(), granted)]);
}

/// S-OFFSET-12: over commits, claims and releases; then a later reset begins anew.
pub async fn how_far_it_was_stays_until_it_is_passed<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let until = async || row(&store, &lane()).await.replay_until;
    let passing = |commit| Commit {
        replay_passed: true,
        ..commit
    };
    store.commit(&claim, &step(None, "5")).await.unwrap();
    store.commit(&claim, &reset(Some("5"), None)).await.unwrap();
    store.commit(&claim, &step(None, "1")).await.unwrap();
    store.renew(&claim, TTL).await.unwrap();
    let claim = steal(&store, &claim, "two").await;
    store.release(&claim).await.unwrap();
    let claim = take(&store, &lane(), "three").await;
    // A store does not order positions: only the commit says what is passed.
    store.commit(&claim, &step(Some("1"), "8")).await.unwrap();
    assert_eq!(until().await, Some(offset("5")));
    let passed = passing(step(Some("8"), "9"));
    store.commit(&claim, &passed).await.unwrap();
    assert_eq!(until().await, None);
    assert_eq!(row(&store, &lane()).await.offset, Some(offset("9")));
    let again = passing(step(Some("9"), "10"));
    store.commit(&claim, &again).await.unwrap();
    assert_eq!(until().await, None);

    let back = reset(Some("10"), Some("3"));
    store.commit(&claim, &back).await.unwrap();
    assert_eq!(until().await, Some(offset("10")));
    let alone = Commit {
        expected: Some(offset("3")),
        ..passing(Commit::default())
    };
    store.commit(&claim, &alone).await.unwrap();
    assert_eq!(until().await, None);
    assert_eq!(row(&store, &lane()).await.offset, Some(offset("3")));
    let both = passing(reset(Some("3"), None));
    store.commit(&claim, &both).await.unwrap();
    assert_eq!(until().await, None);
}

/// S-OFFSET-7: a reset is a move, also one that clears; passing the end of a replay is none.
pub async fn a_reset_tells_when_the_row_moved<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let mut moved = Vec::new();
    for (commit, moves) in [
        (step(None, "5"), true),
        (reset(Some("5"), None), true),
        (
            Commit {
                replay_passed: true,
                ..Commit::default()
            },
            false,
        ),
        (reset(None, Some("1")), true),
    ] {
        harness.clock().advance(Duration::from_secs(1));
        store.commit(&claim, &commit).await.unwrap();
        if moves {
            moved.push(harness.clock().now());
        }
        let updated_at = row(&store, &lane()).await.updated_at;
        assert_eq!(updated_at.as_ref(), moved.last(), "{commit:?}");
    }
}
