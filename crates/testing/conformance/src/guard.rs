//! The sequence guard: the last applied number of every entity.

use projectionist_core::contract::{
    GuardEntry, GuardScope, SequenceGuard, TransactionalOffsetStore,
};
use projectionist_core::row::{Absent, Cell, ColumnType, Present, RowBatch};

use crate::StoreHarness;
use crate::session::Session;
use crate::tables::{column, effect, id_and, push, upserts};

const SCOPE: GuardScope<'_> = GuardScope {
    projection: "orders",
    tenant: "acme",
    fork: "main",
};

/// Records numbers in a transaction of its own, sorted by entity as the contract asks.
async fn record<H: StoreHarness>(
    session: &Session<H>,
    scope: GuardScope<'_>,
    numbers: &[(&str, i64)],
) {
    let mut entries: Vec<_> = numbers
        .iter()
        .map(|(entity, sequence)| GuardEntry {
            entity,
            sequence: *sequence,
        })
        .collect();
    entries.sort_unstable_by_key(|entry| entry.entity);
    let mut tx = session.begin().await;
    session
        .store
        .record(&mut tx, scope, &entries)
        .await
        .unwrap();
    session.commit(tx).await;
}

/// Reads numbers in a transaction of its own.
async fn last<H: StoreHarness>(
    session: &Session<H>,
    scope: GuardScope<'_>,
    entities: &[&str],
) -> Vec<Option<i64>> {
    let mut out = Vec::new();
    let mut tx = session.begin().await;
    let store = &session.store;
    store
        .last_applied(&mut tx, scope, entities, &mut out)
        .await
        .unwrap();
    store.rollback(tx).await.unwrap();
    out
}

/// S-GUARD-1: also when nobody recorded anything, and beside known ones.
pub async fn an_unknown_entity_has_no_number<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    assert_eq!(last(&session, SCOPE, &["a", "b"]).await, [None, None]);
    assert_eq!(last(&session, SCOPE, &[]).await, []);
    record(&session, SCOPE, &[("b", 0)]).await;
    let known = last(&session, SCOPE, &["a", "b", "c"]).await;
    assert_eq!(known, [None, Some(0), None]);
}

/// S-GUARD-2: in the order of the question, behind what stands in the answer already.
pub async fn numbers_come_in_the_order_of_the_question<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    record(&session, SCOPE, &[("a", 1), ("b", 2), ("c", 3)]).await;
    let mut out = vec![Some(99)];
    let mut tx = session.begin().await;
    let asked = ["c", "x", "a", "b", "c"];
    let store = &session.store;
    store
        .last_applied(&mut tx, SCOPE, &asked, &mut out)
        .await
        .unwrap();
    store.rollback(tx).await.unwrap();
    assert_eq!(out, [Some(99), Some(3), None, Some(1), Some(2), Some(3)]);
}

/// S-GUARD-3: the store does not judge a number, also not one that is lower.
pub async fn the_last_record_is_remembered<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    for number in [1, i64::MAX, 7, i64::MIN, -1, 0] {
        record(&session, SCOPE, &[("a", number)]).await;
        assert_eq!(last(&session, SCOPE, &["a"]).await, [Some(number)]);
    }
}

/// S-GUARD-4: projection, tenant and fork, each for itself.
pub async fn scopes_are_apart<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let scope = |projection, tenant, fork| GuardScope {
        projection,
        tenant,
        fork,
    };
    let scopes = [
        SCOPE,
        scope("Orders", "acme", "main"),
        scope("orders", "", "main"),
        scope("orders", "acme", ""),
        scope("orders", "acmemain", ""),
        scope("orders", "", "acmemain"),
        scope("orders", "main", "acme"),
        scope("orders", "Acme", "main"),
        scope("it's \"so\"; --", "é", "\u{1f600}"),
    ];
    for (scope, number) in scopes.into_iter().zip(1..) {
        assert_eq!(last(&session, scope, &["a"]).await, [None], "{scope:?}");
        record(&session, scope, &[("a", number)]).await;
    }
    for (scope, number) in scopes.into_iter().zip(1..) {
        assert_eq!(
            last(&session, scope, &["a"]).await,
            [Some(number)],
            "{scope:?}"
        );
    }
}

/// S-GUARD-5.
pub async fn numbers_outlive_the_rows<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let table = id_and(column("value", ColumnType::Text));
    session.create(&table).await.unwrap();
    record(&session, SCOPE, &[("a", 5)]).await;
    let row = [Cell::Int(1), Cell::Text("a")];
    session.apply(&table, &upserts(&[&row])).await.unwrap();
    let mut batch = RowBatch::new(2);
    let row = push(&mut batch, &row);
    effect(&mut batch, row, Absent::Stay, Present::Delete);
    session.apply(&table, &batch).await.unwrap();
    session.assert_rows(&table, &[]).await;
    assert_eq!(last(&session, SCOPE, &["a"]).await, [Some(5)]);
}

/// S-GUARD-6: by their bytes.
pub async fn entities_are_whole_texts<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let long = "x".repeat(10_000);
    let longer = format!("{long}y");
    let entities = [
        "",
        " ",
        "a",
        "A",
        "a ",
        " a",
        "á",
        "a\u{301}",
        "ß",
        "ss",
        "1",
        "01",
        "1.0",
        "1e0",
        "NULL",
        "it's",
        "\"it\"",
        "a%",
        "a_",
        "\u{1f600}",
        "\u{ffff}",
        "a\tb",
        &long,
        &longer,
    ];
    let numbers: Vec<_> = entities.into_iter().zip(1..).collect();
    record(&session, SCOPE, &numbers).await;
    let expected: Vec<_> = numbers.iter().map(|(_, number)| Some(*number)).collect();
    assert_eq!(last(&session, SCOPE, &entities).await, expected);
}

/// S-GUARD-7: the number that was there comes back.
pub async fn a_rollback_forgets_numbers<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    record(&session, SCOPE, &[("a", 1)]).await;
    let entry = |entity, sequence| GuardEntry { entity, sequence };
    let mut tx = session.begin().await;
    let entries = [entry("a", 2), entry("b", 2)];
    session
        .store
        .record(&mut tx, SCOPE, &entries)
        .await
        .unwrap();
    session
        .store
        .record(&mut tx, SCOPE, &[entry("a", 3)])
        .await
        .unwrap();
    let mut inside = Vec::new();
    let asked = session
        .store
        .last_applied(&mut tx, SCOPE, &["a", "b"], &mut inside);
    asked.await.unwrap();
    drop(tx);
    assert_eq!(inside, [Some(3), Some(2)]);
    assert_eq!(last(&session, SCOPE, &["a", "b"]).await, [Some(1), None]);
}

/// S-GUARD-8.
pub async fn many_entities_fit_one_call<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let names: Vec<String> = (0..5000)
        .map(|number| format!("entity-{number:05}"))
        .collect();
    let entities: Vec<&str> = names.iter().map(String::as_str).collect();
    let numbers: Vec<_> = entities.iter().copied().zip(0..).step_by(2).collect();
    record(&session, SCOPE, &numbers).await;
    let found = last(&session, SCOPE, &entities).await;
    let expected: Vec<_> = (0..5000).map(|n| (n % 2 == 0).then_some(n)).collect();
    assert_eq!(found, expected);
}

/// S-GUARD-9.
pub async fn the_guard_is_shared_by_handles<H: StoreHarness>(harness: H) {
    let mut session = Session::open(harness).await;
    record(&session, SCOPE, &[("a", 4)]).await;
    session.store = session.harness.second_handle().await;
    assert_eq!(last(&session, SCOPE, &["a"]).await, [Some(4)]);
}

/// The version of the numbers of a projection, in a transaction of its own.
async fn version<H: StoreHarness>(session: &Session<H>, projection: &str) -> u64 {
    let mut tx = session.begin().await;
    let version = session.store.version(&mut tx, projection).await.unwrap();
    session.commit(tx).await;
    version
}

/// Records a number, commits, and gives the version as it was at the end.
async fn record_and_see<H: StoreHarness>(
    session: &Session<H>,
    scope: GuardScope<'_>,
    sequence: i64,
) -> u64 {
    let store = &session.store;
    let entity = "a";
    let mut tx = session.begin().await;
    store
        .record(&mut tx, scope, &[GuardEntry { entity, sequence }])
        .await
        .unwrap();
    let version = store.version(&mut tx, scope.projection).await.unwrap();
    session.commit(tx).await;
    version
}

/// S-GUARD-10: whichever handle the others used, and whatever tenant they recorded.
pub async fn the_version_tells_what_others_recorded<H: StoreHarness>(harness: H) {
    let mut session = Session::open(harness).await;
    let one = session.store.clone();
    let other = session.harness.second_handle().await;
    let orders = SCOPE.projection;
    let another_projection = GuardScope {
        projection: "invoices",
        ..SCOPE
    };
    let another_tenant = GuardScope {
        tenant: "globex",
        ..SCOPE
    };

    let untouched = version(&session, orders).await;
    assert_eq!(version(&session, orders).await, untouched);
    record(&session, another_projection, &[("a", 1)]).await;
    assert_eq!(version(&session, orders).await, untouched);

    let mut mine = record_and_see(&session, SCOPE, 1).await;
    assert_ne!(mine, untouched, "recorded by another user of this handle");
    for (scope, sequence) in [(SCOPE, 2), (another_tenant, 4), (SCOPE, 6)] {
        assert_eq!(version(&session, orders).await, mine, "nothing between");
        session.store = other.clone();
        let theirs = record_and_see(&session, scope, sequence).await;
        assert_eq!(version(&session, orders).await, theirs, "nothing between");
        session.store = one.clone();
        let seen = version(&session, orders).await;
        assert_ne!(seen, mine, "{scope:?} was recorded on another handle");
        assert_eq!(version(&session, orders).await, seen, "it was seen before");
        mine = record_and_see(&session, SCOPE, sequence + 1).await;
        session.store = other.clone();
        let seen = version(&session, orders).await;
        assert_ne!(seen, theirs, "it holds for both handles");
        session.store = one.clone();
    }
}
