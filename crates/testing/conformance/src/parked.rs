//! Parked envelopes: in order per key, in the commit that passes them.

use bytes::Bytes;
use projectionist_core::contract::{OffsetStore, ParkedStore};
use projectionist_core::{Commit, Offset, ParkedEnvelope, ProjectionId, Timestamp};

use crate::OffsetStoreHarness;
use crate::steps::{
    lane, lane_named, offset, parked_at, refused_twice, reset, row, steal, step, take, waiting,
};

/// A commit that parks and moves nothing.
fn parking(envelopes: &[ParkedEnvelope]) -> Commit {
    Commit {
        parked: envelopes.to_vec(),
        ..Commit::default()
    }
}

/// A commit that lets go and moves nothing.
fn letting_go(positions: &[&str]) -> Commit {
    Commit {
        unparked: positions.iter().copied().map(offset).collect(),
        ..Commit::default()
    }
}

/// The keys with the position of their first envelope and their count.
async fn keys<S: ParkedStore>(
    store: &S,
    lane: &ProjectionId,
    limit: usize,
) -> Vec<(String, String, u64)> {
    let keys = store.parked_keys(lane, limit).await.unwrap();
    let told = keys.into_iter().map(|key| {
        let ParkedEnvelope {
            key: name, offset, ..
        } = key.first;
        (name, offset.text, key.envelopes)
    });
    told.collect()
}

fn key(name: &str, first: &str, envelopes: u64) -> (String, String, u64) {
    (name.to_owned(), first.to_owned(), envelopes)
}

/// S-PARK-1: tried or not, texts and bytes of all kinds, for every handle.
pub async fn a_parked_envelope_reads_back_as_written<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    let hostile = "é 'quoted' \"so\"; DROP TABLE parked; -- \\ \n \u{1f600}";
    let moment = Timestamp::from_unix_millis;
    let envelopes = [
        ParkedEnvelope {
            key: hostile.to_owned(),
            offset: Offset {
                manifest: "m'1".into(),
                text: hostile.to_owned(),
            },
            event: Bytes::from_iter(0..=u8::MAX),
            attempts: u32::MAX,
            error: Some(hostile.to_owned()),
            parked_at: moment(1_719_331_200_123),
            tried_at: Some(moment(-1)),
            replay: true,
        },
        ParkedEnvelope {
            event: Bytes::new(),
            error: Some(String::new()),
            ..waiting(hostile, "2")
        },
        waiting("", "3"),
    ];
    store.commit(&claim, &parking(&envelopes)).await.unwrap();
    let kept = second.parked(&lane(), hostile, 9).await.unwrap();
    assert_eq!(kept, envelopes[..2]);
    assert_eq!(second.parked(&lane(), "", 9).await.unwrap(), envelopes[2..]);
    let keys = second.parked_keys(&lane(), 9).await.unwrap();
    let first: Vec<_> = keys.into_iter().map(|key| key.first).collect();
    assert_eq!(first, [envelopes[0].clone(), envelopes[2].clone()]);
}

/// S-PARK-2: whatever the positions and keys are; limits take the first ones.
pub async fn envelopes_and_keys_come_in_the_order_of_parking<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    for envelopes in [
        vec![waiting("b", "9"), waiting("a", "10"), waiting("b", "3")],
        vec![waiting("c", "1"), waiting("a", "2")],
        vec![waiting("b", "7")],
    ] {
        store.commit(&claim, &parking(&envelopes)).await.unwrap();
    }
    for (name, positions) in [
        ("a", vec!["10", "2"]),
        ("b", vec!["9", "3", "7"]),
        ("c", vec!["1"]),
        ("B", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(parked_at(&second, &lane(), name).await, positions, "{name}");
        for limit in 0..=positions.len() {
            let first = second.parked(&lane(), name, limit).await.unwrap();
            let first: Vec<_> = first.iter().map(|kept| &kept.offset.text).collect();
            assert_eq!(first, positions[..limit], "{name}");
        }
    }
    let all = [key("b", "9", 3), key("a", "10", 2), key("c", "1", 1)];
    for limit in 0..=4 {
        let told = keys(&second, &lane(), limit).await;
        assert_eq!(told, all[..limit.min(3)]);
    }
}

/// S-PARK-3: within one commit and in a later one. Another format of a position is another offset.
pub async fn parking_again_keeps_the_place<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let envelopes = [waiting("a", "1"), waiting("b", "2"), waiting("a", "3")];
    store.commit(&claim, &parking(&envelopes)).await.unwrap();
    let tried = |attempts| ParkedEnvelope {
        event: Bytes::from_static(b"again"),
        attempts,
        error: Some(format!("attempt {attempts} failed")),
        parked_at: Timestamp::from_unix_millis(7),
        tried_at: Some(Timestamp::from_unix_millis(8)),
        replay: true,
        ..waiting("a", "1")
    };
    let mut foreign = waiting("a", "1");
    foreign.offset.manifest = "another.v1".into();
    let again = [tried(1), foreign.clone(), tried(2)];
    store.commit(&claim, &parking(&again)).await.unwrap();
    let kept = store.parked(&lane(), "a", 9).await.unwrap();
    assert_eq!(kept, [tried(2), waiting("a", "3"), foreign]);
    let told = keys(&store, &lane(), 9).await;
    assert_eq!(told, [key("a", "1", 3), key("b", "2", 1)]);

    // The rest of it is replaced, the key as well.
    store
        .commit(&claim, &parking(&[waiting("b", "1")]))
        .await
        .unwrap();
    assert_eq!(parked_at(&store, &lane(), "a").await, ["3", "1"]);
    assert_eq!(parked_at(&store, &lane(), "b").await, ["1", "2"]);
    let told = keys(&store, &lane(), 9).await;
    assert_eq!(told, [key("b", "1", 2), key("a", "3", 2)]);
}

/// S-PARK-4: one that is not parked is no error. A commit parks first and lets go then.
pub async fn what_is_unparked_is_gone<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    let envelopes = ["1", "2", "3"].map(|at| waiting("a", at));
    store.commit(&claim, &parking(&envelopes)).await.unwrap();
    let mut foreign = letting_go(&["1"]);
    foreign.unparked[0].manifest = "another.v1".into();
    store.commit(&claim, &foreign).await.unwrap();
    store
        .commit(&claim, &letting_go(&["2", "4"]))
        .await
        .unwrap();
    assert_eq!(parked_at(&second, &lane(), "a").await, ["1", "3"]);
    assert_eq!(keys(&second, &lane(), 9).await, [key("a", "1", 2)]);

    let both = Commit {
        parked: vec![waiting("a", "5"), waiting("a", "2")],
        ..letting_go(&["1", "5"])
    };
    store.commit(&claim, &both).await.unwrap();
    // What is parked after it was let go comes last.
    assert_eq!(parked_at(&second, &lane(), "a").await, ["3", "2"]);
    store
        .commit(&claim, &letting_go(&["3", "2"]))
        .await
        .unwrap();
    assert_eq!(second.parked_keys(&lane(), 9).await.unwrap(), []);
    store
        .commit(&claim, &parking(&[waiting("b", "9")]))
        .await
        .unwrap();
    assert_eq!(keys(&second, &lane(), 9).await, [key("b", "9", 1)]);
}

/// S-PARK-5: also at the same offset and of the same key.
pub async fn lanes_park_apart<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let lanes = [
        ("a", "b-c"),
        ("a-b", "c"),
        ("a", "c"),
        ("b", "c"),
        ("A", "c"),
    ];
    let lanes = lanes.map(|(name, key)| lane_named(name, key));
    let mut claims = Vec::new();
    for (index, id) in lanes.iter().enumerate() {
        let claim = take(&store, id, "one").await;
        let envelope = ParkedEnvelope {
            error: Some(index.to_string()),
            ..waiting("same", "1")
        };
        store.commit(&claim, &parking(&[envelope])).await.unwrap();
        claims.push(claim);
    }
    store.commit(&claims[2], &letting_go(&["1"])).await.unwrap();
    for (index, id) in lanes.iter().enumerate() {
        let kept = store.parked(id, "same", 9).await.unwrap();
        let errors: Vec<_> = kept.into_iter().map(|kept| kept.error).collect();
        let expected = (index != 2).then(|| Some(index.to_string()));
        assert_eq!(errors, Vec::from_iter(expected), "{id}");
    }
    assert_eq!(store.parked_keys(&lane(), 9).await.unwrap(), []);
}

/// S-PARK-6: neither other commits, resets, releases nor claims.
pub async fn nothing_but_a_commit_moves_parked_envelopes<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    let park = Commit {
        parked: vec![waiting("a", "1")],
        ..step(None, "1")
    };
    store.commit(&claim, &park).await.unwrap();
    assert_eq!(row(&second, &lane()).await.offset, Some(offset("1")));
    store.commit(&claim, &step(Some("1"), "2")).await.unwrap();
    store.commit(&claim, &reset(Some("2"), None)).await.unwrap();
    let claim = steal(&second, &claim, "two").await;
    second.release(&claim).await.unwrap();
    let claim = take(&second, &lane(), "three").await;
    assert_eq!(parked_at(&store, &lane(), "a").await, ["1"]);
    let release = Commit {
        unparked: vec![offset("1")],
        ..step(None, "2")
    };
    second.commit(&claim, &release).await.unwrap();
    assert_eq!(parked_at(&store, &lane(), "a").await, [""; 0]);
    assert_eq!(row(&store, &lane()).await.offset, Some(offset("2")));
}

/// S-OFFSET-2, S-OFFSET-3: nor lets it anything go.
pub async fn a_refused_commit_parks_nothing<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    store
        .commit(&claim, &parking(&[waiting("a", "1")]))
        .await
        .unwrap();
    let refused = Commit {
        parked: vec![waiting("a", "2"), waiting("b", "1")],
        ..letting_go(&["1"])
    };
    refused_twice(&store, &claim, refused).await;
    let kept = store.parked_keys(&lane(), 9).await.unwrap();
    assert_eq!((kept.len(), kept[0].envelopes), (1, 1));
    assert_eq!(kept[0].first, waiting("a", "1"));
}
