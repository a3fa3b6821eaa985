//! Durability: what is there of read models after the store was closed and opened again.

use projectionist_core::Error;
use projectionist_core::contract::{
    GuardEntry, GuardScope, OffsetStore, SequenceGuard, TransactionalOffsetStore,
};
use projectionist_core::row::{Cell, ColumnType};

use crate::StoreHarness;
use crate::session::Session;
use crate::steps::{offset, step};
use crate::tables::{cells, column, id_and, of_owner, of_tenant, upserts};

/// S-DURABLE-1.
pub async fn views_and_numbers_are_there_after_opening_again<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (store, claim) = (&session.store, session.claim.clone());
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
    store.commit(&claim, &step(None, "1")).await.unwrap();

    let session = session.reopened().await;
    let store = &session.store;
    let mut tx = store.begin(&claim, Some(&offset("1"))).await.unwrap();
    let mut last = Vec::new();
    store
        .last_applied(&mut tx, scope, &["a"], &mut last)
        .await
        .unwrap();
    store.rollback(tx).await.unwrap();
    assert_eq!(last, [Some(9)]);
    session.assert_rows(&table, &[cells(&kept)]).await;
}

/// S-ROW-21, S-DURABLE-1.
pub async fn owners_of_tables_outlive_the_store<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let plain = id_and(column("value", ColumnType::Text));
    let tables = [plain.clone(), of_tenant(&plain, "acme")];
    for table in &tables {
        session.create(table).await.unwrap();
    }
    let session = session.reopened().await;
    for table in &tables {
        let other = of_owner(table, "income");
        let error = session.create(&other).await.unwrap_err();
        assert!(matches!(error, Error::Schema { .. }), "{error}");
        session.create(table).await.unwrap();
    }
}
