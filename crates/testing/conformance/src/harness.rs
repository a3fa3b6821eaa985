//! What a store's tests must be able to do beside the contracts.

use std::future::Future;

use projectionist_core::contract::{
    DeadLetterStore, DeclarationStore, OffsetStore, ParkedStore, PauseFlag, ReadModel,
    SequenceGuard, StoredDeadLetter, TransactionalDeadLetterStore, TransactionalOffsetStore,
};
use projectionist_core::row::{OwnedCell, Table};
use projectionist_core::{LaneState, ProjectionId};

use crate::{Capability, SteeredClock};

/// Every contract of a store.
pub trait Store:
    OffsetStore
    + ParkedStore
    + DeadLetterStore
    + TransactionalOffsetStore
    + TransactionalDeadLetterStore
    + ReadModel
    + SequenceGuard
    + DeclarationStore
{
}

impl<S> Store for S where
    S: OffsetStore
        + ParkedStore
        + DeadLetterStore
        + TransactionalOffsetStore
        + TransactionalDeadLetterStore
        + ReadModel
        + SequenceGuard
        + DeclarationStore
{
}

/// A fresh, empty store with what the cases need beside the contracts. Each case gets its own.
///
/// This half suffices for a store that keeps lanes and has no transactions to lend:
/// [`offset_store_suite!`](crate::offset_store_suite).
pub trait OffsetStoreHarness: Sized + Send + Sync + 'static {
    /// The store.
    type Store: OffsetStore + ParkedStore;
    /// What reads the dead letters: the store itself, or the one behind it.
    type Letters: DeadLetterStore;

    /// A handle on the store; always the same one.
    fn store(&self) -> Self::Store;

    /// Another handle on the same store, as another process would have it where that is possible:
    /// a connection of its own. Never one that [`store`](Self::store) shares more with than the
    /// stored data and the clock, if the store can do that.
    fn second_handle(&self) -> impl Future<Output = Self::Store> + Send;

    /// The clock that every handle of the store reads.
    fn clock(&self) -> &SteeredClock;

    /// Reads the dead letters as `handle` sees them.
    fn letters(&self, handle: &Self::Store) -> Self::Letters;

    /// Closes every handle and opens the store again. `None` for a store that declines
    /// [`Capability::Reopen`].
    fn reopen(self) -> impl Future<Output = Option<Self>> + Send {
        std::future::ready(None)
    }

    /// Another store, which an older version of its code has made and filled, opened by this
    /// version. `None` for a store that declines [`Capability::Migrate`].
    fn older(&self) -> impl Future<Output = Option<OlderStore<Self>>> + Send {
        std::future::ready(None)
    }

    /// Where another process finds the store. `None` for a store that declines
    /// [`Capability::OtherProcess`].
    fn address(&self) -> Option<String> {
        None
    }

    /// Opens the store of another process by its [`address`](Self::address), on a clock of this
    /// process. `None` as there.
    fn open_at(address: &str) -> impl Future<Output = Option<Self::Store>> + Send {
        let _ = address;
        std::future::ready(None)
    }

    /// Why the store cannot do this; `None` when it can. The reason is printed with the count of
    /// the cases. Not asked for what the store's own capabilities tell.
    fn declines(&self, capability: Capability) -> Option<&'static str> {
        let _ = capability;
        None
    }
}

/// As [`OffsetStoreHarness`], of a store with every contract.
pub trait StoreHarness: OffsetStoreHarness<Store: Store> {
    /// All rows of a table in any order, their cells in the order of `table.columns`; `None` when
    /// there is no such table. Read in another way than the store's own writing code. Called only
    /// while no transaction is open.
    fn rows(&self, table: &Table) -> impl Future<Output = Option<Vec<Vec<OwnedCell>>>> + Send;
}

/// A store that an older version has filled, with what must be found in it.
pub struct OlderStore<H> {
    /// The store, opened by this version.
    pub harness: H,
    /// Every lane, by name and key: at least one, which holds an offset and is free.
    pub lanes: Vec<(ProjectionId, LaneState)>,
    /// Every letter, in the order of keeping: at least one.
    pub letters: Vec<StoredDeadLetter>,
    /// The flags by name and key: at least one.
    pub flags: Vec<(&'static str, Option<&'static str>, PauseFlag)>,
}
