//! Whose tables are: kept in the file, adopted from older files, and compared before a run.

use projectionist_conformance::tables::{OWNER, column, id_and, of_owner, of_tenant};
use projectionist_core::contract::ReadModel;
use projectionist_core::row::{ColumnType, Table};
use projectionist_core::{Error, Result};
use rusqlite::Connection;

use crate::{Fixture, client, file_in, older_file, older_table, one};

/// A projection that writes into the table of [`OWNER`] too.
const OTHER: &str = "income";

fn counted() -> Table {
    id_and(column("n", ColumnType::BigInt))
}

async fn create(fixture: &Fixture, table: &Table) -> Result<()> {
    let mut tx = fixture.begin().await;
    fixture.store.create(&mut tx, table).await?;
    fixture.try_commit(tx).await
}

/// All that the file holds of tables and their owners.
fn contents(client: &Connection) -> Vec<(String, Option<String>)> {
    let sql = "SELECT name || ' ' || coalesce(sql, ''), projection FROM sqlite_schema
               LEFT JOIN projectionist_tables ON table_name = name ORDER BY 1";
    let mut statement = client.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

fn owner(client: &Connection, table: &str) -> String {
    let sql = format!("SELECT projection FROM projectionist_tables WHERE table_name = '{table}'");
    one(client, &sql)
}

fn assert_schema<T: std::fmt::Debug>(refused: Result<T>, words: &[&str]) {
    let error = refused.unwrap_err();
    assert!(matches!(error, Error::Schema { .. }), "{error:?}");
    let said = error.to_string();
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[tokio::test]
async fn a_table_without_an_owner_is_for_the_first_who_commits() {
    let fixture = Fixture::new().await;
    let by_hand =
        r#"CREATE TABLE counted ("id" INTEGER NOT NULL, "n" INTEGER, PRIMARY KEY ("id")) STRICT"#;
    fixture.client().execute_batch(by_hand).unwrap();
    let table = counted();

    let mut tx = fixture.begin().await;
    let other = of_owner(&table, OTHER);
    fixture.store.create(&mut tx, &other).await.unwrap();
    drop(tx);
    create(&fixture, &table).await.unwrap();
    assert_eq!(owner(&fixture.client(), "counted"), OWNER);
    assert_schema(create(&fixture, &other).await, &["counted", OWNER, OTHER]);

    // A table of another shape is nobody's, whoever asks.
    let wide = "CREATE TABLE acme__counted (id INTEGER NOT NULL PRIMARY KEY) STRICT";
    fixture.client().execute_batch(wide).unwrap();
    let refused = create(&fixture, &of_tenant(&table, "acme")).await;
    assert_schema(refused, &["column `n` is missing"]);
    assert_eq!(
        one::<i64>(
            &fixture.client(),
            "SELECT count(*) FROM projectionist_tables"
        ),
        1
    );
}

#[tokio::test]
async fn a_table_of_an_older_file_is_for_the_first_who_asks() {
    let folder = tempfile::tempdir().unwrap();
    older_file::write_version_5(&file_in(&folder));
    // As the version before that one wrote it.
    client(&file_in(&folder))
        .execute_batch(
            "DROP TABLE projectionist_tables; DELETE FROM projectionist_lanes;
             UPDATE projectionist_schema SET version = 4",
        )
        .unwrap();
    let fixture = Fixture::on(folder).await;
    let counted = older_table();
    let renamed = of_owner(&counted, OTHER);
    create(&fixture, &renamed).await.unwrap();
    assert_eq!(owner(&fixture.client(), "counted"), OTHER);
    assert_schema(create(&fixture, &counted).await, &[OTHER]);
}

#[tokio::test]
async fn a_dropped_table_has_no_owner_any_more() {
    let fixture = Fixture::new().await;
    create(&fixture, &counted()).await.unwrap();
    let other = of_owner(&counted(), OTHER);
    fixture
        .client()
        .execute_batch("DROP TABLE counted")
        .unwrap();
    fixture.store.check_tables(&other).unwrap();
    create(&fixture, &other).await.unwrap();
    assert_eq!(owner(&fixture.client(), "counted"), OTHER);
}

#[tokio::test]
async fn a_handler_cannot_change_the_owner() {
    let fixture = Fixture::new().await;
    create(&fixture, &counted()).await.unwrap();
    let mut tx = fixture.begin().await;
    let sql = "UPDATE projectionist_tables SET projection = 'income'";
    tx.execute(sql, []).unwrap_err();
}

#[tokio::test]
async fn tables_are_compared_without_a_transaction_and_nothing_is_made() {
    let fixture = Fixture::new().await;
    let table = counted();
    let before = contents(&fixture.client());
    assert_eq!(fixture.store.check_tables(&table).unwrap(), 0);
    assert_eq!(contents(&fixture.client()), before);

    create(&fixture, &of_tenant(&table, "acme")).await.unwrap();
    create(&fixture, &of_tenant(&table, "a_")).await.unwrap();
    let before = contents(&fixture.client());
    // Whoever writes meanwhile is not waited for.
    let tx = fixture.begin().await;
    assert_eq!(fixture.store.check_tables(&table).unwrap(), 2);
    let of_any_tenant = of_tenant(&table, "globex");
    fixture.store.check_tables(&of_any_tenant).unwrap();
    let renamed = of_owner(&table, OTHER);
    assert_schema(fixture.store.check_tables(&renamed), &["a_.counted", OWNER]);
    let changed = id_and(column("n", ColumnType::Int));
    assert_schema(
        fixture.store.check_tables(&changed),
        &["a_.counted", "column `n` is BIGINT, not INT"],
    );
    drop(tx);
    assert_eq!(contents(&fixture.client()), before);
}

#[tokio::test]
async fn every_table_of_the_name_is_compared_and_no_other() {
    let table = counted();
    let fixture = Fixture::new().await;
    let wrong = |name: &str| format!("CREATE TABLE \"{name}\" (x)");
    // What stands in nobody's way: other tables, and views over those of the tenants.
    for name in [
        "discounted",
        "acme_counted",
        "a__b__counted",
        "__counted",
        "counted__acme",
    ] {
        fixture.client().execute_batch(&wrong(name)).unwrap();
    }
    let view = "CREATE VIEW counted AS SELECT 1; CREATE VIEW globex__counted AS SELECT 1";
    fixture.client().execute_batch(view).unwrap();
    fixture.store.check_tables(&table).unwrap();

    for name in ["acme__counted", "a___counted", "it's \"so\"__counted"] {
        let name = name.replace('"', "\"\"");
        fixture.client().execute_batch(&wrong(&name)).unwrap();
        let refused = fixture.store.check_tables(&table);
        assert_schema(refused, &["column `id` is missing"]);
        let drop = format!("DROP TABLE \"{name}\"");
        fixture.client().execute_batch(&drop).unwrap();
    }
    fixture.store.check_tables(&table).unwrap();
    fixture
        .client()
        .execute_batch("DROP VIEW counted; CREATE TABLE counted (x)")
        .unwrap();
    assert_schema(fixture.store.check_tables(&table), &["table counted:"]);
}

#[tokio::test]
async fn a_name_that_no_table_can_have_is_refused() {
    let fixture = Fixture::new().await;
    let mut table = counted();
    table.name.name = "projectionist_lanes".into();
    let error = fixture.store.check_tables(&table).unwrap_err();
    assert!(matches!(error, Error::Configuration { .. }), "{error:?}");
}
