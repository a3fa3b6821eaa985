//! The transaction that is lent to handlers.

use projectionist_core::contract::TransactionalOffsetStore;
use projectionist_core::{Claim, Commit, Offset, Result};

use crate::MemoryStore;
use crate::state::Undo;
use crate::turns::Lent;

/// An open transaction. It has what the store holds; dropping it takes back what was written.
#[derive(Debug)]
pub struct Tx {
    pub(crate) state: Lent,
    /// What the writes replaced, oldest first. Empty once committed.
    pub(crate) undo: Vec<Undo>,
    /// How much of `undo` stood at each open savepoint.
    pub(crate) savepoints: Vec<usize>,
}

impl Tx {
    pub(crate) fn open(state: Lent) -> Self {
        Self {
            state,
            undo: Vec::new(),
            savepoints: Vec::new(),
        }
    }

    /// Takes back all but the first `keep` writes.
    pub(crate) fn take_back_to(&mut self, keep: usize) {
        while self.undo.len() > keep
            && let Some(undo) = self.undo.pop()
        {
            self.state.take_back(undo);
        }
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        self.take_back_to(0);
    }
}

impl TransactionalOffsetStore for MemoryStore {
    type Tx = Tx;

    async fn begin(&self, claim: &Claim, expected: Option<&Offset>) -> Result<Tx> {
        let mut state = self.lend().await;
        match state.lane_at(claim, expected) {
            Ok(_) => Ok(Tx::open(state)),
            Err(error) => Err(*error),
        }
    }

    async fn commit_in(&self, mut tx: Tx, claim: &Claim, commit: &Commit) -> Result<()> {
        let committed = tx.state.commit(claim, commit, self.clock().recent());
        committed.map_err(|error| *error)?;
        tx.undo.clear();
        Ok(())
    }

    async fn rollback(&self, tx: Tx) -> Result<()> {
        drop(tx);
        Ok(())
    }
}
