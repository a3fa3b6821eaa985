//! Generations exchange their names: what that supersedes, what nobody may remember across it, and
//! what it may not cost.

use std::sync::Arc;

use projectionist_conformance::steps::{self, offset};
use projectionist_conformance::tables::{column, of_tenant, table, upserts};
use projectionist_core::contract::{
    Declaration, DeclarationStore, Deployment, GuardEntry, GuardScope, OffsetStore, ReadModel,
    RebuildStore, SequenceGuard, Swapped, TableDeployment, TransactionalOffsetStore,
};
use projectionist_core::rebuild::{Beside, Difference, Rebuild, RebuildPhase, rebuild_state};
use projectionist_core::row::{Cell, ColumnType, Table};
use projectionist_core::{
    Claim, Commit, Epoch, Error, Offset, ProjectionId, SystemClock, Timestamp,
};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use crate::{Fixture, one};

const ANY: fn(Option<&Offset>) -> bool = |_| true;

/// The table of the projection of the fixture's lane, with an index.
fn live_table() -> Table {
    let columns = vec![
        column("id", ColumnType::BigInt),
        column("value", ColumnType::BigInt),
    ];
    let mut table = table("things", columns, &[0]);
    table.owner = steps::lane().name().into();
    table.indexes = [[1].into()].into();
    table
}

/// The same as a rebuild builds it.
fn shadow_table() -> Table {
    let mut table = live_table();
    table.owner = Beside::Shadow.projection(&table.owner).into();
    table.name.name = Beside::Shadow.table(&table.name.name);
    table
}

fn begun() -> Rebuild {
    let lane = steps::lane();
    Rebuild {
        declaration: Declaration {
            projection: lane.name().to_owned(),
            text: "text".to_owned(),
            hash: "hash".to_owned(),
            version: "test 1".to_owned(),
            origin: "/file".to_owned(),
        },
        replaces: None,
        live_table: Some("things".into()),
        table: "things".into(),
        source: "/events".to_owned(),
        key: lane.key().to_owned(),
        phase: RebuildPhase::Building,
        source_bytes: Some(7),
        began_at: Timestamp::from_unix_millis(0),
        resumed_at: Timestamp::from_unix_millis(0),
        resumed_read: 0,
    }
}

/// Writes rows, a number of the guard and an offset under a claim, in one transaction.
async fn write(
    (store, claim): (&SqliteStore, &Claim),
    into: &Table,
    rows: &[[Cell<'_>; 2]],
    sequence: i64,
    at: &str,
) {
    let expected = store.lane(&claim.lane).await.unwrap();
    let expected = expected.and_then(|lane| lane.offset);
    let mut tx = store.begin(claim, expected.as_ref()).await.unwrap();
    let batch: Vec<&[Cell<'_>]> = rows.iter().map(|row| row.as_slice()).collect();
    store.create(&mut tx, into).await.unwrap();
    let batch = upserts(&batch);
    store
        .apply(&mut tx, into, &batch, &mut Vec::new())
        .await
        .unwrap();
    let entry = GuardEntry {
        entity: "e",
        sequence,
    };
    let scope = GuardScope {
        projection: claim.lane.name(),
        tenant: "",
        fork: "",
    };
    store.record(&mut tx, scope, &[entry]).await.unwrap();
    let commit = Commit {
        expected,
        offset: Some(offset(at)),
        ..Commit::default()
    };
    store.commit_in(tx, claim, &commit).await.unwrap();
}

async fn number(store: &SqliteStore, claim: &Claim, at: &str) -> Option<i64> {
    let mut tx = store.begin(claim, Some(&offset(at))).await.unwrap();
    let scope = GuardScope {
        projection: claim.lane.name(),
        tenant: "",
        fork: "",
    };
    let mut numbers = Vec::new();
    store
        .last_applied(&mut tx, scope, &["e"], &mut numbers)
        .await
        .unwrap();
    numbers[0]
}

const fn row(id: i64, value: i64) -> [Cell<'static>; 2] {
    [Cell::Int(id), Cell::Int(value)]
}

/// A fixture whose table has a row, and a rebuild that has made it otherwise.
async fn built() -> (Fixture, Claim) {
    let fixture = Fixture::new().await;
    write(
        (&fixture.store, &fixture.claim),
        &live_table(),
        &[row(1, 1)],
        5,
        "1",
    )
    .await;
    let claim = rebuilt(&fixture).await;
    (fixture, claim)
}

async fn rebuilt(fixture: &Fixture) -> Claim {
    let store = &fixture.store;
    let mut rebuild = begun();
    rebuild.replaces = one(
        &fixture.client(),
        "SELECT max(hash) FROM projectionist_declarations",
    );
    let rebuild = store.begin_rebuild(&rebuild).await.unwrap();
    let lane = rebuild.shadow_lane().unwrap();
    let claim = steps::take(store, &lane, "rebuilder").await;
    write(
        (store, &claim),
        &shadow_table(),
        &[row(1, 2), row(3, 4)],
        7,
        "2",
    )
    .await;
    claim
}

/// Another process on the file.
fn other_process(fixture: &Fixture) -> SqliteStore {
    SqliteStore::open_apart(
        fixture.path(),
        SqliteOptions::default(),
        Arc::new(SystemClock),
    )
    .unwrap()
}

#[tokio::test]
async fn the_owner_in_use_is_fenced_and_finds_the_new_offset() {
    let (fixture, claim) = built().await;
    let store = &fixture.store;
    assert_eq!(
        store.swap(&claim, false, &ANY).await.unwrap(),
        Swapped::Done
    );
    let fenced = store
        .begin(&fixture.claim, Some(&offset("1")))
        .await
        .map(drop);
    assert!(matches!(fenced, Err(Error::Fenced { .. })), "{fenced:?}");
    let lane = store.lane(&steps::lane()).await.unwrap().unwrap();
    assert_eq!(lane.offset, Some(offset("2")));
    assert_eq!(lane.epoch.0, fixture.claim.epoch.0 + 1);
    assert_eq!(lane.holder, None);
    // Nothing of the rebuild can be committed any more either.
    let over = store.begin(&claim, Some(&offset("2"))).await.map(drop);
    assert!(matches!(over, Err(Error::Fenced { .. })), "{over:?}");
}

#[tokio::test]
async fn another_process_does_not_go_on_with_the_numbers_of_the_old_guard() {
    let (fixture, claim) = built().await;
    let other = other_process(&fixture);
    assert_eq!(number(&other, &fixture.claim, "1").await, Some(5));
    fixture.store.swap(&claim, true, &ANY).await.unwrap();
    let again = steps::take(&other, &steps::lane(), "other").await;
    assert_eq!(number(&other, &again, "2").await, Some(7));
    write((&other, &again), &live_table(), &[row(9, 9)], 8, "3").await;
    let rows: i64 = one(&fixture.client(), "SELECT count(*) FROM things");
    let kept: i64 = one(
        &fixture.client(),
        "SELECT value FROM projectionist_kept_things",
    );
    assert_eq!((rows, kept), (3, 1));
    // And neither do both after a revert.
    fixture.store.revert(steps::lane().name()).await.unwrap();
    let back = steps::take(&fixture.store, &steps::lane(), "back").await;
    assert_eq!(number(&fixture.store, &back, "1").await, Some(5));
    let other = steps::steal(&other, &back, "other").await;
    assert_eq!(number(&other_process(&fixture), &other, "1").await, Some(5));
}

#[tokio::test]
async fn what_comes_too_late_or_is_superseded_changes_nothing() {
    let (fixture, claim) = built().await;
    let store = &fixture.store;
    let asked = |live: Option<&Offset>| live != Some(&offset("1"));
    let behind = store.swap(&claim, false, &asked).await.unwrap();
    assert_eq!(behind, Swapped::Behind(Some(offset("1"))));
    fixture
        .client()
        .execute_batch(
            "INSERT INTO projectionist_declarations (projection, declaration, hash, version, origin, deployed_at)
             SELECT name, '', 'other', '', '', 0 FROM projectionist_lanes WHERE name NOT LIKE '%:%'",
        )
        .unwrap();
    let superseded = store.swap(&claim, false, &ANY).await.unwrap();
    assert_eq!(superseded, Swapped::Superseded);
    let value: i64 = one(&fixture.client(), "SELECT value FROM things");
    assert_eq!(value, 1);
    drop(
        store
            .begin(&fixture.claim, Some(&offset("1")))
            .await
            .unwrap(),
    );
}

#[tokio::test]
async fn only_the_claim_of_the_rebuild_swaps() {
    let (fixture, claim) = built().await;
    let foreign = fixture.store.swap(&fixture.claim, false, &ANY).await;
    assert!(
        matches!(foreign, Err(Error::Configuration { .. })),
        "{foreign:?}"
    );
    let old = Claim {
        epoch: Epoch(claim.epoch.0 - 1),
        ..claim
    };
    let fenced = fixture.store.swap(&old, false, &ANY).await;
    assert!(matches!(fenced, Err(Error::Fenced { .. })), "{fenced:?}");
}

#[tokio::test]
async fn an_index_is_made_once_however_often_its_table_is_rebuilt() {
    let (fixture, mut claim) = built().await;
    let indexes = "SELECT count(*) FROM pragma_index_list('things') WHERE origin = 'c'";
    for keep in [true, false, true, true, false] {
        let swapped = fixture.store.swap(&claim, keep, &ANY).await.unwrap();
        assert_eq!(swapped, Swapped::Done);
        assert_eq!(one::<i64>(&fixture.client(), indexes), 1);
        // One that is declared no more is dropped as one of this store.
        claim = rebuilt(&fixture).await;
    }
    fixture.store.swap(&claim, false, &ANY).await.unwrap();
    let mut bare = live_table();
    bare.indexes = [].into();
    let deployment = Deployment {
        tables: vec![TableDeployment {
            table: bare,
            create: Vec::new(),
        }],
        ..Deployment::default()
    };
    fixture.store.deploy(&deployment).await.unwrap();
    assert_eq!(one::<i64>(&fixture.client(), indexes), 0);
}

#[tokio::test]
async fn the_guard_that_goes_is_renamed_at_once_and_removed_in_steps() {
    let (fixture, claim) = built().await;
    fixture
        .client()
        .execute_batch(
            "INSERT INTO projectionist_guard (scope, entity, sequence)
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
             SELECT 1, 'x' || i, i FROM n",
        )
        .unwrap();
    let rows = "SELECT count(*) FROM projectionist_guard";
    fixture.store.swap(&claim, false, &ANY).await.unwrap();
    assert_eq!(one::<i64>(&fixture.client(), rows), 25_002);
    let mut steps = 0;
    while fixture.store.purge().await.unwrap() {
        steps += 1;
    }
    assert_eq!((one::<i64>(&fixture.client(), rows), steps), (1, 3));
    let scopes: i64 = one(
        &fixture.client(),
        "SELECT count(*) FROM projectionist_guard_scopes",
    );
    assert_eq!(scopes, 1);
}

#[tokio::test]
async fn a_comparison_tells_rows_digests_and_the_first_keys_that_differ() {
    let (fixture, _claim) = built().await;
    let rebuild = fixture.store.rebuilds().await.unwrap().remove(0);
    let (live, shadow) = (live_table(), shadow_table());
    let compared = fixture
        .store
        .compare(&rebuild, Some(&live), &shadow, 1)
        .await
        .unwrap();
    assert_eq!(
        (compared.live, compared.shadow),
        (Some(offset("1")), Some(offset("2")))
    );
    let [things] = &compared.tables[..] else {
        unreachable!("one table");
    };
    assert_eq!(things.name, live.name);
    assert_eq!(things.live.map(|sum| sum.rows), Some(1));
    assert_eq!(things.shadow.map(|sum| sum.rows), Some(2));
    assert_ne!(
        things.live.map(|sum| sum.digest),
        things.shadow.map(|sum| sum.digest)
    );
    assert_eq!(things.differing, Some(2));
    assert_eq!(things.sample[0].key, "id=1");
    let value = Difference::Columns(vec!["value".to_owned()]);
    assert_eq!(
        (things.sample.len(), &things.sample[0].difference),
        (1, &value)
    );
}

#[tokio::test]
async fn how_far_a_rebuild_is_can_be_read_by_any_process() {
    let (fixture, claim) = built().await;
    fixture
        .store
        .note_rebuild(&claim, RebuildPhase::CatchingUp, Some(99))
        .await
        .unwrap();
    let other = other_process(&fixture);
    let state = rebuild_state(&other, steps::lane().name())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(state.rebuild.phase, RebuildPhase::CatchingUp);
    assert_eq!(state.rebuild.source_bytes, Some(99));
    assert_eq!(state.lane.offset, Some(offset("2")));
    assert_eq!(state.live.and_then(|live| live.offset), Some(offset("1")));
    assert!(state.lane.holder.is_some());
    assert_eq!(rebuild_state(&other, "other").await.unwrap(), None);
    assert!(
        fixture
            .store
            .drop_shadow(steps::lane().name())
            .await
            .unwrap()
    );
    assert_eq!(
        rebuild_state(&other, steps::lane().name()).await.unwrap(),
        None
    );
    assert!(
        !fixture
            .store
            .drop_shadow(steps::lane().name())
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn a_reset_empties_every_tenant_and_replays_up_to_where_the_lane_was() {
    let (fixture, _claim) = built().await;
    let acme = of_tenant(&live_table(), "acme");
    write(
        (&fixture.store, &fixture.claim),
        &acme,
        &[row(5, 5)],
        6,
        "2",
    )
    .await;
    fixture.store.reset(&live_table()).await.unwrap();
    let lane = ProjectionId::new(steps::lane().name(), steps::lane().key()).unwrap();
    let lane = fixture.store.lane(&lane).await.unwrap().unwrap();
    assert_eq!((lane.offset, lane.replay_until), (None, Some(offset("2"))));
    for table in ["things", "acme__things"] {
        let rows: i64 = one(&fixture.client(), &format!("SELECT count(*) FROM {table}"));
        assert_eq!(rows, 0, "{table}");
    }
    let again = steps::take(&fixture.store, &steps::lane(), "again").await;
    write(
        (&fixture.store, &again),
        &live_table(),
        &[row(1, 1)],
        1,
        "1",
    )
    .await;
    assert_eq!(number(&fixture.store, &again, "1").await, Some(1));
}
