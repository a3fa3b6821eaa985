//! A view of one moment, and values as the file keeps them.

use projectionist_conformance::tables::{column, id_and, of_tenant, table, upserts};
use projectionist_core::Timestamp;
use projectionist_core::contract::ReadModel;
use projectionist_core::row::{Cell, ColumnType, ElementType, OwnedCell, RowBatch, Table};
use projectionist_store_sqlite::stored_value;
use rusqlite::types::Value;

use crate::Fixture;

async fn write(fixture: &Fixture, table: &Table, batch: &RowBatch) {
    let mut tx = fixture.begin().await;
    fixture.store.create(&mut tx, table).await.unwrap();
    let mut existed = Vec::new();
    let applied = fixture.store.apply(&mut tx, table, batch, &mut existed);
    applied.await.unwrap();
    fixture.commit(tx).await;
}

#[tokio::test]
async fn a_view_stays_at_its_moment() {
    let fixture = Fixture::new().await;
    let counted = id_and(column("value", ColumnType::Int));
    let row = |id, value| upserts(&[&[Cell::Int(id), Cell::Int(value)]]);
    write(&fixture, &counted, &row(2, 20)).await;
    let before = fixture.store.view().unwrap();
    write(&fixture, &counted, &row(-1, 10)).await;
    write(&fixture, &counted, &row(2, 21)).await;
    write(&fixture, &of_tenant(&counted, "acme"), &row(1, 1)).await;
    let after = fixture.store.view().unwrap();
    let rows = |view: &projectionist_store_sqlite::SqliteView| {
        let mut rows = Vec::new();
        view.rows(&counted, |row| rows.push(row)).unwrap();
        rows
    };
    let pair = |id, value| vec![Value::Integer(id), Value::Integer(value)];
    assert_eq!(rows(&before), [pair(2, 20)]);
    assert_eq!(rows(&after), [pair(-1, 10), pair(2, 21)]);
    let key = [OwnedCell::Int(-1)];
    assert_eq!(before.row(&counted, &key).unwrap(), None);
    assert_eq!(after.row(&counted, &key).unwrap(), Some(pair(-1, 10)));
    let names = |view: &projectionist_store_sqlite::SqliteView| {
        let names = view.tables(&counted.name.name).unwrap().into_iter();
        names.map(|name| name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&before), ["counted"]);
    assert_eq!(names(&after), ["acme.counted", "counted"]);
    let lanes = after.lanes().unwrap();
    assert_eq!(lanes.len(), 1);
    assert_eq!(lanes[0].0, fixture.claim.lane);
}

#[tokio::test]
async fn a_cell_is_the_value_that_a_write_leaves() {
    let fixture = Fixture::new().await;
    let limits = Some((12, 2));
    let row = [
        (ColumnType::Text, Cell::Text("it's")),
        (ColumnType::BigInt, Cell::Int(i64::MIN)),
        (ColumnType::Boolean, Cell::Bool(true)),
        (ColumnType::Double, Cell::Double(-0.1)),
        (ColumnType::Numeric { limits }, Cell::Numeric("12.50")),
        (
            ColumnType::TimestampTz,
            Cell::Timestamp(Timestamp::from_unix_millis(-1)),
        ),
        (ColumnType::Uuid, Cell::Uuid([0xab; 16])),
        (ColumnType::Jsonb, Cell::Json(r#"{"a": [1]}"#)),
        (ColumnType::Date, Cell::Date(19_782)),
        (ColumnType::Bytea, Cell::Bytes(&[0, 255])),
        (
            ColumnType::Array(ElementType::Text),
            Cell::Array(r#"["x",null]"#),
        ),
        (ColumnType::Int, Cell::Null),
    ];
    let columns = row.iter().enumerate();
    let columns = columns.map(|(at, (kind, _))| column(&format!("c{at}"), *kind));
    let every_key = [0, 1, 2, 3, 4, 5, 6, 8, 9];
    let every = table("every", columns.collect(), &every_key);
    let cells = row.map(|(_, cell)| cell);
    write(&fixture, &every, &upserts(&[&cells])).await;
    let key: Vec<OwnedCell> = every_key.iter().map(|at| cells[*at].into()).collect();
    let stored = fixture.store.view().unwrap().row(&every, &key).unwrap();
    let expected: Vec<Value> = cells.iter().map(|cell| stored_value(*cell)).collect();
    assert_eq!(stored, Some(expected));
}

#[tokio::test]
async fn bytes_that_are_no_text_can_be_read() {
    let fixture = Fixture::new().await;
    let named = id_and(column("name", ColumnType::Text));
    let row = upserts(&[&[Cell::Int(1), Cell::Text("a")]]);
    write(&fixture, &named, &row).await;
    let spoil = "UPDATE counted SET name = CAST(x'61ff' AS TEXT)";
    fixture.client().execute(spoil, []).unwrap();
    let stored = fixture.store.view().unwrap();
    let stored = stored.row(&named, &[OwnedCell::Int(1)]).unwrap().unwrap();
    assert_eq!(stored[1], Value::Text("a\u{fffd}".to_owned()));
}
