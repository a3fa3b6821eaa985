//! Settles dead letters in a transaction: the letter, and the counters of its lane.

use projectionist_core::contract::{StoredDeadLetter, TransactionalDeadLetterStore};
use projectionist_core::{
    Counters, DeadLetterFate, DeadLetterId, DeadLetterOrigin, ProjectionId, Result, Timestamp,
};

use crate::state::Undo;
use crate::{MemoryStore, Tx};

impl TransactionalDeadLetterStore for MemoryStore {
    async fn begin_settling(&self) -> Result<Tx> {
        Ok(Tx::open(self.lend().await))
    }

    async fn letter_in(&self, tx: &mut Tx, id: DeadLetterId) -> Result<Option<StoredDeadLetter>> {
        Ok(tx.state.letters.get(id).cloned())
    }

    async fn settle_in(
        &self,
        tx: &mut Tx,
        id: DeadLetterId,
        fate: &DeadLetterFate,
    ) -> Result<bool> {
        let Some(before) = tx.state.letters.get(id).cloned() else {
            return Ok(false);
        };
        match fate {
            DeadLetterFate::FailedAgain { defect, at } => {
                let mut after = before.clone();
                after.letter.defect = defect.clone();
                after.letter.failed_at = *at;
                after.letter.attempts = after.letter.attempts.saturating_add(1);
                tx.state.letters.put(after);
            }
            DeadLetterFate::Settled(counters) => {
                tx.state.letters.remove(id);
                if before.letter.origin == DeadLetterOrigin::Projection {
                    tx.count_anew(&before, counters, self.clock().now())?;
                }
            }
        }
        tx.undo.push(Undo::Letter(before));
        Ok(true)
    }

    async fn set_savepoint(&self, tx: &mut Tx) -> Result<()> {
        tx.savepoints.push(tx.undo.len());
        Ok(())
    }

    async fn keep_savepoint(&self, tx: &mut Tx) -> Result<()> {
        tx.savepoints.pop();
        Ok(())
    }

    async fn undo_savepoint(&self, tx: &mut Tx) -> Result<()> {
        let keep = tx.savepoints.pop().unwrap_or_default();
        tx.take_back_to(keep);
        Ok(())
    }

    async fn commit_settled(&self, mut tx: Tx) -> Result<()> {
        tx.undo.clear();
        Ok(())
    }
}

impl Tx {
    /// Counts one dead letter of a lane less, and what its event counts as now.
    fn count_anew(
        &mut self,
        stored: &StoredDeadLetter,
        counters: &Counters,
        now: Timestamp,
    ) -> Result<()> {
        let id = ProjectionId::new(&stored.projection, &stored.key)?;
        let Some(lane) = self.state.lanes.get_mut(&id) else {
            return Ok(());
        };
        let before = (lane.counters, lane.updated_at);
        lane.counters.dead_lettered = lane.counters.dead_lettered.saturating_sub(1);
        lane.counters.add(counters);
        lane.updated_at = Some(now);
        self.undo.push(Undo::Counters {
            lane: id,
            counters: before.0,
            updated_at: before.1,
        });
        Ok(())
    }
}
