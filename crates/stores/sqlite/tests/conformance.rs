//! The store passes every case that it does not decline.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers belong to tests: a step that fails must name its line"
)]

mod client;

use std::sync::Arc;
use std::time::Duration;

use client::Client;
use projectionist_conformance::{SteeredClock, StoreHarness};
use projectionist_core::row::{OwnedCell, Table};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

struct SqliteHarness {
    folder: TempDir,
    clock: SteeredClock,
    store: SqliteStore,
}

impl SqliteHarness {
    fn fresh() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::open(folder, SteeredClock::default())
    }

    fn open(folder: TempDir, clock: SteeredClock) -> Self {
        let path = folder.path().join("views.db");
        let store = SqliteStore::open_with_clock(path, options(), Arc::new(clock.clone())).unwrap();
        Self {
            folder,
            clock,
            store,
        }
    }
}

/// Cases that let many write at once may wait longer on a busy machine.
fn options() -> SqliteOptions {
    SqliteOptions::default().with_busy_timeout(Duration::from_secs(60))
}

impl StoreHarness for SqliteHarness {
    type Store = SqliteStore;

    fn store(&self) -> SqliteStore {
        self.store.clone()
    }

    async fn second_handle(&self) -> SqliteStore {
        let clock = Arc::new(self.clock.clone());
        SqliteStore::open_apart(self.store.path(), options(), clock).unwrap()
    }

    fn clock(&self) -> &SteeredClock {
        &self.clock
    }

    async fn rows(&self, table: &Table) -> Option<Vec<Vec<OwnedCell>>> {
        Client::open(self.store.path()).rows(table)
    }

    async fn reopen(self) -> Option<Self> {
        let Self {
            folder,
            clock,
            store,
        } = self;
        drop(store);
        Some(Self::open(folder, clock))
    }
}

projectionist_conformance::store_suite!(SqliteStore, SqliteHarness::fresh());
