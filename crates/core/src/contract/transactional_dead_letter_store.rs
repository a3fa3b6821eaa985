//! A store whose dead letters are settled in a transaction.

use std::future::Future;

use super::{DeadLetterStore, StoredDeadLetter, TransactionalOffsetStore};
use crate::{DeadLetterFate, DeadLetterId, Result};

/// A store whose dead letters are settled in a transaction: a letter goes, its lane counts it
/// anew, and the read model gets what the letter's event does, all together or not at all.
///
/// # Contract
/// [`begin_settling`](Self::begin_settling) opens a transaction without a claim: letters belong to
/// nobody, and settling one moves no offset. An owner of the lane goes on meanwhile, and what it
/// remembers of the [sequence guard](super::SequenceGuard) it revises by the guard's version.
///
/// [`settle_in`](Self::settle_in) changes the letter and the counters of its lane; the counts of
/// commits are added to whatever the row holds, so they add up whoever comes first.
///
/// Savepoints part a transaction, so that a letter whose event fails is taken back alone. They
/// nest: each one is ended by [`keep_savepoint`](Self::keep_savepoint) or
/// [`undo_savepoint`](Self::undo_savepoint), the
/// last one first.
///
/// # Ordering
/// Between the opening of a transaction and its end nobody else settles a letter or commits.
///
/// # Durability
/// After [`commit_settled`](Self::commit_settled) returned, all that was written in the transaction
/// is there; after an error, or when the transaction is dropped, nothing is, unless the error is a
/// [`crate::Error::Store`]: then the letter tells.
///
/// # Cancellation
/// Dropping any of the futures leaves the transaction to be rolled back.
///
/// # Errors
/// [`crate::Error::Store`] for the store's own failures, [`crate::Error::Damaged`] for a row that
/// cannot be read back.
///
/// # Example
/// ```
/// use projectionist_core::contract::TransactionalDeadLetterStore;
/// use projectionist_core::{DeadLetterFate, DeadLetterId, Result};
///
/// /// Gives a letter up; whether it was there.
/// async fn discard<S: TransactionalDeadLetterStore>(store: &S, id: DeadLetterId) -> Result<bool> {
///     let mut tx = store.begin_settling().await?;
///     let was_there = store.settle_in(&mut tx, id, &DeadLetterFate::discarded()).await?;
///     store.commit_settled(tx).await?;
///     Ok(was_there)
/// }
/// ```
pub trait TransactionalDeadLetterStore: DeadLetterStore + TransactionalOffsetStore {
    /// Opens a transaction without a claim.
    fn begin_settling(&self) -> impl Future<Output = Result<Self::Tx>> + Send;

    /// The letter of that name, as the transaction sees it; `None` when there is none (any more).
    fn letter_in(
        &self,
        tx: &mut Self::Tx,
        id: DeadLetterId,
    ) -> impl Future<Output = Result<Option<StoredDeadLetter>>> + Send;

    /// Writes down what became of a letter, and says whether there was one. Nothing is written
    /// when there was none.
    fn settle_in(
        &self,
        tx: &mut Self::Tx,
        id: DeadLetterId,
        fate: &DeadLetterFate,
    ) -> impl Future<Output = Result<bool>> + Send;

    /// Sets a savepoint.
    fn set_savepoint(&self, tx: &mut Self::Tx) -> impl Future<Output = Result<()>> + Send;

    /// Ends the last savepoint and keeps what was written since.
    fn keep_savepoint(&self, tx: &mut Self::Tx) -> impl Future<Output = Result<()>> + Send;

    /// Ends the last savepoint and takes back what was written since.
    fn undo_savepoint(&self, tx: &mut Self::Tx) -> impl Future<Output = Result<()>> + Send;

    /// Commits the transaction.
    fn commit_settled(&self, tx: Self::Tx) -> impl Future<Output = Result<()>> + Send;
}
