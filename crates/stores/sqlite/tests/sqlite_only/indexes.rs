//! Indexes of read models, as the file has them.

use projectionist_conformance::tables::{column, of_tenant, table};
use projectionist_core::contract::ReadModel;
use projectionist_core::row::{ColumnType, Table};
use projectionist_core::{Error, Result};

use crate::Fixture;

fn indexed(name: &str, indexes: &[&[usize]]) -> Table {
    let columns = ["id", "status", "at"].map(|name| column(name, ColumnType::Text));
    let mut made = table(name, columns.to_vec(), &[0]);
    made.indexes = indexes.iter().map(|index| (*index).into()).collect();
    made
}

async fn create(fixture: &Fixture, table: &Table) -> Result<()> {
    let mut tx = fixture.begin().await;
    fixture.store.create(&mut tx, table).await?;
    fixture.try_commit(tx).await
}

/// `name(columns)` of every index that was made by a statement.
fn indexes(fixture: &Fixture, table: &str) -> Vec<String> {
    let client = fixture.client();
    let sql = "SELECT list.name || '(' || group_concat(info.name, ',' ORDER BY info.seqno) || ')'
               FROM pragma_index_list(?1) AS list, pragma_index_info(list.name) AS info
               WHERE list.origin = 'c' GROUP BY list.name ORDER BY list.name";
    let mut statement = client.prepare(sql).unwrap();
    let found = statement.query_map([table], |row| row.get(0)).unwrap();
    found.map(|name| name.unwrap()).collect()
}

#[tokio::test]
async fn declared_indexes_are_made_with_the_table_and_used() {
    let fixture = Fixture::new().await;
    let made = indexed("orders", &[&[1, 2], &[2]]);
    create(&fixture, &made).await.unwrap();
    let expected = ["orders_at_idx(at)", "orders_status_at_idx(status,at)"];
    assert_eq!(indexes(&fixture, "orders"), expected);
    let client = fixture.client();
    let mut statement = client
        .prepare("EXPLAIN QUERY PLAN SELECT id FROM orders WHERE status = 'a' AND at > 'b'")
        .unwrap();
    let plan: String = statement.query_row([], |row| row.get("detail")).unwrap();
    assert!(plan.contains("orders_status_at_idx"), "{plan}");
}

#[tokio::test]
async fn what_is_missing_is_made_later_and_what_is_foreign_stays() {
    let fixture = Fixture::new().await;
    create(&fixture, &indexed("orders", &[])).await.unwrap();
    fixture
        .run(
            "CREATE INDEX by_hand ON orders (status);
             CREATE INDEX some_rows ON orders (at) WHERE status = 'open';",
        )
        .await;
    // One that another made by hand counts; one of some rows does not.
    let made = indexed("orders", &[&[1], &[2], &[2]]);
    create(&fixture, &made).await.unwrap();
    let expected = ["by_hand(status)", "orders_at_idx(at)", "some_rows(at)"];
    assert_eq!(indexes(&fixture, "orders"), expected);
    create(&fixture, &indexed("orders", &[])).await.unwrap();
    create(&fixture, &made).await.unwrap();
    assert_eq!(indexes(&fixture, "orders"), expected);
}

#[tokio::test]
async fn a_name_that_is_taken_gives_way() {
    let fixture = Fixture::new().await;
    let columns = ["id", "b", "a_b"].map(|name| column(name, ColumnType::Text));
    let of = |name: &str, index: usize| {
        let mut made = table(name, columns.to_vec(), &[0]);
        made.indexes = [[index].into()].into();
        made
    };
    let (one, other) = (of("t", 2), of("t_a", 1));
    create(&fixture, &one).await.unwrap();
    create(&fixture, &other).await.unwrap();
    assert_eq!(indexes(&fixture, "t"), ["t_a_b_idx(a_b)"]);
    let found = indexes(&fixture, "t_a");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("t_a_b_") && found[0].ends_with("_idx(b)"),
        "{found:?}"
    );
    create(&fixture, &other).await.unwrap();
    assert_eq!(indexes(&fixture, "t_a"), found);
}

#[tokio::test]
async fn tenants_have_indexes_of_their_own_and_a_rollback_leaves_none() {
    let fixture = Fixture::new().await;
    let made = indexed("orders", &[&[1]]);
    let tenant = of_tenant(&made, "acme");
    let mut tx = fixture.begin().await;
    fixture.store.create(&mut tx, &tenant).await.unwrap();
    drop(tx);
    assert!(indexes(&fixture, "acme__orders").is_empty());
    for table in [&made, &tenant] {
        create(&fixture, table).await.unwrap();
    }
    assert_eq!(indexes(&fixture, "orders"), ["orders_status_idx(status)"]);
    let expected = ["acme__orders_status_idx(status)"];
    assert_eq!(indexes(&fixture, "acme__orders"), expected);
}

#[tokio::test]
async fn an_index_of_a_column_that_is_not_there_is_refused() {
    let fixture = Fixture::new().await;
    for index in [&[3_usize][..], &[]] {
        let error = create(&fixture, &indexed("orders", &[index]))
            .await
            .unwrap_err();
        assert!(matches!(error, Error::Configuration { .. }), "{error:?}");
    }
}
