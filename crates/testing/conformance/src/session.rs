//! A lane held by a case, to open transactions on.

use projectionist_core::contract::{ReadModel, TransactionalOffsetStore};
use projectionist_core::row::{OwnedCell, RowBatch, Table};
use projectionist_core::{Claim, Commit, Result};

use crate::steps::{lane, take};
use crate::{OffsetStoreHarness, StoreHarness};

/// A lane that is held, to open transactions on that move no offset.
pub struct Session<H: StoreHarness> {
    /// The store with what the case needs beside it.
    pub harness: H,
    /// The handle that the transactions are opened on.
    pub store: H::Store,
    /// The claim under which they are opened.
    pub claim: Claim,
}

impl<H: StoreHarness> Session<H> {
    /// Takes the lane.
    ///
    /// # Panics
    /// When it is held.
    pub async fn open(harness: H) -> Self {
        let store = harness.store();
        let claim = take(&store, &lane(), "one").await;
        Self {
            harness,
            store,
            claim,
        }
    }

    /// Closes the store and opens it again, under the same claim.
    ///
    /// # Panics
    /// When the store cannot be opened again.
    pub async fn reopened(self) -> Self {
        let Self {
            harness,
            store,
            claim,
        } = self;
        drop(store);
        let harness = harness.reopen().await.unwrap();
        Self {
            store: harness.store(),
            harness,
            claim,
        }
    }

    /// Opens a transaction.
    ///
    /// # Panics
    /// When the store refuses.
    pub async fn begin(&self) -> Tx<H> {
        self.store.begin(&self.claim, None).await.unwrap()
    }

    /// Commits a transaction.
    ///
    /// # Panics
    /// When the store refuses.
    pub async fn commit(&self, tx: Tx<H>) {
        let commit = Commit::default();
        self.store
            .commit_in(tx, &self.claim, &commit)
            .await
            .unwrap();
    }

    /// Makes a table, in a transaction of its own.
    ///
    /// # Errors
    /// What the store answers; then the transaction is rolled back.
    pub async fn create(&self, table: &Table) -> Result<()> {
        let mut tx = self.begin().await;
        self.store.create(&mut tx, table).await?;
        self.commit(tx).await;
        Ok(())
    }

    /// Writes a batch, in a transaction of its own, and gives what was reported.
    ///
    /// # Errors
    /// What the store answers; then the transaction is rolled back.
    pub async fn apply(&self, table: &Table, batch: &RowBatch) -> Result<Vec<bool>> {
        let mut existed = Vec::new();
        let mut tx = self.begin().await;
        self.store
            .apply(&mut tx, table, batch, &mut existed)
            .await?;
        self.commit(tx).await;
        Ok(existed)
    }

    /// Compares the rows of a table, in any order.
    ///
    /// # Panics
    /// When they differ, or when there is no such table.
    pub async fn assert_rows(&self, table: &Table, expected: &[Vec<OwnedCell>]) {
        let rows = self.harness.rows(table).await.unwrap();
        let in_order = |rows: &[Vec<OwnedCell>]| {
            let mut rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
            rows.sort_unstable();
            rows
        };
        assert_eq!(in_order(&rows), in_order(expected), "table {}", table.name);
    }
}

/// The transaction of a harness's store.
pub type Tx<H> = <<H as OffsetStoreHarness>::Store as TransactionalOffsetStore>::Tx;
