//! The transaction that is lent to a handler.

use projectionist_core::contract::TransactionalOffsetStore;
use projectionist_core::{Claim, Commit, Offset, Result};
use rusqlite::{CachedStatement, OptionalExtension, Params, Row};
use tokio::sync::OwnedMutexGuard;

use crate::error::statement_error;
use crate::writer::{Writer, lost_transaction};
use crate::{SqliteStore, lane_move};

/// An open transaction on the file, lent to a handler.
///
/// It has the file's one writing connection to itself, and runs each statement in place. It offers
/// neither commit nor rollback: a statement that tries is refused, and if the transaction ends in
/// another way, nothing of it is kept and the commit is an error. Dropping it rolls back.
///
/// Statements are prepared once and kept, so pass values as parameters and not in the text.
#[derive(Debug)]
pub struct SqliteTx {
    pub(crate) writer: OwnedMutexGuard<Writer>,
}

impl SqliteTx {
    /// Runs a statement that returns no rows, and tells how many rows it changed.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Row`] when a constraint is broken,
    /// [`projectionist_core::Error::Store`] for everything else, with SQLite's error as its source.
    pub fn execute(&mut self, sql: &str, parameters: impl Params) -> Result<usize> {
        self.prepare_cached(sql)?
            .execute(parameters)
            .map_err(statement_error)
    }

    /// Runs statements that take no parameters, such as those that make tables.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn execute_batch(&mut self, sql: &str) -> Result<()> {
        self.check_open()?;
        let Writer {
            connection, watch, ..
        } = &mut *self.writer;
        watch
            .preparing(|| connection.execute_batch(sql))
            .map_err(statement_error)
    }

    /// Reads the first row of a query; `None` when it has none.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn query_row<T>(
        &mut self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        self.prepare_cached(sql)?
            .query_row(parameters, read)
            .optional()
            .map_err(statement_error)
    }

    /// Prepares a statement to run it many times, or to read many rows. It was prepared before
    /// where the same text was used in an earlier transaction. Pass its errors through
    /// [`statement_error`], so that an outage is told apart from a bad row.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn prepare_cached(&mut self, sql: &str) -> Result<CachedStatement<'_>> {
        self.check_open()?;
        let Writer {
            connection, watch, ..
        } = &mut *self.writer;
        watch
            .preparing(|| connection.prepare_cached(sql))
            .map_err(statement_error)
    }

    /// The row id of the last row that was inserted into a table with row ids.
    #[must_use]
    pub fn last_insert_rowid(&self) -> i64 {
        self.writer.connection.last_insert_rowid()
    }

    /// After the transaction has ended each statement would commit alone.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.writer.has_lost_transaction() {
            return Err(lost_transaction());
        }
        Ok(())
    }
}

impl Drop for SqliteTx {
    fn drop(&mut self) {
        // After a commit nothing is open, and nothing is forgotten.
        self.writer.roll_back();
    }
}

impl TransactionalOffsetStore for SqliteStore {
    type Tx = SqliteTx;

    async fn begin(&self, claim: &Claim, expected: Option<&Offset>) -> Result<SqliteTx> {
        let mut writer = self.file.writer().await;
        writer.begin()?;
        // From here on dropping `tx` rolls back.
        let mut tx = SqliteTx { writer };
        let Writer {
            connection, rows, ..
        } = &mut *tx.writer;
        rows.check(connection, claim, expected)?;
        Ok(tx)
    }

    async fn commit_in(&self, mut tx: SqliteTx, claim: &Claim, commit: &Commit) -> Result<()> {
        tx.check_open()?;
        lane_move::advance(&tx.writer.connection, claim, commit, self.clock.now())?;
        // Taken for known again only when the commit is known to have happened.
        let committed = tx.writer.commit();
        match &committed {
            Ok(()) => tx.writer.rows.committed(claim, commit),
            Err(_) => tx.writer.rows.forget(&claim.lane),
        }
        committed
    }

    async fn rollback(&self, tx: SqliteTx) -> Result<()> {
        drop(tx);
        Ok(())
    }
}
