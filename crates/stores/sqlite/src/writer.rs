//! The one connection of a file that writes, with what is remembered about the file.

use std::sync::Arc;

use projectionist_core::{Error, Result};
use rusqlite::Connection;

use crate::error::store_error;
use crate::guard_versions::GuardVersions;
use crate::known_rows::KnownRows;
use crate::read_model::known_tables::KnownTables;
use crate::scope_ids::ScopeIds;
use crate::transaction_watch::TransactionWatch;

// The comments keep these texts apart from a handler's: prepared statements are kept by their text,
// and a handler must not get one that was prepared, and so authorized, for the store.
const BEGIN: &str = "BEGIN IMMEDIATE /* by the store */";
const COMMIT: &str = "COMMIT /* by the store */";
const ROLLBACK: &str = "ROLLBACK /* by the store */";

/// The one connection of a file that writes. Whoever holds it has the turn.
///
/// What is remembered stands beside the connection, so that it cannot be used without the turn,
/// and a rollback can take back what was learnt from a transaction that never was.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) connection: Connection,
    pub(crate) watch: Arc<TransactionWatch>,
    pub(crate) tables: KnownTables,
    pub(crate) scopes: ScopeIds,
    pub(crate) guard_versions: GuardVersions,
    pub(crate) rows: KnownRows,
}

impl Writer {
    pub(crate) fn new(connection: Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            watch: TransactionWatch::install(&connection)?,
            connection,
            tables: KnownTables::default(),
            scopes: ScopeIds::default(),
            guard_versions: GuardVersions::default(),
            rows: KnownRows::default(),
        })
    }

    /// Opens a transaction that has the write lock of the file.
    pub(crate) fn begin(&mut self) -> Result<()> {
        if !self.connection.is_autocommit() {
            // A rollback failed earlier; nobody can have written since.
            self.roll_back();
        }
        self.run(BEGIN)
            .map_err(|error| store_error("begin a transaction", error))
    }

    /// Commits. After an error nothing of the transaction is there.
    pub(crate) fn commit(&mut self) -> Result<()> {
        if self.has_lost_transaction() {
            self.roll_back();
            return Err(lost_transaction());
        }
        let committed = self.watch.committing(|| self.run(COMMIT));
        if let Err(error) = committed {
            self.roll_back();
            return Err(store_error("commit the transaction", error));
        }
        self.tables.committed();
        self.scopes.committed();
        Ok(())
    }

    /// Rolls back what is open, and forgets what was learnt in it.
    pub(crate) fn roll_back(&mut self) {
        self.tables.rolled_back();
        self.scopes.rolled_back();
        if self.connection.is_autocommit() {
            return;
        }
        if let Err(error) = self.run(ROLLBACK) {
            tracing::warn!(%error, "a transaction could not be rolled back; the next one tries again");
        }
    }

    /// Forgets everything that is remembered about the file: names stand for something else.
    pub(crate) fn forget(&mut self) {
        self.tables.forget();
        self.scopes.forget();
        self.guard_versions.forget();
        self.rows = KnownRows::default();
    }

    /// Whether the transaction ended without the store.
    pub(crate) fn has_lost_transaction(&self) -> bool {
        self.connection.is_autocommit()
    }

    /// Runs `work` in a transaction of its own.
    pub(crate) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.begin()?;
        match work(&self.connection) {
            Ok(value) => self.commit().map(|()| value),
            Err(error) => {
                self.roll_back();
                Err(error)
            }
        }
    }

    fn run(&self, statement: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(statement)?.raw_execute()?;
        Ok(())
    }
}

/// What a handler is told that goes on after its transaction ended.
pub(crate) fn lost_transaction() -> Error {
    Error::Store {
        action: "go on with the transaction".to_owned(),
        retryable: false,
        source: "it was ended by a statement of the handler (COMMIT, ROLLBACK or ON CONFLICT \
                 ROLLBACK), or by SQLite after an error; a handler must leave it open and return \
                 every error. Nothing of it was kept"
            .into(),
    }
}
