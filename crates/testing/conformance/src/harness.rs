//! What a store's tests must be able to do beside the contracts.

use std::future::Future;

use projectionist_core::contract::{
    DeadLetterStore, ManagementStore, OffsetStore, ReadModel, SequenceGuard,
    TransactionalOffsetStore,
};
use projectionist_core::row::{OwnedCell, Table};

use crate::{Capability, SteeredClock};

/// Every contract of a store.
pub trait Store:
    OffsetStore
    + TransactionalOffsetStore
    + ManagementStore
    + DeadLetterStore
    + ReadModel
    + SequenceGuard
{
}

impl<S> Store for S where
    S: OffsetStore
        + TransactionalOffsetStore
        + ManagementStore
        + DeadLetterStore
        + ReadModel
        + SequenceGuard
{
}

/// A fresh, empty store with what the cases need beside the contracts. Each case gets its own.
pub trait StoreHarness: Sized + Send + Sync + 'static {
    /// The store.
    type Store: Store;

    /// A handle on the store; always the same one.
    fn store(&self) -> Self::Store;

    /// Another handle on the same store, as another process would have it where that is possible:
    /// a connection of its own. Never one that [`store`](Self::store) shares more with than the
    /// stored data and the clock, if the store can do that.
    fn second_handle(&self) -> impl Future<Output = Self::Store> + Send;

    /// The clock that every handle of the store reads.
    fn clock(&self) -> &SteeredClock;

    /// All rows of a table in any order, their cells in the order of `table.columns`; `None` when
    /// there is no such table. Read in another way than the store's own writing code. Called only
    /// while no transaction is open.
    fn rows(&self, table: &Table) -> impl Future<Output = Option<Vec<Vec<OwnedCell>>>> + Send;

    /// Closes every handle and opens the store again. `None` for a store that declines
    /// [`Capability::Reopen`].
    fn reopen(self) -> impl Future<Output = Option<Self>> + Send {
        std::future::ready(None)
    }

    /// Why the store cannot do this; `None` when it can. The reason is printed with the count of
    /// the cases.
    fn declines(&self, capability: Capability) -> Option<&'static str> {
        let _ = capability;
        None
    }
}
