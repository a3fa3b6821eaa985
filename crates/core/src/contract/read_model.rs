//! Tables that a store keeps in the transaction that also moves the lane.

use std::future::Future;

use crate::Result;
use crate::contract::TransactionalOffsetStore;
use crate::row::{RowBatch, Table};

/// Tables that a store keeps in the transaction that also moves the lane.
///
/// # Contract
/// A store gets typed rows and knows nothing of how they came about. It quotes every name and
/// binds every value: no text of an event ever becomes part of a statement.
///
/// [`create`](Self::create) makes a table that is missing, also for a tenant that was not seen
/// before; it is part of the transaction. A table that exists in another shape is refused, and so
/// is one that another owner made (see [`Table::owner`]): the store keeps the owner of every table
/// that it makes, in the same transaction. It also makes the indexes of [`Table::indexes`] that are
/// missing, in stores that have indexes; others ignore them. Indexes that nobody declared stay.
///
/// [`apply`](Self::apply) runs the batch's scope deletes and then its effects. For every effect
/// with `report_existed` it pushes onto `existed` whether the row was there, in their order.
///
/// # Ordering
/// Batches of one transaction take effect in the order of the calls. Within a batch each key has
/// one effect, so effects need no order.
///
/// # Durability
/// As the transaction.
///
/// # Cancellation
/// Dropping a future leaves the transaction to be rolled back.
///
/// # Errors
/// [`crate::Error::Schema`] for a table of another shape or of another owner, [`crate::Error::Row`] for a row that the
/// table cannot hold (a sum that leaves its type), [`crate::Error::Store`] for the store's own
/// failures. After an error the transaction can only be rolled back.
///
/// # Example
/// ```
/// use projectionist_core::Result;
/// use projectionist_core::contract::ReadModel;
/// use projectionist_core::row::{RowBatch, Table};
///
/// async fn write<S: ReadModel>(store: &S, tx: &mut S::Tx, table: &Table, batch: &RowBatch) -> Result<()> {
///     store.create(tx, table).await?;
///     store.apply(tx, table, batch, &mut Vec::new()).await
/// }
/// ```
pub trait ReadModel: TransactionalOffsetStore {
    /// Makes the table when it is missing, else checks its owner and its shape.
    fn create(&self, tx: &mut Self::Tx, table: &Table) -> impl Future<Output = Result<()>> + Send;

    /// Writes a batch of rows of an existing table.
    fn apply(
        &self,
        tx: &mut Self::Tx,
        table: &Table,
        batch: &RowBatch,
        existed: &mut Vec<bool>,
    ) -> impl Future<Output = Result<()>> + Send;
}
