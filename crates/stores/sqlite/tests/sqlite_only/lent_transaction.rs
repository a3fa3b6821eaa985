//! A handler gets the connection, and neither the end of the transaction nor the store's tables.

use projectionist_core::ErrorClass;
use projectionist_core::contract::{
    GuardEntry, GuardScope, SequenceGuard, TransactionalOffsetStore,
};
use projectionist_store_sqlite::statement_error;

use crate::{Fixture, one};

/// A store with a table of numbers.
async fn fixture() -> Fixture {
    let fixture = Fixture::new().await;
    fixture
        .run("CREATE TABLE t (x INTEGER PRIMARY KEY) STRICT")
        .await;
    fixture
}

fn numbers(fixture: &Fixture) -> Vec<i64> {
    let client = fixture.client();
    let mut statement = client.prepare("SELECT x FROM t ORDER BY x").unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

#[tokio::test]
async fn statements_that_end_the_transaction_are_refused() {
    let fixture = fixture().await;
    let mut tx = fixture.begin().await;
    tx.execute("INSERT INTO t VALUES (1)", []).unwrap();
    let forbidden = [
        "COMMIT",
        "commit transaction",
        "END",
        "ROLLBACK",
        "BEGIN",
        "ATTACH 'other.db' AS other",
        "UPDATE projectionist_lanes SET epoch = 9",
        "DELETE FROM Projectionist_Guard",
        "DROP TABLE projectionist_lanes",
    ];
    for sql in forbidden {
        for error in [
            tx.execute(sql, []).unwrap_err(),
            tx.execute_batch(&format!("SELECT 1; {sql}; SELECT 2"))
                .unwrap_err(),
        ] {
            assert!(
                error.to_string().contains("the transaction is lent"),
                "{sql}: {error}"
            );
            assert!(!error.is_retryable(), "{sql}");
        }
    }
    tx.execute("INSERT INTO t VALUES (2)", []).unwrap();
    assert_eq!(numbers(&fixture), [0; 0]);
    fixture.commit(tx).await;
    assert_eq!(numbers(&fixture), [1, 2]);
}

#[tokio::test]
async fn savepoints_are_the_handlers_own() {
    let fixture = fixture().await;
    let mut tx = fixture.begin().await;
    tx.execute_batch("INSERT INTO t VALUES (1); SAVEPOINT a; INSERT INTO t VALUES (2)")
        .unwrap();
    tx.execute_batch("ROLLBACK TO a; INSERT INTO t VALUES (3); RELEASE a")
        .unwrap();
    fixture.commit(tx).await;
    assert_eq!(numbers(&fixture), [1, 3]);
}

#[tokio::test]
async fn a_transaction_that_ended_is_not_taken_for_an_open_one() {
    let fixture = fixture().await;
    fixture.run("INSERT INTO t VALUES (1)").await;
    let mut tx = fixture.begin().await;
    tx.execute("INSERT INTO t VALUES (2)", []).unwrap();
    {
        let mut insert = tx
            .prepare_cached("INSERT OR ROLLBACK INTO t VALUES (?1)")
            .unwrap();
        insert.execute([1]).unwrap_err();
        // Outside of the transaction this would commit alone.
        insert.execute([3]).unwrap_err();
    }
    let error = tx.execute("INSERT INTO t VALUES (4)", []).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("ended by a statement of the handler"),
        "{error}"
    );
    let error = fixture.try_commit(tx).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("ended by a statement of the handler"),
        "{error}"
    );
    assert_eq!(numbers(&fixture), [1]);
    fixture.run("INSERT INTO t VALUES (5)").await;
    assert_eq!(numbers(&fixture), [1, 5]);
}

#[tokio::test]
async fn a_dropped_transaction_leaves_nothing_and_frees_the_file() {
    let fixture = fixture().await;
    let mut tx = fixture.begin().await;
    tx.execute("INSERT INTO t VALUES (1)", []).unwrap();
    drop(tx);
    let client = fixture.client();
    client.execute("INSERT INTO t VALUES (2)", []).unwrap();
    assert_eq!(numbers(&fixture), [2]);
}

#[tokio::test]
async fn a_broken_constraint_is_the_fault_of_the_event() {
    let fixture = fixture().await;
    let mut tx = fixture.begin().await;
    let insert = "INSERT INTO t VALUES (?1)";
    tx.execute(insert, [1]).unwrap();
    let direct = tx.execute(insert, [1]).unwrap_err();
    let error = tx
        .prepare_cached(insert)
        .unwrap()
        .execute(["text"])
        .unwrap_err();
    for error in [direct, statement_error(error)] {
        assert_eq!(error.class(), ErrorClass::Data, "{error}");
    }
    let wrong = tx
        .execute("INSERT INTO nowhere VALUES (1)", [])
        .unwrap_err();
    assert_eq!(wrong.class(), ErrorClass::Handler);
    assert!(
        wrong.to_string().contains("no such table: nowhere"),
        "{wrong}"
    );
}

#[tokio::test]
async fn a_handler_reads_what_it_wrote() {
    let fixture = fixture().await;
    let mut tx = fixture.begin().await;
    tx.execute("INSERT INTO t VALUES (?1)", [7]).unwrap();
    assert_eq!(tx.last_insert_rowid(), 7);
    let sql = "SELECT x FROM t WHERE x = ?1";
    let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    assert_eq!(tx.query_row(sql, [7], read).unwrap(), Some(7));
    assert_eq!(tx.query_row(sql, [8], read).unwrap(), None);
    // A quoted name that is no column is no text.
    let error = tx.query_row("SELECT \"nothing\"", [], read).unwrap_err();
    assert!(error.to_string().contains("no such column"), "{error}");
}

#[tokio::test]
async fn a_scope_that_was_rolled_back_is_made_again() {
    let fixture = fixture().await;
    let scope = GuardScope {
        projection: "orders",
        tenant: "acme",
        fork: "",
    };
    let entries = [GuardEntry {
        entity: "a",
        sequence: 7,
    }];
    let other = GuardScope {
        tenant: "other",
        ..scope
    };
    let store = &fixture.store;
    let mut tx = fixture.begin().await;
    store.record(&mut tx, scope, &entries).await.unwrap();
    drop(tx);
    // Had the number been remembered, both scopes would have the same one now.
    let mut tx = fixture.begin().await;
    store.record(&mut tx, other, &[]).await.unwrap();
    store.record(&mut tx, scope, &entries).await.unwrap();
    fixture.commit(tx).await;
    let mut tx = fixture.begin().await;
    let mut last = Vec::new();
    for scope in [scope, other] {
        store
            .last_applied(&mut tx, scope, &["a", "b"], &mut last)
            .await
            .unwrap();
    }
    assert_eq!(last, [Some(7), None, None, None]);
    drop(tx);
    let joined = "SELECT tenant FROM projectionist_guard JOIN projectionist_guard_scopes
                  ON id = scope WHERE entity = 'a' AND sequence = 7";
    assert_eq!(one::<String>(&fixture.client(), joined), "acme");
}

#[tokio::test]
async fn a_transaction_ends_with_a_panic_of_its_handler() {
    let fixture = fixture().await;
    let (store, claim) = (fixture.store.clone(), fixture.claim.clone());
    let handler = tokio::spawn(async move {
        let mut tx = store.begin(&claim, None).await.unwrap();
        tx.execute("INSERT INTO t VALUES (1)", []).unwrap();
        panic!("a handler that panics");
    });
    assert!(handler.await.unwrap_err().is_panic());
    fixture.run("INSERT INTO t VALUES (2)").await;
    assert_eq!(numbers(&fixture), [2]);
}
