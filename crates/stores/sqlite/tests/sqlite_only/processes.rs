//! Several processes on one file: real ones, which this test binary starts of itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use projectionist_conformance::steps::{self, lane, lane_named, offset, row, step};
use projectionist_core::contract::{ManagementStore, OffsetStore, TransactionalOffsetStore};
use projectionist_core::{ClaimOutcome, Commit, Error, SystemClock, Take};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use crate::{Fixture, client, file_in, one};

const ROLE: &str = "PROJECTIONIST_TEST_ROLE";
const FILE: &str = "PROJECTIONIST_TEST_FILE";
const STEPS: i64 = 200;

/// Starts this binary again, to run only [`child`].
fn start(role: &str, file: &std::path::Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::child", "--nocapture"])
        .env(ROLE, role)
        .env(FILE, file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn wait_for_line(child: &mut Child, wanted: &str) {
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(
        lines.any(|line| line.unwrap() == wanted),
        "the child ended before {wanted:?}"
    );
}

/// Not a test by itself: what the other process does.
#[test]
fn child() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(std::env::var(FILE).unwrap(), SqliteOptions::default());
        let store = store.unwrap();
        match role.as_str() {
            "dies" => hang_in_a_transaction(&store).await,
            "opens" => drop(steps::take(&store, &lane_named("opened", &own_key()), "child").await),
            name => count(&store, name).await,
        }
    });
}

/// A lane key that no other process has.
fn own_key() -> String {
    std::process::id().to_string()
}

async fn hang_in_a_transaction(store: &SqliteStore) {
    let claim = steps::take(store, &lane(), "child").await;
    let commit = step(None, "1");
    let mut tx = store.begin(&claim, None).await.unwrap();
    tx.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        .unwrap();
    store.commit_in(tx, &claim, &commit).await.unwrap();
    let mut tx = store.begin(&claim, commit.offset.as_ref()).await.unwrap();
    // More than the page cache holds: part of it is in the write-ahead log already.
    tx.execute_batch(
        "WITH RECURSIVE n (x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n LIMIT 10000)
         INSERT INTO t SELECT zeroblob(8000) FROM n",
    )
    .unwrap();
    println!("\nin the middle");
    std::io::stdout().flush().unwrap();
    // Until the parent kills this process, or is gone itself.
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

async fn count(store: &SqliteStore, name: &str) {
    let claim = steps::take(store, &lane_named(name, "all"), name).await;
    let mut expected = None;
    for number in 1..=STEPS {
        let mut tx = store.begin(&claim, expected.as_ref()).await.unwrap();
        tx.execute("UPDATE totals SET n = n + 1", []).unwrap();
        let commit = Commit {
            expected,
            offset: Some(offset(&number.to_string())),
            ..Commit::default()
        };
        store.commit_in(tx, &claim, &commit).await.unwrap();
        expected = commit.offset;
    }
}

#[tokio::test]
async fn a_process_killed_in_a_transaction_leaves_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = file_in(&folder);
    let mut child = start("dies", &path);
    wait_for_line(&mut child, "in the middle");
    child.kill().unwrap();
    child.wait().unwrap();

    let store = SqliteStore::open_existing(&path, SqliteOptions::default()).unwrap();
    let left = row(&store, &lane()).await;
    assert_eq!((left.offset, left.counters.applied), (Some(offset("1")), 1));
    assert_eq!(one::<i64>(&client(&path), "SELECT count(*) FROM t"), 1);
    assert_eq!(
        one::<String>(&client(&path), "PRAGMA integrity_check"),
        "ok"
    );
    // Nothing holds the lock, and the dead owner can be superseded.
    let (claim, _) = steps::take_with_state(&store, &lane(), "two", Take::From(left.epoch)).await;
    store.commit(&claim, &step(Some("1"), "2")).await.unwrap();
}

#[tokio::test]
async fn processes_that_make_the_same_file_at_once_share_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = file_in(&folder);
    let children = [(); 6].map(|()| start("opens", &path));
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let store = SqliteStore::open_existing(&path, SqliteOptions::default()).unwrap();
    assert_eq!(store.lanes().await.unwrap().len(), 6);
}

#[tokio::test]
async fn processes_take_turns() {
    let fixture = Fixture::new().await;
    fixture
        .run("CREATE TABLE totals (n); INSERT INTO totals VALUES (0)")
        .await;
    let names = ["first", "second", "third"];
    let children = names.map(|name| start(name, &fixture.path()));
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let total: i64 = one(&fixture.client(), "SELECT n FROM totals");
    assert_eq!(total, STEPS * 3);
    for name in names {
        let state = row(&fixture.store, &lane_named(name, "all")).await;
        assert_eq!(state.offset, Some(offset(&STEPS.to_string())));
    }
}

#[tokio::test]
async fn a_file_that_stays_busy_is_an_outage() {
    let fixture = Fixture::new().await;
    let impatient = SqliteOptions::default().with_busy_timeout(Duration::from_millis(1));
    let store = SqliteStore::open_apart(fixture.path(), impatient, Arc::new(SystemClock)).unwrap();
    let other = fixture.client();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    let busy = |result: Result<(), Error>| {
        let error = result.unwrap_err();
        assert!(error.is_retryable(), "{error}");
        assert!(error.to_string().contains("locked"), "{error}");
    };
    busy(store.commit(&fixture.claim, &step(None, "1")).await);
    busy(store.begin(&fixture.claim, None).await.map(drop));
    busy(store.release(&fixture.claim).await);
    busy(store.set_paused("orders", None, true).await);

    // A lane that is held is seen without the lock: whoever waits for it disturbs nobody.
    let seen = steps::ask(&store, &lane(), "two", Take::Free).await;
    assert!(matches!(seen, ClaimOutcome::Held { .. }), "{seen:?}");
    // An owner looks twice a second for what is asked of it.
    store.management(&lane()).await.unwrap();
    other.execute_batch("ROLLBACK").unwrap();
    store
        .commit(&fixture.claim, &step(None, "1"))
        .await
        .unwrap();
}
