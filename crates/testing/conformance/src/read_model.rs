//! Read models: making tables, their shapes and their names.

use projectionist_core::Error;
use projectionist_core::contract::{ReadModel, TransactionalOffsetStore};
use projectionist_core::row::{Cell, Change, Column, ColumnType, RowBatch, ScopeDelete, Table};

use crate::StoreHarness;
use crate::session::Session;
use crate::tables::{OWNER, TYPES, cells, column, id_and, of_owner, of_tenant, table, upserts};

const TEXT: ColumnType = ColumnType::Text;
const BIGINT: ColumnType = ColumnType::BigInt;

/// S-ROW-1: the rows stay; a default is no part of the shape.
pub async fn making_a_table_again_changes_nothing<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let mut value = column("value", BIGINT);
    let made = id_and(value.clone());
    assert_eq!(session.harness.rows(&made).await, None);
    session.create(&made).await.unwrap();
    session.assert_rows(&made, &[]).await;
    let row = [Cell::Int(1), Cell::Int(2)];
    session.apply(&made, &upserts(&[&row])).await.unwrap();
    session.create(&made).await.unwrap();
    value.default = Some(Cell::Int(5).into());
    session.create(&id_and(value)).await.unwrap();
    session.assert_rows(&made, &[cells(&row)]).await;
}

/// Whether the store refuses a table that is there in another shape.
async fn assert_refused<H: StoreHarness>(session: &Session<H>, other: &Table) {
    let error = session.create(other).await.unwrap_err();
    let Error::Schema { table, reason } = error else {
        panic!("{error}");
    };
    assert_eq!(table, other.name.to_string());
    assert!(!reason.is_empty());
}

/// S-ROW-2: columns, their names and types, nulls, and the key.
pub async fn a_table_of_another_shape_is_refused<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let columns = || {
        let names = ["a", "b", "c", "d"];
        names.map(|name| column(name, TEXT)).to_vec()
    };
    let changed = |change: &dyn Fn(&mut Vec<Column>)| {
        let mut columns = columns();
        change(&mut columns);
        table("shaped", columns, &[0, 1])
    };
    let made = changed(&|_| {});
    session.create(&made).await.unwrap();
    let others = [
        changed(&|columns| columns.truncate(3)),
        changed(&|columns| columns.push(column("e", TEXT))),
        changed(&|columns| columns[3] = column("e", TEXT)),
        changed(&|columns| columns[3] = column("D", TEXT)),
        changed(&|columns| columns[3] = column("d", BIGINT)),
        changed(&|columns| columns[3] = column("d", ColumnType::Double)),
        changed(&|columns| columns[3].nullable = false),
        table("shaped", columns(), &[0]),
        table("shaped", columns(), &[1, 0]),
        table("shaped", columns(), &[0, 1, 2]),
        table("shaped", columns(), &[0, 2]),
    ];
    for other in others {
        assert_refused(&session, &other).await;
    }
    session.create(&made).await.unwrap();
    let row = [Cell::Text("a"), Cell::Text("b"), Cell::Null, Cell::Null];
    session.apply(&made, &upserts(&[&row])).await.unwrap();
}

/// S-ROW-2: any two types are two shapes, also where a store keeps both in the same way.
pub async fn a_column_of_another_type_is_refused<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let finer = ColumnType::Numeric {
        limits: Some((12, 3)),
    };
    let types: Vec<ColumnType> = TYPES.into_iter().chain([finer]).collect();
    for (index, made) in types.iter().enumerate() {
        let of_type = |column_type| {
            let mut made = id_and(column("value", column_type));
            made.name.name = format!("typed_{index}").into();
            made
        };
        session.create(&of_type(*made)).await.unwrap();
        for other in types.iter().filter(|other| *other != made) {
            assert_refused(&session, &of_type(*other)).await;
        }
        session.create(&of_type(*made)).await.unwrap();
    }
}

/// S-ROW-2: not by their places.
pub async fn columns_are_known_by_their_names<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let columns = ["id", "a", "b"].map(|name| column(name, BIGINT));
    let made = table("moved", columns.to_vec(), &[0]);
    let [id, a, b] = columns;
    let moved = table("moved", vec![b, id, a], &[1]);
    session.create(&made).await.unwrap();
    let row = |cells: [i64; 3]| cells.map(Cell::Int);
    let batch = upserts(&[&row([1, 10, 100]), &row([2, 20, 200])]);
    session.apply(&made, &batch).await.unwrap();
    session.create(&moved).await.unwrap();
    let rows = [cells(&row([100, 1, 10])), cells(&row([200, 2, 20]))];
    session.assert_rows(&moved, &rows).await;

    let mut batch = upserts(&[&row([300, 3, 30])]);
    let operands = row([5, 1, 7]);
    let shape = [Change::Add, Change::Keep, Change::Set];
    crate::tables::change(&mut batch, &operands, &shape);
    let doomed = crate::tables::push(&mut batch, &row([200, 0, 20]));
    let columns = [0, 2].into();
    batch.push_scope(ScopeDelete {
        columns,
        row: doomed,
    });
    session.apply(&moved, &batch).await.unwrap();
    let rows = [cells(&row([1, 7, 105])), cells(&row([3, 30, 300]))];
    session.assert_rows(&made, &rows).await;
}

/// S-ROW-3.
pub async fn a_missing_table_is_refused<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let missing = id_and(column("value", TEXT));
    let batch = upserts(&[&[Cell::Int(1), Cell::Null]]);
    let error = session.apply(&missing, &batch).await.unwrap_err();
    assert!(matches!(error, Error::Schema { .. }), "{error}");
    assert_eq!(session.harness.rows(&missing).await, None);
}

/// S-ROW-21: also on another handle, and when the shape differs too.
pub async fn a_table_of_another_owner_is_refused<H: StoreHarness>(harness: H) {
    let mut session = Session::open(harness).await;
    let made = id_and(column("value", BIGINT));
    session.create(&made).await.unwrap();
    let row = [Cell::Int(1), Cell::Int(2)];
    session.apply(&made, &upserts(&[&row])).await.unwrap();
    for handle in [None, Some(session.harness.second_handle().await)] {
        if let Some(second) = handle {
            session.store = second;
        }
        for other in [
            of_owner(&made, "income"),
            of_owner(&made, "Orders"),
            of_owner(&made, "orders "),
            of_owner(&id_and(column("value", TEXT)), "income"),
        ] {
            assert_refused(&session, &other).await;
            let said = session.create(&other).await.unwrap_err().to_string();
            assert!(said.contains(&format!("`{OWNER}`")), "{said}");
        }
        session.create(&made).await.unwrap();
    }
    session.assert_rows(&made, &[cells(&row)]).await;
    let row = [Cell::Int(1), Cell::Int(3)];
    let existed = session.apply(&made, &upserts(&[&row])).await.unwrap();
    assert_eq!(existed, [true]);
    session.assert_rows(&made, &[cells(&row)]).await;
}

/// S-ROW-21: neither the table without a tenant nor another tenant's decides.
pub async fn every_tenant_has_a_table_with_its_own_owner<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let plain = id_and(column("value", TEXT));
    let (acme, globex) = (of_tenant(&plain, "acme"), of_tenant(&plain, "globex"));
    let made = [
        of_owner(&plain, "one"),
        of_owner(&acme, "two"),
        of_owner(&globex, "one"),
    ];
    for made in &made {
        session.create(made).await.unwrap();
    }
    for made in &made {
        let other = if &*made.owner == "one" { "two" } else { "one" };
        assert_refused(&session, &of_owner(made, other)).await;
        session.create(made).await.unwrap();
    }
}

/// S-ROW-21: who made a table in a transaction that does not commit made none.
pub async fn an_owner_that_was_rolled_back_is_none<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let made = id_and(column("value", TEXT));
    let mut tx = session.begin().await;
    session.store.create(&mut tx, &made).await.unwrap();
    session.store.rollback(tx).await.unwrap();
    let other = of_owner(&made, "income");
    session.create(&other).await.unwrap();
    assert_refused(&session, &made).await;
}

/// S-ROW-4: the table without a tenant is none of theirs.
pub async fn tables_of_tenants_are_apart<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let plain = id_and(column("value", TEXT));
    let tables = [
        plain.clone(),
        of_tenant(&plain, "acme"),
        of_tenant(&plain, "Globex"),
        of_tenant(&plain, "it's \"so\""),
    ];
    let texts = ["plain", "acme", "globex", "quoted"];
    for (table, text) in tables.iter().zip(texts) {
        assert_eq!(session.harness.rows(table).await, None, "{}", table.name);
        session.create(table).await.unwrap();
        let batch = upserts(&[&[Cell::Int(1), Cell::Text(text)]]);
        assert_eq!(session.apply(table, &batch).await.unwrap(), [false]);
    }
    for (table, text) in tables.iter().zip(texts) {
        let row = cells(&[Cell::Int(1), Cell::Text(text)]);
        session.assert_rows(table, &[row]).await;
    }
}

/// S-ROW-5: names are quoted, whatever they are.
pub async fn names_are_only_names<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let names = [
        "a\"b; drop table x",
        "order",
        "user",
        "select",
        "table",
        "Mixed Case",
        "it's",
        "`tick`",
        "[brackets]",
        "semi;colon--",
        "dot.ted",
        "per%cent_s",
        "?1",
        ":name",
        "$1",
        "1digit",
        "naïve 日本 \u{1f600}",
    ];
    for name in names {
        let key = column(name, TEXT);
        let second = column(&format!("{name} 2"), BIGINT);
        let third = column(&format!("\"{name}"), TEXT);
        let made = table(name, vec![key, second, third], &[0, 1]);
        session.create(&made).await.unwrap();
        session.create(&made).await.unwrap();
        let row = [Cell::Text(name), Cell::Int(1), Cell::Text(name)];
        session.apply(&made, &upserts(&[&row])).await.unwrap();
        session.assert_rows(&made, &[cells(&row)]).await;
        crate::effects::change_and_delete_everything(&session, &made).await;
    }
}

/// S-ROW-6: a batch that writes nothing.
pub async fn an_empty_batch_changes_nothing<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let made = id_and(column("value", TEXT));
    session.create(&made).await.unwrap();
    let row = [Cell::Int(1), Cell::Text("a")];
    session.apply(&made, &upserts(&[&row])).await.unwrap();
    let mut existed = vec![true];
    let mut tx = session.begin().await;
    let batch = RowBatch::new(2);
    let applied = session.store.apply(&mut tx, &made, &batch, &mut existed);
    applied.await.unwrap();
    session.commit(tx).await;
    assert_eq!(existed, [true]);
    session.assert_rows(&made, &[cells(&row)]).await;
}

/// S-ROW-22: with one, with others, and without any, also one of the key and one of no use.
pub async fn indexes_change_no_rows<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let columns = ["a", "b", "c"].map(|name| column(name, TEXT)).to_vec();
    let plain = table("indexed", columns, &[0]);
    let indexed = |indexes: &[&[usize]]| {
        let mut made = plain.clone();
        made.indexes = indexes.iter().map(|index| (*index).into()).collect();
        made
    };
    let mut rows = Vec::new();
    let numbers = ["1", "2", "3", "4"];
    let tables = [
        indexed(&[&[1]]),
        indexed(&[&[1], &[2, 1], &[0]]),
        indexed(&[]),
        indexed(&[&[1], &[1]]),
    ];
    for (made, number) in tables.iter().zip(numbers) {
        session.create(made).await.unwrap();
        // Equal in the indexed columns: an index makes nothing unique.
        let row = [Cell::Text(number), Cell::Text("b"), Cell::Null];
        session.apply(made, &upserts(&[&row])).await.unwrap();
        rows.push(cells(&row));
        session.assert_rows(&plain, &rows).await;
    }
}
