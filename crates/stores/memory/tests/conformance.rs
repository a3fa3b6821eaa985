//! The store passes every case that it does not decline: itself, and behind a pointer that hides
//! its type.
#![expect(clippy::unwrap_used, reason = "a harness is a part of tests")]

use std::sync::Arc;

use projectionist_conformance::{Capability, OffsetStoreHarness, SteeredClock, StoreHarness};
use projectionist_core::contract::{DynOffsetStore, OffsetStore, ParkedStore};
use projectionist_core::row::{OwnedCell, Table};
use projectionist_store_memory::MemoryStore;

/// A store in memory, used through `Seen`.
struct MemoryHarness<Seen> {
    clock: SteeredClock,
    store: MemoryStore,
    seen: Seen,
}

impl<Seen> MemoryHarness<Seen> {
    fn fresh(seen: impl FnOnce(MemoryStore) -> Seen) -> Self {
        let clock = SteeredClock::default();
        let store = MemoryStore::with_clock(Arc::new(clock.clone()));
        Self {
            clock,
            seen: seen(store.clone()),
            store,
        }
    }
}

impl<Seen: OffsetStore + ParkedStore> OffsetStoreHarness for MemoryHarness<Seen> {
    type Store = Seen;
    type Letters = MemoryStore;

    fn store(&self) -> Seen {
        self.seen.clone()
    }

    async fn second_handle(&self) -> Seen {
        self.seen.clone()
    }

    fn clock(&self) -> &SteeredClock {
        &self.clock
    }

    fn letters(&self, _: &Seen) -> MemoryStore {
        self.store.clone()
    }

    fn declines(&self, capability: Capability) -> Option<&'static str> {
        match capability {
            Capability::Reopen => Some("it keeps nothing beyond its handles"),
            Capability::Migrate => Some("no older version of it has kept anything"),
            Capability::OtherProcess => Some("it lives in one process"),
            Capability::Ahead | Capability::AtomicCommit => None,
        }
    }
}

impl StoreHarness for MemoryHarness<MemoryStore> {
    async fn rows(&self, table: &Table) -> Option<Vec<Vec<OwnedCell>>> {
        let made = self.store.table(&table.name).await?;
        let place = |name| made.columns.iter().position(|column| column.name == name);
        let rows = self.store.rows(&table.name).await.into_iter().map(|row| {
            let names = table.columns.iter().map(|column| column.name.clone());
            names
                .map(|name| row[place(name).unwrap()].clone())
                .collect()
        });
        Some(rows.collect())
    }
}

projectionist_conformance::store_suite!(MemoryStore, MemoryHarness::fresh(|store| store));

mod erased {
    use super::*;

    fn erase(store: MemoryStore) -> Arc<dyn DynOffsetStore> {
        Arc::new(store)
    }

    projectionist_conformance::offset_store_suite!(
        Arc<dyn DynOffsetStore>,
        MemoryHarness::fresh(erase)
    );
}
