//! Offsets: how far a lane is, and who may move it.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{Clock, Commit, DeadLetterOrigin, Error, Offset};

use crate::OffsetStoreHarness;
use crate::steps::{TTL, all_letters, lane, lane_named, letter, offset, row, steal, step, take};

/// S-OFFSET-1.
pub async fn a_commit_is_seen_by_every_handle<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    store.commit(&claim, &step(None, "1")).await.unwrap();
    assert_eq!(row(&second, &lane()).await.offset, Some(offset("1")));
    second.commit(&claim, &step(Some("1"), "2")).await.unwrap();
    assert_eq!(row(&store, &lane()).await.offset, Some(offset("2")));
    // A store does not order positions: a lane is also set back by a commit.
    store.commit(&claim, &step(Some("2"), "1")).await.unwrap();
    assert_eq!(row(&second, &lane()).await.offset, Some(offset("1")));
}

/// S-OFFSET-2.
pub async fn a_superseded_claim_commits_nothing<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let old = take(&store, &lane(), "one").await;
    store.commit(&old, &step(None, "1")).await.unwrap();
    let new = steal(&second, &old, "two").await;
    let before = row(&store, &lane()).await;
    harness.clock().advance(Duration::from_secs(1));

    let refused = store.commit(&old, &step(Some("1"), "2")).await;
    let error = refused.unwrap_err();
    let Error::Fenced {
        lane: of,
        epoch,
        current,
    } = error
    else {
        panic!("not fenced: {error}");
    };
    assert_eq!((of, epoch, current), (lane(), old.epoch, new.epoch));
    assert_eq!(row(&second, &lane()).await, before);
    second.commit(&new, &step(Some("1"), "2")).await.unwrap();
}

/// S-OFFSET-2: fencing does not end when the claim that fenced is released.
pub async fn a_released_lane_still_fences_the_older_claim<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let old = take(&store, &lane(), "one").await;
    let new = steal(&second, &old, "two").await;
    second.release(&new).await.unwrap();
    let error = store.commit(&old, &step(None, "1")).await.unwrap_err();
    assert!(matches!(error, Error::Fenced { .. }), "{error}");
    assert_eq!(row(&second, &lane()).await.offset, None);
}

/// S-OFFSET-3: another text, another manifest, one where none is expected, none where one is.
pub async fn an_unexpected_offset_is_refused<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let foreign = Offset {
        manifest: "another.v1".into(),
        text: "1".to_owned(),
    };
    let refuse = async |expected: Option<Offset>, found: Option<&str>| {
        let before = row(&store, &lane()).await;
        let commit = Commit {
            expected: expected.clone(),
            ..step(None, "2")
        };
        let error = store.commit(&claim, &commit).await.unwrap_err();
        let Error::UnexpectedOffset {
            lane: of,
            expected: told,
            found: there,
        } = error
        else {
            panic!("expected {expected:?}: {error}");
        };
        assert_eq!(of, lane());
        assert_eq!(told, expected.map(|expected| expected.text));
        assert_eq!(there.as_deref(), found);
        assert_eq!(row(&store, &lane()).await, before);
    };
    refuse(Some(offset("1")), None).await;
    store.commit(&claim, &step(None, "1")).await.unwrap();
    harness.clock().advance(Duration::from_secs(1));
    refuse(None, Some("1")).await;
    refuse(Some(offset("01")), Some("1")).await;
    refuse(Some(offset("1 ")), Some("1")).await;
    refuse(Some(foreign), Some("1")).await;
}

/// S-OFFSET-4: all else of the commit is written.
pub async fn no_offset_leaves_the_offset<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    for expected in [None, Some("1")] {
        if expected.is_some() {
            store.commit(&claim, &step(None, "1")).await.unwrap();
        }
        let before = row(&store, &lane()).await;
        let at = expected.unwrap_or("none");
        let commit = Commit {
            offset: None,
            dead_letters: vec![letter(DeadLetterOrigin::Projection, at, "a")],
            ..step(expected, "2")
        };
        store.commit(&claim, &commit).await.unwrap();
        let after = row(&store, &lane()).await;
        assert_eq!(after.offset, before.offset);
        assert_eq!(after.counters.read, before.counters.read + 1);
    }
    assert_eq!(all_letters(&harness.letters(&store)).await.len(), 2);
}

/// S-OFFSET-5: by their bytes, name before key.
pub async fn lanes_are_listed_in_order<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    assert_eq!(second.lanes().await.unwrap(), []);
    let ordered = [
        ("A", "z"),
        ("a", "10"),
        ("a", "9"),
        ("a", "Ä"),
        ("a b", "1"),
        ("a-b", "1"),
        ("ab", "1"),
        ("\u{ffff}", "1"),
        ("\u{1f600}", "1"),
    ];
    for index in [4, 8, 0, 7, 2, 6, 1, 5, 3] {
        let (name, key) = ordered[index];
        let claim = take(&store, &lane_named(name, key), "one").await;
        store
            .commit(&claim, &step(None, &index.to_string()))
            .await
            .unwrap();
    }
    let listed = second.lanes().await.unwrap();
    let names: Vec<_> = listed.iter().map(|(id, _)| (id.name(), id.key())).collect();
    assert_eq!(names, ordered);
    for (index, (id, state)) in listed.iter().enumerate() {
        assert_eq!(state.offset, Some(offset(&index.to_string())));
        assert_eq!(*state, row(&store, id).await);
    }
}

/// S-OFFSET-6.
pub async fn names_and_offsets_read_back_as_written<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let long = "0123456789abcdef".repeat(4096);
    let texts = [
        "",
        " leading and trailing ",
        "it's \"quoted\" `so` [and so]",
        "'; DROP TABLE lanes; --",
        "?1 :name @p $1 %s {} \\0 \\",
        "line\nbreak\ttab\r",
        "日本語 é e\u{301} \u{1f468}\u{200d}\u{1f469} \u{202e}right to left",
        r#"{"shard":"0","after":18446744073709551615}"#,
        "NULL",
        "007",
        "1e5",
        &long,
    ];
    for (index, text) in texts.into_iter().enumerate() {
        let blank = text.trim().is_empty() || text.len() > 255;
        let part: String = if blank {
            index.to_string()
        } else {
            text.into()
        };
        let part: String = part.chars().filter(|c| !c.is_control()).collect();
        let id = lane_named(&part, &part);
        let claim = take(&store, &id, "one").await;
        let written = Offset {
            manifest: format!("ü'\"{index}").into(),
            text: text.to_owned(),
        };
        let commit = Commit {
            offset: Some(written.clone()),
            ..Commit::default()
        };
        store.commit(&claim, &commit).await.unwrap();
        assert_eq!(row(&second, &id).await.offset.as_ref(), Some(&written));
        let again = Commit {
            expected: Some(written),
            offset: Some(offset("next")),
            ..Commit::default()
        };
        second.commit(&claim, &again).await.unwrap();
        assert_eq!(row(&store, &id).await.offset, again.offset);
    }
    assert_eq!(store.lanes().await.unwrap().len(), texts.len());
}

/// S-OFFSET-7: claims, renewals and releases are no progress.
pub async fn a_row_tells_when_it_last_moved<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let second = Duration::from_secs(1);
    let claim = take(&store, &lane(), "one").await;
    assert_eq!(row(&store, &lane()).await.updated_at, None);
    harness.clock().advance(second);
    store.commit(&claim, &step(None, "1")).await.unwrap();
    let moved = harness.clock().now();
    assert_eq!(row(&store, &lane()).await.updated_at, Some(moved));
    harness.clock().advance(second);
    store.renew(&claim, TTL).await.unwrap();
    let claim = steal(&store, &claim, "two").await;
    store.release(&claim).await.unwrap();
    assert_eq!(row(&store, &lane()).await.updated_at, Some(moved));
    let counted = Commit {
        offset: None,
        ..step(Some("1"), "2")
    };
    store.commit(&claim, &counted).await.unwrap();
    let moved = harness.clock().now();
    assert_eq!(row(&store, &lane()).await.updated_at, Some(moved));
}

/// S-OFFSET-8: what fences is a later grant, not the time.
pub async fn an_expired_claim_that_nobody_took_still_commits<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    harness.clock().advance(10 * TTL);
    store.commit(&claim, &step(None, "1")).await.unwrap();
    assert_eq!(row(&store, &lane()).await.offset, Some(offset("1")));
}

/// S-OFFSET-9: the comparison and the write are one step.
pub async fn one_of_many_commits_on_the_same_offset_wins<H: OffsetStoreHarness>(harness: H) {
    const COMMITTERS: usize = 8;
    let claim = take(&harness.store(), &lane(), "one").await;
    let barrier = std::sync::Arc::new(tokio::sync::Barrier::new(COMMITTERS));
    let mut committers = Vec::new();
    for number in 0..COMMITTERS {
        let store = harness.second_handle().await;
        let (claim, barrier) = (claim.clone(), std::sync::Arc::clone(&barrier));
        committers.push(tokio::spawn(async move {
            barrier.wait().await;
            store.commit(&claim, &step(None, &number.to_string())).await
        }));
    }
    let mut winners = Vec::new();
    for (number, committer) in committers.into_iter().enumerate() {
        match committer.await.unwrap() {
            Ok(()) => winners.push(offset(&number.to_string())),
            Err(error) => assert!(matches!(error, Error::UnexpectedOffset { .. }), "{error}"),
        }
    }
    let state = row(&harness.store(), &lane()).await;
    assert_eq!(winners.len(), 1, "{winners:?}");
    assert_eq!((state.offset, state.counters.read), (winners.pop(), 1));
}
