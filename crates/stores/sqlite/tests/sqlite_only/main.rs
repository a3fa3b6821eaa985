//! What only SQLite has: files, other processes on them, and the connection that is lent.
#![expect(
    clippy::unwrap_used,
    reason = "the helpers belong to tests: a step that fails must name its line"
)]

mod indexes;
mod known_rows;
mod lanes;
mod lent_transaction;
#[path = "../older_file/mod.rs"]
mod older_file;
mod opening;
mod owners;
mod processes;
mod rebuilds;
mod tables;
mod view;

use std::path::{Path, PathBuf};
use std::time::Duration;

use projectionist_conformance::steps;
use projectionist_conformance::tables::{column, id_and};
use projectionist_core::contract::TransactionalOffsetStore;
use projectionist_core::row::{ColumnType, Table};
use projectionist_core::{Claim, Commit};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore, SqliteTx};
use rusqlite::Connection;
use tempfile::TempDir;

/// A file in a folder of its own, with a store on it that holds a lane.
struct Fixture {
    folder: TempDir,
    store: SqliteStore,
    claim: Claim,
}

impl Fixture {
    async fn new() -> Self {
        Self::on(tempfile::tempdir().unwrap()).await
    }

    /// As [`new`](Self::new), on a file that may be there.
    async fn on(folder: TempDir) -> Self {
        let store = SqliteStore::open(file_in(&folder), SqliteOptions::default()).unwrap();
        let claim = steps::take(&store, &steps::lane(), "one").await;
        Self {
            folder,
            store,
            claim,
        }
    }

    fn path(&self) -> PathBuf {
        file_in(&self.folder)
    }

    /// Another program on the file.
    fn client(&self) -> Connection {
        client(&self.path())
    }

    async fn begin(&self) -> SqliteTx {
        self.store.begin(&self.claim, None).await.unwrap()
    }

    async fn try_commit(&self, tx: SqliteTx) -> projectionist_core::Result<()> {
        let commit = Commit::default();
        self.store.commit_in(tx, &self.claim, &commit).await
    }

    async fn commit(&self, tx: SqliteTx) {
        self.try_commit(tx).await.unwrap();
    }

    /// Runs statements in a transaction of their own.
    async fn run(&self, sql: &str) {
        let mut tx = self.begin().await;
        tx.execute_batch(sql).unwrap();
        self.commit(tx).await;
    }
}

/// The read model in the file that an older build has written.
fn older_table() -> Table {
    let limits = Some((12, 2));
    id_and(column("value", ColumnType::Numeric { limits }))
}

fn file_in(folder: &TempDir) -> PathBuf {
    folder.path().join("views.db")
}

fn client(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    connection
}

/// The only value of the only row.
fn one<T: rusqlite::types::FromSql>(connection: &Connection, sql: &str) -> T {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}
