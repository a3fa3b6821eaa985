//! Remembers the last applied sequence number of every entity.

use std::future::Future;

use crate::Result;
use crate::contract::TransactionalOffsetStore;

/// Within what an entity is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GuardScope<'a> {
    /// The name of the projection.
    pub projection: &'a str,
    /// The tenant; empty for events without one.
    pub tenant: &'a str,
    /// The fork; empty for events without one.
    pub fork: &'a str,
}

/// The last applied sequence number of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardEntry<'a> {
    /// The entity.
    pub entity: &'a str,
    /// Its last applied sequence number.
    pub sequence: i64,
}

/// Remembers the last applied sequence number of every entity, in the transaction that applies.
///
/// An event at or below the remembered number was applied before, or came late: it is stale. This
/// is what makes replays and duplicates safe, counters included. The numbers stand beside the
/// read model, not in it, so they survive the deletion of rows.
///
/// # Contract
/// [`last_applied`](Self::last_applied) reads and [`record`](Self::record) writes within the
/// transaction. Entities are compared as whole texts, never by a hash: a collision would lose an
/// event.
///
/// Several lanes of one projection, also of different processes, share its numbers. Whoever
/// remembers numbers between transactions compares [`version`](Self::version): what is remembered
/// holds only while that stays the same.
///
/// # Ordering
/// `record` overwrites; whoever calls it never lowers a number. Entries come sorted by entity and
/// without duplicates.
///
/// # Durability
/// As the transaction.
///
/// # Cancellation
/// Dropping a future leaves the transaction to be rolled back.
///
/// # Errors
/// [`crate::Error::Store`] for the store's own failures.
///
/// # Example
/// ```
/// use projectionist_core::Result;
/// use projectionist_core::contract::{GuardEntry, GuardScope, SequenceGuard};
///
/// async fn is_stale<S: SequenceGuard>(store: &S, tx: &mut S::Tx, entity: &str, sequence: i64) -> Result<bool> {
///     let scope = GuardScope { projection: "orders", tenant: "", fork: "" };
///     let mut last = Vec::new();
///     store.last_applied(tx, scope, &[entity], &mut last).await?;
///     Ok(last[0].is_some_and(|last| sequence <= last))
/// }
/// ```
pub trait SequenceGuard: TransactionalOffsetStore {
    /// Pushes the last applied number of each entity onto `out`, in the order of `entities`;
    /// `None` for an entity that was never recorded.
    fn last_applied(
        &self,
        tx: &mut Self::Tx,
        scope: GuardScope<'_>,
        entities: &[&str],
        out: &mut Vec<Option<i64>>,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Remembers these numbers.
    fn record(
        &self,
        tx: &mut Self::Tx,
        scope: GuardScope<'_>,
        entries: &[GuardEntry<'_>],
    ) -> impl Future<Output = Result<()>> + Send;

    /// The version of the numbers of a projection, all its tenants and forks together: it differs
    /// from what it was at the end of an earlier transaction on this handle whenever someone else
    /// may have changed numbers since. That the transaction itself records may change it too, so
    /// take it after the last [`record`](Self::record).
    ///
    /// Versions have no order, and mean nothing on another handle or after a restart. One may
    /// differ although no number does; it is asked for in every transaction, so it must be cheap.
    fn version(
        &self,
        tx: &mut Self::Tx,
        projection: &str,
    ) -> impl Future<Output = Result<u64>> + Send;
}
