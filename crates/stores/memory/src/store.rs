//! The handle on a store in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use projectionist_core::row::{OwnedCell, Table, TableName};
use projectionist_core::{Clock, SystemClock};

use crate::read_model::RowKey;
use crate::turns::{Held, Lent, Turns};

/// A store in memory. A clone is a handle on the same store; with the last one it is gone.
///
/// Calls take turns, and an open [transaction](crate::Tx) has the turn: whoever calls the store
/// meanwhile waits until the transaction has ended. A task that calls the store while it
/// holds a transaction itself waits for ever.
///
/// ```
/// use std::time::Duration;
/// use projectionist_core::contract::TransactionalOffsetStore;
/// use projectionist_core::contract::OffsetStore;
/// use projectionist_core::{ClaimOutcome, ClaimRequest, Commit, Owner, ProjectionId, Take};
/// use projectionist_store_memory::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> projectionist_core::Result<()> {
/// let store = MemoryStore::new();
/// let request = ClaimRequest {
///     lane: ProjectionId::new("orders", "all")?,
///     owner: Owner { instance: "example".into(), process: None },
///     ttl: Duration::from_secs(10),
///     take: Take::Free,
/// };
/// if let ClaimOutcome::Granted { claim, .. } = store.claim(&request).await? {
///     let mut tx = store.begin(&claim, None).await?;
///     tx.put("totals", "orders", "1".into());
///     store.commit_in(tx, &claim, &Commit::default()).await?;
/// }
/// assert_eq!(store.entries("totals").await["orders"], "1");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MemoryStore {
    turns: Arc<Turns>,
    clock: Arc<dyn Clock>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// An empty store on the system's clock.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock))
    }

    /// An empty store whose claims expire by `clock`.
    #[must_use]
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self {
            turns: Arc::default(),
            clock,
        }
    }

    /// The entries that handlers committed to `table` with [`crate::Tx::put`]; none for a table
    /// that nobody wrote to.
    pub async fn entries(&self, table: &str) -> BTreeMap<String, String> {
        let state = self.lock().await;
        state.entries.get(table).cloned().unwrap_or_default()
    }

    /// The committed rows of a read-model table, ordered by key: numbers, moments and truth values
    /// by value, everything else, NUMERIC included, by its bytes. None for a table that does not
    /// exist.
    pub async fn rows(&self, table: &TableName) -> Vec<Vec<OwnedCell>> {
        let state = self.lock().await;
        let rows = state.tables.get(table).map(|stored| stored.rows.values());
        rows.into_iter().flatten().map(|row| row.to_vec()).collect()
    }

    /// The committed row of a read-model table whose key has these cells, in the order of the key;
    /// `None` where there is none.
    pub async fn row(&self, table: &TableName, key: &[OwnedCell]) -> Option<Vec<OwnedCell>> {
        let state = self.lock().await;
        let row = state.tables.get(table)?.rows.get(&RowKey::from(key))?;
        Some(row.to_vec())
    }

    /// A read-model table as it was made, which is the order of the cells in [`rows`](Self::rows);
    /// `None` when it does not exist.
    pub async fn table(&self, table: &TableName) -> Option<Table> {
        let state = self.lock().await;
        state.tables.get(table).map(|stored| stored.shape.clone())
    }

    /// The names of all read-model tables, ordered; those of tenants too.
    pub async fn table_names(&self) -> Vec<TableName> {
        let state = self.lock().await;
        let mut names: Vec<TableName> = state.tables.keys().cloned().collect();
        names.sort();
        names
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    pub(crate) async fn lock(&self) -> Held<'_> {
        self.turns.hold().await
    }

    /// `None` while a transaction has the turn.
    pub(crate) fn try_lock(&self) -> Option<Held<'_>> {
        self.turns.held()
    }

    pub(crate) async fn lend(&self) -> Lent {
        self.turns.lend().await
    }
}
