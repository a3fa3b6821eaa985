//! Files that can be opened, and those that cannot, with what is said about them.

use std::path::Path;

use projectionist_conformance::steps::{self, lane, offset};
use projectionist_conformance::tables;
use projectionist_core::contract::{
    GuardScope, ManagementStore, OffsetStore, ReadModel, SequenceGuard, TransactionalOffsetStore,
};
use projectionist_core::row::Cell;
use projectionist_core::{Commit, Error, LaneManagement};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore, Synchronous};
use rusqlite::Connection;

use crate::{Fixture, client, file_in, older_file, older_table, one};

fn open(path: impl AsRef<Path>) -> Result<SqliteStore, Error> {
    SqliteStore::open(path, SqliteOptions::default())
}

/// The message of a path that is refused for good.
fn refusal(result: Result<SqliteStore, Error>) -> String {
    let error = result.unwrap_err();
    assert!(!error.is_retryable(), "{error}");
    error.to_string()
}

#[test]
fn paths_that_hold_no_file_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let said = refusal(open(folder.path()));
    assert!(said.contains("it is a folder"), "{said}");
    let said = refusal(open(folder.path().join("missing/views.db")));
    assert!(said.contains("make the folder first"), "{said}");
    for name in ["", ":memory:", "file:views.db?mode=memory", "file::memory:"] {
        let said = refusal(open(name));
        assert!(said.contains("outlive the process"), "{name:?}: {said}");
    }
}

#[test]
fn what_is_no_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = file_in(&folder);
    std::fs::write(&path, "views of the city\n".repeat(1000)).unwrap();
    let said = refusal(open(&path));
    assert!(
        said.contains("views.db") && said.contains("not a database"),
        "{said}"
    );
    let unchanged = std::fs::read_to_string(&path).unwrap();
    assert!(unchanged.starts_with("views of the city"));
}

#[tokio::test]
async fn a_damaged_file_is_refused() {
    let fixture = Fixture::new().await;
    let path = fixture.path();
    fixture
        .run("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        .await;
    let Fixture { folder, store, .. } = fixture;
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    // The first page but its header: the tree of the schema.
    bytes[100..4096].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let said = refusal(open(&path));
    assert!(said.contains("malformed"), "{said}");
    drop(folder);
}

#[test]
fn looking_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = file_in(&folder);
    let look = || SqliteStore::open_existing(&path, SqliteOptions::default());
    let said = refusal(look());
    assert!(said.contains("no such file"), "{said}");
    assert!(!path.exists());

    let stranger = Connection::open(&path).unwrap();
    stranger.execute_batch("CREATE TABLE t (x)").unwrap();
    let said = refusal(look());
    assert!(said.contains("no tables of projectionist"), "{said}");
    assert_eq!(
        one::<i64>(&stranger, "SELECT count(*) FROM sqlite_schema"),
        1
    );
    assert_eq!(one::<String>(&stranger, "PRAGMA journal_mode"), "delete");

    open(&path).unwrap();
    look().unwrap();
}

/// Runs only in a process whose user may not write the file: see the test below.
#[test]
fn open_what_may_not_be_written() {
    let Ok(path) = std::env::var(READ_ONLY_FILE) else {
        return;
    };
    let said = refusal(open(path));
    assert!(said.contains("it cannot be written"), "{said}");
    println!("\nrefused");
}

const READ_ONLY_FILE: &str = "PROJECTIONIST_TEST_READ_ONLY_FILE";

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_is_refused() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let folder = tempfile::tempdir().unwrap();
    let path = file_in(&folder);
    drop(open(&path).unwrap());
    let allow = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    // Permissions do not bind the superuser, so another user tries. It may not be allowed to enter
    // the folder that this binary was built in.
    let binary = folder.path().join("binary");
    std::fs::copy(std::env::current_exe().unwrap(), &binary).unwrap();
    allow(&binary, 0o555);
    allow(&path, 0o444);
    allow(folder.path(), 0o555);
    let mut command = std::process::Command::new(&binary);
    command
        .args([
            "--exact",
            "opening::open_what_may_not_be_written",
            "--nocapture",
        ])
        .env(READ_ONLY_FILE, &path)
        .current_dir("/");
    if std::fs::metadata(&path).unwrap().uid() == 0 {
        command.uid(65_534).gid(65_534);
    }
    let output = command.output().unwrap();
    allow(folder.path(), 0o755);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("\nrefused"),
        "{output:?}"
    );
}

#[test]
fn one_process_uses_one_set_of_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = file_in(&folder);
    let store = open(&path).unwrap();
    let full = SqliteOptions::default().with_synchronous(Synchronous::Full);
    let said = refusal(SqliteStore::open(&path, full.clone()));
    assert!(said.contains("other options"), "{said}");
    drop(store);
    SqliteStore::open(&path, full).unwrap();
}

#[tokio::test]
async fn every_spelling_of_a_path_shares_one_queue() {
    let fixture = Fixture::new().await;
    let roundabout = fixture.folder.path().join("x/..");
    std::fs::create_dir(fixture.folder.path().join("x")).unwrap();
    let other = open(roundabout.join("views.db")).unwrap();
    assert_eq!(other.path(), fixture.store.path());
    let tx = fixture.begin().await;
    let mut waiting = std::pin::pin!(other.begin(&fixture.claim, None));
    // A second connection would block here until SQLite gives up, and then fail.
    let polled = std::future::poll_fn(|context| {
        std::task::Poll::Ready(waiting.as_mut().poll(context).is_pending())
    });
    assert!(polled.await);
    drop(tx);
    waiting.await.unwrap();
}

#[tokio::test]
async fn a_file_that_was_replaced_is_another_one() {
    let fixture = Fixture::new().await;
    let path = fixture.path();
    for file in ["views.db", "views.db-wal", "views.db-shm"] {
        std::fs::remove_file(fixture.folder.path().join(file)).unwrap();
    }
    let fresh = open(&path).unwrap();
    assert_eq!(fresh.lane(&lane()).await.unwrap(), None);
}

#[tokio::test]
async fn an_older_file_is_brought_up_to_date_with_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = file_in(&folder);
    let older = Connection::open(&path).unwrap();
    // The first version, in which there were neither letters nor a guard.
    older
        .execute_batch(include_str!("../../src/schema/1_progress.sql"))
        .unwrap();
    older
        .execute_batch(
            "CREATE TABLE projectionist_schema (id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
             INSERT INTO projectionist_schema VALUES (1, 1);
             INSERT INTO projectionist_lanes (name, key, manifest, \"offset\", epoch, applied)
                 VALUES ('orders', 'all', 'conformance.v1', '17', 4, 9)",
        )
        .unwrap();
    drop(older);
    for _ in 0..2 {
        let store = SqliteStore::open_existing(&path, SqliteOptions::default()).unwrap();
        let row = steps::row(&store, &lane()).await;
        assert_eq!(row.offset, Some(offset("17")));
        assert_eq!((row.epoch.0, row.counters.applied), (4, 9));
        assert_eq!(steps::all_letters(&store).await, []);
    }
    let version: i64 = one(&client(&path), "SELECT version FROM projectionist_schema");
    assert!(version > 1);
}

#[tokio::test]
async fn the_read_models_of_an_older_file_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = file_in(&folder);
    older_file::write_version_5(&path);
    let store = open(&path).unwrap();
    let claim = steps::take(&store, &lane(), "one").await;
    let at = offset("17");
    let mut tx = store.begin(&claim, Some(&at)).await.unwrap();
    let scope = GuardScope {
        projection: "orders",
        tenant: "acme",
        fork: "",
    };
    let mut last = Vec::new();
    store
        .last_applied(&mut tx, scope, &["order-1"], &mut last)
        .await
        .unwrap();
    assert_eq!(last, [Some(12)]);
    let counted = older_table();
    store.create(&mut tx, &counted).await.unwrap();
    let batch = tables::adding(1, Cell::Numeric("0.5"));
    store
        .apply(&mut tx, &counted, &batch, &mut Vec::new())
        .await
        .unwrap();
    let commit = Commit {
        expected: Some(at),
        ..Commit::default()
    };
    store.commit_in(tx, &claim, &commit).await.unwrap();
    let client = client(&path);
    assert_eq!(
        one::<String>(&client, "SELECT value FROM counted WHERE id = 1"),
        "7.75"
    );
    assert_eq!(one::<String>(&client, "PRAGMA integrity_check"), "ok");
}

#[tokio::test]
async fn an_older_file_gets_the_same_tables_as_a_new_one() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    older_file::write_version_5(&file_in(&folders[0]));
    let columns = folders.each_ref().map(|folder| {
        let path = file_in(folder);
        drop(open(&path).unwrap());
        one::<String>(
            &client(&path),
            "SELECT group_concat(t.name || '.' || c.name || ' ' || c.type || c.\"notnull\"
                    || coalesce(c.dflt_value, ''), char(10) ORDER BY t.name, c.cid)
             FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
             WHERE t.name LIKE 'projectionist%'",
        )
    });
    assert_eq!(columns[0], columns[1]);
    assert!(columns[0].contains("projectionist_requests.command"));
}

#[tokio::test]
async fn a_newer_file_is_refused_and_left_alone() {
    let fixture = Fixture::new().await;
    let path = fixture.path();
    let Fixture { folder, store, .. } = fixture;
    drop(store);
    let newer = client(&path);
    newer
        .execute("UPDATE projectionist_schema SET version = 99", [])
        .unwrap();
    let said = refusal(open(&path));
    assert!(said.contains("version 99"), "{said}");
    assert_eq!(
        one::<i64>(&newer, "SELECT version FROM projectionist_schema"),
        99
    );
    drop(folder);
}

#[tokio::test]
async fn any_client_reads_while_a_projection_writes() {
    let fixture = Fixture::new().await;
    fixture.run("CREATE TABLE t (x)").await;
    let client = fixture.client();
    assert_eq!(one::<String>(&client, "PRAGMA journal_mode"), "wal");
    let mut tx = fixture.begin().await;
    tx.execute("INSERT INTO t VALUES (?1)", [1]).unwrap();
    assert_eq!(one::<i64>(&client, "SELECT count(*) FROM t"), 0);
    // Whoever asks for the status, or for what is asked of a lane, waits for no transaction either.
    assert_eq!(fixture.store.lanes().await.unwrap().len(), 1);
    let asked = fixture.store.management(&lane()).await.unwrap();
    assert_eq!(asked, LaneManagement::default());
    fixture.commit(tx).await;
    assert_eq!(one::<i64>(&client, "SELECT count(*) FROM t"), 1);
}
