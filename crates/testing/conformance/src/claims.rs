//! Claims: who may move a lane.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Clock, Epoch, Error, Holder, Owner, ProcessIdentity, Take,
};

use crate::OffsetStoreHarness;
use crate::steps::{TTL, ask, lane, lane_named, owner, row, steal, step, take, take_with_state};

const MILLISECOND: Duration = Duration::from_millis(1);

/// S-CLAIM-1: after a release, an expiry and a take-over alike.
pub async fn epochs_strictly_increase<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let mut epochs = vec![take(&store, &lane(), "one").await];
    store.release(&epochs[0]).await.unwrap();
    epochs.push(take(&second, &lane(), "two").await);
    harness.clock().advance(TTL);
    epochs.push(take(&store, &lane(), "one").await);
    epochs.push(steal(&second, &epochs[2], "two").await);
    let increasing = epochs.windows(2).all(|pair| pair[0].epoch < pair[1].epoch);
    assert!(increasing, "{epochs:?}");
    assert_eq!(row(&store, &lane()).await.epoch, epochs[3].epoch);
}

/// S-CLAIM-2.
pub async fn a_grant_tells_the_claim_and_the_row<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    assert_eq!(store.lane(&lane()).await.unwrap(), None);
    let (claim, state) = take_with_state(&store, &lane(), "one", Take::Free).await;
    let asked = (claim.lane.clone(), claim.owner.clone());
    assert_eq!(asked, (lane(), owner("one")));
    assert_eq!((state.offset.as_ref(), state.updated_at), (None, None));
    assert!(state.counters.is_zero(), "{state:?}");
    assert_eq!(state.epoch, claim.epoch);
    let holder = Holder {
        owner: owner("one"),
        expires_at: harness.clock().now().plus(TTL),
    };
    assert_eq!(state.holder.as_ref(), Some(&holder));
    assert_eq!(row(&store, &lane()).await, state);

    store.commit(&claim, &step(None, "7")).await.unwrap();
    let second = harness.second_handle().await;
    let (later, granted) = take_with_state(&second, &lane(), "two", Take::From(claim.epoch)).await;
    assert_eq!(granted.offset, step(None, "7").offset);
    assert_eq!(granted.counters, step(None, "7").counters);
    assert_eq!(granted.epoch, later.epoch);
    assert_eq!(row(&store, &lane()).await, granted);
}

/// S-CLAIM-3: another owner, and the same one too.
pub async fn a_held_lane_tells_its_holder<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    let before = row(&store, &lane()).await;
    let holder = Holder {
        owner: owner("one"),
        expires_at: harness.clock().now().plus(TTL),
    };
    harness.clock().advance(TTL / 2);
    for (handle, who) in [(&second, "two"), (&store, "two"), (&store, "one")] {
        let outcome = ask(handle, &lane(), who, Take::Free).await;
        let held = ClaimOutcome::Held {
            holder: holder.clone(),
            epoch: claim.epoch,
        };
        assert_eq!(outcome, held, "{who}");
    }
    assert_eq!(row(&second, &lane()).await, before);
}

/// S-CLAIM-4.
pub async fn a_claim_expires_at_its_time<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    take(&store, &lane(), "one").await;
    harness.clock().advance(TTL - MILLISECOND);
    let early = ask(&second, &lane(), "two", Take::Free).await;
    assert!(matches!(early, ClaimOutcome::Held { .. }), "{early:?}");
    harness.clock().advance(MILLISECOND);
    take(&second, &lane(), "two").await;
}

/// S-CLAIM-5.
pub async fn a_live_holder_is_superseded_from_its_epoch<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let first = take(&store, &lane(), "one").await;
    let later = steal(&second, &first, "two").await;
    assert_eq!(
        row(&store, &lane()).await.holder.unwrap().owner,
        owner("two")
    );

    let late = ask(&store, &lane(), "three", Take::From(first.epoch)).await;
    let ClaimOutcome::Held { holder, epoch } = late else {
        panic!("granted from an epoch that has passed: {late:?}");
    };
    assert_eq!((holder.owner, epoch), (owner("two"), later.epoch));
    let early = ask(
        &store,
        &lane(),
        "three",
        Take::From(Epoch(later.epoch.0 + 1)),
    )
    .await;
    assert!(matches!(early, ClaimOutcome::Held { .. }), "{early:?}");
}

/// S-CLAIM-6.
pub async fn a_free_lane_is_granted_from_any_epoch<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let first = take_with_state(&store, &lane(), "one", Take::From(Epoch(99)))
        .await
        .0;
    store.release(&first).await.unwrap();
    take_with_state(&second, &lane(), "two", Take::From(Epoch(99))).await;
    harness.clock().advance(TTL);
    take_with_state(&store, &lane(), "one", Take::From(first.epoch)).await;
}

/// S-CLAIM-7.
pub async fn a_release_frees_at_once_and_keeps_the_rest<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    store.commit(&claim, &step(None, "7")).await.unwrap();
    let before = row(&store, &lane()).await;
    store.release(&claim).await.unwrap();
    let mut released = before.clone();
    released.holder = None;
    assert_eq!(row(&second, &lane()).await, released);
    let (_, granted) = take_with_state(&second, &lane(), "two", Take::Free).await;
    assert_eq!(
        (granted.offset, granted.counters),
        (before.offset, before.counters)
    );
}

/// S-CLAIM-8: also of a lane that was never claimed.
pub async fn a_superseded_claim_releases_nothing<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let old = take(&store, &lane(), "one").await;
    steal(&second, &old, "two").await;
    let before = row(&store, &lane()).await;
    store.release(&old).await.unwrap();
    assert_eq!(row(&second, &lane()).await, before);

    let stranger = Claim {
        lane: lane_named("orders", "nobody's"),
        ..old
    };
    store.release(&stranger).await.unwrap();
    assert_eq!(store.lane(&stranger.lane).await.unwrap(), None);
}

/// S-CLAIM-9: counted from the renewal, by the time that it names.
pub async fn a_renewed_claim_holds_on<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    harness.clock().advance(TTL - MILLISECOND);
    store.renew(&claim, 2 * TTL).await.unwrap();
    let expires_at = harness.clock().now().plus(2 * TTL);
    let state = row(&second, &lane()).await;
    let holder = Holder {
        owner: owner("one"),
        expires_at,
    };
    assert_eq!((state.holder, state.epoch), (Some(holder), claim.epoch));
    harness.clock().advance(2 * TTL - MILLISECOND);
    let held = ask(&second, &lane(), "two", Take::Free).await;
    assert!(matches!(held, ClaimOutcome::Held { .. }), "{held:?}");
    harness.clock().advance(MILLISECOND);
    take(&second, &lane(), "two").await;
}

/// S-CLAIM-9: an expired claim that nobody took is still the lane's last one.
pub async fn an_expired_claim_that_nobody_took_is_renewed<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    harness.clock().advance(3 * TTL);
    store.renew(&claim, TTL).await.unwrap();
    let held = ask(&second, &lane(), "two", Take::Free).await;
    assert!(matches!(held, ClaimOutcome::Held { .. }), "{held:?}");
}

/// S-CLAIM-9: and so is one that was released.
pub async fn a_released_claim_that_nobody_took_is_renewed<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    store.release(&claim).await.unwrap();
    store.renew(&claim, TTL).await.unwrap();
    let held = ask(&second, &lane(), "two", Take::Free).await;
    let ClaimOutcome::Held { holder, epoch } = held else {
        panic!("a renewed claim does not hold: {held:?}");
    };
    assert_eq!((holder.owner, epoch), (owner("one"), claim.epoch));
}

/// S-CLAIM-10.
pub async fn a_superseded_claim_is_not_renewed<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let old = take(&store, &lane(), "one").await;
    let new = steal(&second, &old, "two").await;
    let before = row(&store, &lane()).await;
    let error = store.renew(&old, 9 * TTL).await.unwrap_err();
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
}

/// S-CLAIM-11.
pub async fn one_of_many_claimers_wins<H: OffsetStoreHarness>(harness: H) {
    const CLAIMERS: usize = 8;
    let barrier = std::sync::Arc::new(tokio::sync::Barrier::new(CLAIMERS));
    let mut claimers = Vec::new();
    for number in 0..CLAIMERS {
        let store = harness.second_handle().await;
        let barrier = std::sync::Arc::clone(&barrier);
        claimers.push(tokio::spawn(async move {
            barrier.wait().await;
            ask(&store, &lane(), &format!("claimer {number}"), Take::Free).await
        }));
    }
    let (mut granted, mut holders) = (Vec::new(), Vec::new());
    for claimer in claimers {
        match claimer.await.unwrap() {
            ClaimOutcome::Granted { claim, .. } => granted.push((claim.owner, claim.epoch)),
            ClaimOutcome::Held { holder, epoch } => holders.push((holder.owner, epoch)),
        }
    }
    assert_eq!(granted.len(), 1, "{granted:?}");
    assert_eq!(holders, vec![granted[0].clone(); CLAIMERS - 1]);
}

/// S-CLAIM-12: the pair of name and key is compared as a pair.
pub async fn lanes_are_claimed_apart<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let pairs = [
        ("a", "b-c"),
        ("a-b", "c"),
        ("a", "b-C"),
        ("A", "b-c"),
        ("a", "b-c "),
    ];
    let mut claims = Vec::new();
    for (name, key) in pairs {
        claims.push(take(&store, &lane_named(name, key), name).await);
    }
    store.commit(&claims[0], &step(None, "7")).await.unwrap();
    store.release(&claims[0]).await.unwrap();
    for claim in &claims[1..] {
        let state = row(&store, &claim.lane).await;
        assert_eq!((state.offset, state.epoch), (None, claim.epoch));
        assert_eq!(state.holder.unwrap().owner, claim.owner);
    }
}

/// S-CLAIM-13.
pub async fn an_owner_is_kept_with_its_process<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let owner = Owner {
        instance: "8f14e45f-ceea-467f".to_owned(),
        process: Some(ProcessIdentity {
            boot_id: "0c9f7a1e-45d2".to_owned(),
            pid_namespace: "4026531836".to_owned(),
            pid: u32::MAX,
            start_ticks: u64::MAX,
        }),
    };
    let request = ClaimRequest {
        lane: lane(),
        owner: owner.clone(),
        ttl: TTL,
        take: Take::Free,
    };
    store.claim(&request).await.unwrap();
    assert_eq!(row(&second, &lane()).await.holder.unwrap().owner, owner);
}
