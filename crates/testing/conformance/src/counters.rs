//! Counters: cumulative, in the commit that settles.

use projectionist_core::contract::OffsetStore;
use projectionist_core::{Commit, Counters};

use crate::OffsetStoreHarness;
use crate::steps::{lane, lane_named, row, steal, take};

fn counting(counters: Counters) -> Commit {
    Commit {
        counters,
        ..Commit::default()
    }
}

/// S-COUNT-1: each one for itself, over commits, handles and claims.
pub async fn counts_add_up<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    let primes = Counters::from_values([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]);
    store.commit(&claim, &counting(primes)).await.unwrap();
    assert_eq!(row(&second, &lane()).await.counters, primes);
    second.commit(&claim, &counting(primes)).await.unwrap();
    let claim = steal(&second, &claim, "two").await;
    let more = Counters::from_values([10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]);
    second.commit(&claim, &counting(more)).await.unwrap();
    second.release(&claim).await.unwrap();
    let sums = [14, 26, 40, 54, 72, 86, 104, 118, 136, 158, 172, 194];
    assert_eq!(row(&store, &lane()).await.counters.values(), sums);
}

/// S-COUNT-2.
pub async fn lanes_count_apart<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let lanes = [
        lane(),
        lane_named("orders", "other"),
        lane_named("other", "all"),
    ];
    let mut claims = Vec::new();
    for id in &lanes {
        claims.push(take(&store, id, "one").await);
    }
    for (claim, read) in claims.iter().zip([1, 10, 100]) {
        let counters = Counters {
            read,
            ..Counters::default()
        };
        store.commit(claim, &counting(counters)).await.unwrap();
        store.commit(claim, &counting(counters)).await.unwrap();
    }
    let listed = store.lanes().await.unwrap();
    let read: Vec<u64> = listed
        .iter()
        .map(|(_, state)| state.counters.read)
        .collect();
    assert_eq!(read, [2, 20, 200]);
}

/// S-COUNT-3: beyond what a 64-bit float tells apart.
pub async fn large_counts_are_exact<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let large = Counters {
        applied: (1 << 53) + 1,
        folded: (1 << 62) - 1,
        ..Counters::default()
    };
    store.commit(&claim, &counting(large)).await.unwrap();
    let one = Counters {
        applied: 1,
        folded: 1,
        ..Counters::default()
    };
    store.commit(&claim, &counting(one)).await.unwrap();
    let counters = row(&store, &lane()).await.counters;
    assert_eq!(
        (counters.applied, counters.folded),
        ((1 << 53) + 2, 1 << 62)
    );
}
