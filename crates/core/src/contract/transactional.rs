//! An offset store that lends its transaction to the handler.

use std::future::Future;

use crate::contract::OffsetStore;
use crate::{Claim, Commit, Offset, Result};

/// An offset store that lends its transaction to the handler, so that the read model and the
/// offset move together.
///
/// # Contract
/// [`begin`](Self::begin) opens a transaction that holds the lane's row and has checked it: the
/// epoch is the claim's and the offset is `expected`. [`commit_in`](Self::commit_in) writes the
/// commit into that transaction and commits it. Dropping a `Tx` rolls it back.
///
/// The transaction is lent, not given: `Tx` offers the handler statements, and neither commit nor
/// rollback.
///
/// # Ordering
/// Between `begin` and the end of the transaction no other claim can commit for the lane.
///
/// # Durability
/// After `commit_in` returned, what the handler wrote and the offset are both there. After an
/// error neither is, unless the error is a [`crate::Error::Store`]: then the row tells.
///
/// # Cancellation
/// Dropping any of the futures rolls back, or leaves a finished commit finished.
///
/// # Errors
/// As [`OffsetStore`]; `begin` already tells [`crate::Error::Fenced`] and
/// [`crate::Error::UnexpectedOffset`].
///
/// # Example
/// ```
/// use projectionist_core::contract::TransactionalOffsetStore;
/// use projectionist_core::{Claim, Commit, Offset, Result};
///
/// async fn step<S: TransactionalOffsetStore>(store: &S, claim: &Claim, next: Offset) -> Result<()> {
///     let tx = store.begin(claim, None).await?;
///     // A handler writes through `tx` here.
///     let commit = Commit { offset: Some(next), ..Commit::default() };
///     store.commit_in(tx, claim, &commit).await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot run a projection exactly-once: it stores offsets but lends no transaction",
    label = "this store has no transactions",
    note = "use `Projection::at_least_once` with this store, or a transactional store such as SQLite"
)]
pub trait TransactionalOffsetStore: OffsetStore {
    /// An open transaction. Dropping it rolls back.
    type Tx: Send + 'static;

    /// Opens a transaction on the lane of `claim`, which must hold `expected`.
    fn begin(
        &self,
        claim: &Claim,
        expected: Option<&Offset>,
    ) -> impl Future<Output = Result<Self::Tx>> + Send;

    /// Writes `commit` into the transaction and commits it.
    fn commit_in(
        &self,
        tx: Self::Tx,
        claim: &Claim,
        commit: &Commit,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Rolls the transaction back, and waits for it.
    fn rollback(&self, tx: Self::Tx) -> impl Future<Output = Result<()>> + Send;
}
