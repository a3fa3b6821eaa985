//! Durability: what is there after the store was closed and opened again.

use projectionist_core::contract::{
    GuardEntry, GuardScope, ManagementStore, OffsetStore, SequenceGuard, TransactionalOffsetStore,
};
use projectionist_core::row::{Cell, ColumnType};
use projectionist_core::{DeadLetterOrigin, Error};

use crate::StoreHarness;
use crate::session::Session;
use crate::steps::{all_letters, keeping, lane, letter, offset, row, steal, step};
use crate::tables::{cells, column, id_and, of_owner, of_tenant, upserts};

/// S-DURABLE-1.
pub async fn everything_committed_is_there_after_opening_again<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (store, claim) = (&session.store, &session.claim);
    let table = id_and(column("value", ColumnType::Text));
    session.create(&table).await.unwrap();
    let kept = [Cell::Int(1), Cell::Text("kept")];
    session.apply(&table, &upserts(&[&kept])).await.unwrap();
    let scope = GuardScope {
        projection: "orders",
        tenant: "acme",
        fork: "",
    };
    let mut tx = session.begin().await;
    let entry = GuardEntry {
        entity: "a",
        sequence: 9,
    };
    store.record(&mut tx, scope, &[entry]).await.unwrap();
    session.commit(tx).await;
    let letters = [letter(DeadLetterOrigin::Projection, "1", "a")];
    store.commit(claim, &keeping(&letters)).await.unwrap();
    store.commit(claim, &step(None, "1")).await.unwrap();
    store.set_paused("orders", None, true).await.unwrap();
    let flag = store.pause_flag("orders", None).await.unwrap();
    let before = (row(store, &lane()).await, all_letters(store).await, flag);

    let claim = claim.clone();
    let Session { harness, store, .. } = session;
    drop(store);
    let harness = harness.reopen().await.unwrap();
    let store = harness.store();
    let flag = store.pause_flag("orders", None).await.unwrap();
    let after = (row(&store, &lane()).await, all_letters(&store).await, flag);
    assert_eq!(after, before);
    // The claim outlives the handle under which it was granted.
    let mut tx = store.begin(&claim, Some(&offset("1"))).await.unwrap();
    let mut last = Vec::new();
    store
        .last_applied(&mut tx, scope, &["a"], &mut last)
        .await
        .unwrap();
    store.rollback(tx).await.unwrap();
    assert_eq!(last, [Some(9)]);
    assert_eq!(harness.rows(&table).await, Some(vec![cells(&kept)]));
}

/// S-DURABLE-2.
pub async fn fencing_outlives_the_store<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let first = steal(&session.store, &session.claim, "two").await;
    let Session {
        harness,
        store,
        claim: old,
    } = session;
    drop(store);
    let harness = harness.reopen().await.unwrap();
    let store = harness.store();
    let error = store.commit(&old, &step(None, "1")).await.unwrap_err();
    assert!(matches!(error, Error::Fenced { .. }), "{error}");
    let next = steal(&store, &first, "three").await;
    assert!(next.epoch > first.epoch, "{next:?} after {first:?}");
}

/// S-ROW-21, S-DURABLE-1.
pub async fn owners_of_tables_outlive_the_store<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let plain = id_and(column("value", ColumnType::Text));
    let tables = [plain.clone(), of_tenant(&plain, "acme")];
    for table in &tables {
        session.create(table).await.unwrap();
    }
    let Session {
        harness,
        store,
        claim,
    } = session;
    drop(store);
    let harness = harness.reopen().await.unwrap();
    let store = harness.store();
    let session = Session {
        harness,
        store,
        claim,
    };
    for table in &tables {
        let other = of_owner(table, "income");
        let error = session.create(&other).await.unwrap_err();
        assert!(matches!(error, Error::Schema { .. }), "{error}");
        session.create(table).await.unwrap();
    }
}
