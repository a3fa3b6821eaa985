//! Tables of read models as any SQLite client finds them.

use projectionist_conformance::tables::{
    adding, column, effect, id_and, of_tenant, push, table, upserts,
};
use projectionist_core::contract::ReadModel;
use projectionist_core::row::{
    Absent, Cell, Change, ColumnType, Effect, ElementType, OwnedCell, Present, RowBatch, Table,
};
use projectionist_core::{Error, Timestamp};

use crate::{Fixture, one};

async fn create(fixture: &Fixture, table: &Table) -> Result<(), Error> {
    let mut tx = fixture.begin().await;
    fixture.store.create(&mut tx, table).await?;
    fixture.try_commit(tx).await
}

async fn apply(fixture: &Fixture, table: &Table, batch: &RowBatch) -> Result<Vec<bool>, Error> {
    let mut existed = Vec::new();
    let mut tx = fixture.begin().await;
    fixture
        .store
        .apply(&mut tx, table, batch, &mut existed)
        .await?;
    fixture.try_commit(tx).await?;
    Ok(existed)
}

fn every_type() -> Table {
    let limits = Some((12, 2));
    let columns = vec![
        column("id", ColumnType::Text),
        column("big", ColumnType::BigInt),
        column("int", ColumnType::Int),
        column("flag", ColumnType::Boolean),
        column("ratio", ColumnType::Double),
        column("total", ColumnType::Numeric { limits }),
        column("at", ColumnType::TimestampTz),
        column("ref", ColumnType::Uuid),
        column("more", ColumnType::Jsonb),
        column("code", ColumnType::Varchar { limit: 3 }),
        column("small", ColumnType::SmallInt),
        column("real", ColumnType::Real),
        column("day", ColumnType::Date),
        column("raw", ColumnType::Bytea),
        column("tags", ColumnType::Array(ElementType::Text)),
    ];
    table("every_type", columns, &[0])
}

#[tokio::test]
async fn values_have_the_forms_that_clients_expect() {
    let fixture = Fixture::new().await;
    let table = every_type();
    create(&fixture, &table).await.unwrap();
    let row = [
        Cell::Text("a"),
        Cell::Int(1 << 60),
        Cell::Int(-7),
        Cell::Bool(true),
        Cell::Double(3.0),
        Cell::Numeric("12.50"),
        Cell::Timestamp(Timestamp::from_unix_millis(1_719_331_200_000)),
        Cell::Uuid([0xab; 16]),
        Cell::Json(r#"{"a": [1]}"#),
        Cell::Text("äöü"),
        Cell::Int(-32_768),
        Cell::Double(0.5),
        Cell::Date(19_782),
        Cell::Bytes(&[0, 255]),
        Cell::Array(r#"["x",null]"#),
    ];
    apply(&fixture, &table, &upserts(&[&row])).await.unwrap();
    let client = fixture.client();
    let value = |column: &str| {
        let sql = format!("SELECT typeof(\"{column}\") || ' ' || \"{column}\" FROM every_type");
        one::<String>(&client, &sql)
    };
    assert_eq!(value("id"), "text a");
    assert_eq!(value("big"), "integer 1152921504606846976");
    assert_eq!(value("int"), "integer -7");
    assert_eq!(value("flag"), "integer 1");
    assert_eq!(value("ratio"), "real 3.0");
    assert_eq!(value("total"), "text 12.50");
    assert_eq!(value("at"), "text 2024-06-25T16:00:00.000Z");
    assert_eq!(value("ref"), "text abababab-abab-abab-abab-abababababab");
    assert_eq!(value("more"), r#"text {"a": [1]}"#);
    assert_eq!(value("code"), "text äöü");
    assert_eq!(value("small"), "integer -32768");
    assert_eq!(value("real"), "real 0.5");
    assert_eq!(value("day"), "text 2024-02-29");
    assert_eq!(value("tags"), r#"text ["x",null]"#);
    let raw = "SELECT typeof(raw) || ' ' || hex(raw) FROM every_type";
    assert_eq!(one::<String>(&client, raw), "blob 00FF");
    let tags = "SELECT count(*) FROM every_type, json_each(tags)";
    assert_eq!(one::<i64>(&client, tags), 2);
    let kind = "SELECT strict || wr FROM pragma_table_list WHERE name = 'every_type'";
    assert_eq!(one::<String>(&client, kind), "11");
    assert_eq!(
        one::<i64>(
            &client,
            "SELECT json_extract(more, '$.a[0]') FROM every_type"
        ),
        1
    );
}

#[tokio::test]
async fn other_clients_get_the_declared_defaults() {
    let fixture = Fixture::new().await;
    let mut lines = column("lines", ColumnType::BigInt);
    lines.default = Some(OwnedCell::Int(3));
    lines.nullable = false;
    create(&fixture, &id_and(lines)).await.unwrap();
    let client = fixture.client();
    client
        .execute("INSERT INTO counted (id) VALUES (1)", [])
        .unwrap();
    assert_eq!(one::<i64>(&client, "SELECT lines FROM counted"), 3);
    client
        .execute("UPDATE counted SET lines = NULL", [])
        .unwrap_err();
}

#[tokio::test]
async fn a_refused_row_is_named() {
    let fixture = Fixture::new().await;
    let table = id_and(column("seen at", ColumnType::TimestampTz));
    create(&fixture, &table).await.unwrap();
    let late = Cell::Timestamp(Timestamp::from_unix_millis(i64::MAX));
    let error = apply(&fixture, &table, &upserts(&[&[Cell::Int(1), late]]))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Row { .. }));
    assert!(error.to_string().contains("`seen at`"), "{error}");

    let mut table = id_and(column("it's many", ColumnType::Int));
    table.name.name = "sums".into();
    create(&fixture, &table).await.unwrap();
    let most = Cell::Int(i32::MAX.into());
    apply(&fixture, &table, &upserts(&[&[Cell::Int(42), most]]))
        .await
        .unwrap();
    let error = apply(&fixture, &table, &adding(42, Cell::Int(1)))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Row { .. }), "{error:?}");
    let error = error.to_string();
    for part in ["sums", "`it's many`", "2147483647 + 1", "id = 42"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let kept: i64 = one(&fixture.client(), "SELECT \"it's many\" FROM sums");
    assert_eq!(kept, i64::from(i32::MAX));
}

/// An effect that nobody asks whether the row existed: other statements than those that report.
fn silent(batch: &mut RowBatch, row: &[Cell<'_>], present: Present) {
    let row = push(batch, row);
    batch.push_effect(Effect {
        row,
        absent: Absent::Insert,
        present,
        report_existed: false,
    });
}

#[tokio::test]
async fn a_row_that_is_there_needs_no_complete_insert() {
    let fixture = Fixture::new().await;
    let mut status = column("status", ColumnType::Text);
    status.nullable = false;
    let id = column("id", ColumnType::BigInt);
    let table = table("t", vec![id, status, column("n", ColumnType::BigInt)], &[0]);
    create(&fixture, &table).await.unwrap();
    let whole = [Cell::Int(1), Cell::Text("open"), Cell::Int(5)];
    apply(&fixture, &table, &upserts(&[&whole])).await.unwrap();

    let incomplete = [Cell::Int(1), Cell::Null, Cell::Int(2)];
    let mut batch = RowBatch::new(3);
    silent(&mut batch, &incomplete, Present::Keep);
    apply(&fixture, &table, &batch).await.unwrap();
    batch.clear();
    let shape = batch
        .shape(&[Change::Keep, Change::Keep, Change::Add])
        .unwrap();
    let operands = push(&mut batch, &incomplete);
    silent(&mut batch, &incomplete, Present::Change { shape, operands });
    apply(&fixture, &table, &batch).await.unwrap();
    let row = "SELECT id || status || n FROM t";
    assert_eq!(one::<String>(&fixture.client(), row), "1open7");

    batch.clear();
    let missing = [Cell::Int(2), Cell::Null, Cell::Int(2)];
    silent(&mut batch, &missing, Present::Keep);
    let error = apply(&fixture, &table, &batch).await.unwrap_err();
    assert!(error.to_string().contains("t.status"), "{error}");
}

#[tokio::test]
async fn every_way_to_change_has_a_statement_of_its_own() {
    let fixture = Fixture::new().await;
    let columns = ["id", "a", "b"].map(|name| column(name, ColumnType::BigInt));
    let table = table("t", columns.to_vec(), &[0]);
    create(&fixture, &table).await.unwrap();
    let before: Vec<_> = (1..=4).map(|id| [id, 10, 10].map(Cell::Int)).collect();
    let before: Vec<_> = before.iter().map(<[_; 3]>::as_slice).collect();
    apply(&fixture, &table, &upserts(&before)).await.unwrap();

    // Rows 1 to 4 are there, 5 to 8 are not; each shape is used with and without an insert.
    let mut batch = RowBatch::new(3);
    let adding = [Change::Keep, Change::Add, Change::Keep];
    let setting = [Change::Keep, Change::Keep, Change::Set];
    for (shape, first) in [(adding, 1), (setting, 3), (adding, 5), (setting, 7)] {
        let shape = batch.shape(&shape).unwrap();
        let inserted = [first, 1, 2].map(Cell::Int);
        let operands = push(&mut batch, &inserted);
        silent(&mut batch, &inserted, Present::Change { shape, operands });
        let operands = push(&mut batch, &[first + 1, 3, 4].map(Cell::Int));
        let change = Present::Change { shape, operands };
        effect(&mut batch, operands, Absent::Stay, change);
    }
    let existed = apply(&fixture, &table, &batch).await.unwrap();
    assert_eq!(existed, [true, true, false, false]);
    let rows = "SELECT group_concat(id || ':' || a || ':' || b, ' ' ORDER BY id) FROM t";
    assert_eq!(
        one::<String>(&fixture.client(), rows),
        "1:11:10 2:13:10 3:10:2 4:10:4 5:1:2 7:1:2"
    );
}

#[tokio::test]
async fn an_effect_inserts_where_it_would_delete() {
    let fixture = Fixture::new().await;
    let table = id_and(column("n", ColumnType::BigInt));
    create(&fixture, &table).await.unwrap();
    for rows in [1, 0, 1] {
        let mut batch = RowBatch::new(2);
        let row = push(&mut batch, &[Cell::Int(1), Cell::Int(5)]);
        effect(&mut batch, row, Absent::Insert, Present::Delete);
        apply(&fixture, &table, &batch).await.unwrap();
        assert_eq!(
            one::<i64>(&fixture.client(), "SELECT count(*) FROM counted"),
            rows
        );
    }
}

#[tokio::test]
async fn a_batch_for_another_table_is_refused() {
    let fixture = Fixture::new().await;
    let table = id_and(column("n", ColumnType::BigInt));
    create(&fixture, &table).await.unwrap();
    let narrow = upserts(&[&[Cell::Int(1)]]);
    let error = apply(&fixture, &table, &narrow).await.unwrap_err();
    assert!(matches!(error, Error::Configuration { .. }), "{error:?}");
}

#[tokio::test]
async fn only_numbers_are_added_to() {
    let fixture = Fixture::new().await;
    let table = id_and(column("name", ColumnType::Text));
    create(&fixture, &table).await.unwrap();
    let error = apply(&fixture, &table, &adding(1, Cell::Text("x")))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("only numbers"), "{error}");
}

#[tokio::test]
async fn tables_that_differ_in_case_only_are_not_shared() {
    let fixture = Fixture::new().await;
    let plain = id_and(column("n", ColumnType::BigInt));
    create(&fixture, &of_tenant(&plain, "Acme")).await.unwrap();
    let error = create(&fixture, &of_tenant(&plain, "acme"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Schema { .. }), "{error:?}");
    assert!(error.to_string().contains("case only"), "{error}");
    create(&fixture, &of_tenant(&plain, "Acme")).await.unwrap();
}

#[tokio::test]
async fn what_was_remembered_is_looked_at_again_when_tables_change() {
    let fixture = Fixture::new().await;
    let table = id_and(column("n", ColumnType::BigInt));
    let exists = |fixture: &Fixture| {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'counted'";
        one::<i64>(&fixture.client(), sql) == 1
    };
    let mut tx = fixture.begin().await;
    fixture.store.create(&mut tx, &table).await.unwrap();
    drop(tx);
    assert!(!exists(&fixture));
    // Now the schema has the version that it had in the transaction, but not its table.
    fixture
        .client()
        .execute_batch("CREATE TABLE other (x)")
        .unwrap();
    create(&fixture, &table).await.unwrap();
    assert!(exists(&fixture));

    fixture
        .client()
        .execute_batch("DROP TABLE counted")
        .unwrap();
    create(&fixture, &table).await.unwrap();
    assert!(exists(&fixture));

    fixture
        .client()
        .execute_batch("ALTER TABLE counted RENAME COLUMN n TO m")
        .unwrap();
    let error = create(&fixture, &table).await.unwrap_err().to_string();
    assert!(error.contains("column `n` is missing"), "{error}");
    assert!(error.contains("new target"), "{error}");

    fixture
        .client()
        .execute_batch("DROP TABLE counted")
        .unwrap();
    fixture
        .client()
        .execute_batch("CREATE VIEW counted AS SELECT 1")
        .unwrap();
    let error = create(&fixture, &table).await.unwrap_err().to_string();
    assert!(error.contains("there is a view"), "{error}");
}

#[tokio::test]
async fn a_table_dropped_by_its_handler_is_made_again() {
    let fixture = Fixture::new().await;
    let table = id_and(column("n", ColumnType::BigInt));
    create(&fixture, &table).await.unwrap();
    let mut tx = fixture.begin().await;
    tx.execute("DROP TABLE counted", []).unwrap();
    fixture.store.create(&mut tx, &table).await.unwrap();
    let batch = upserts(&[&[Cell::Int(1), Cell::Int(2)]]);
    fixture
        .store
        .apply(&mut tx, &table, &batch, &mut Vec::new())
        .await
        .unwrap();
    fixture.commit(tx).await;
    assert_eq!(one::<i64>(&fixture.client(), "SELECT n FROM counted"), 2);
}

#[tokio::test]
async fn reserved_names_are_refused() {
    let fixture = Fixture::new().await;
    let mut table = id_and(column("n", ColumnType::BigInt));
    for name in ["projectionist_lanes", "SQLITE_x", "acme__orders", ""] {
        table.name.name = name.into();
        let error = create(&fixture, &table).await.unwrap_err();
        assert!(
            matches!(error, Error::Configuration { .. }),
            "{name}: {error:?}"
        );
    }
    table.name.name = "orders".into();
    let error = create(&fixture, &of_tenant(&table, "a__b"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Row { .. }), "{error:?}");
}
