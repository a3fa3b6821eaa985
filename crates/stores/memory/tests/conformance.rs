//! The store passes every case that it does not decline.

use std::sync::Arc;

use projectionist_conformance::{Capability, SteeredClock, StoreHarness};
use projectionist_core::row::{OwnedCell, Table};
use projectionist_store_memory::MemoryStore;

struct MemoryHarness {
    clock: SteeredClock,
    store: MemoryStore,
}

impl MemoryHarness {
    fn fresh() -> Self {
        let clock = SteeredClock::default();
        let store = MemoryStore::with_clock(Arc::new(clock.clone()));
        Self { clock, store }
    }
}

impl StoreHarness for MemoryHarness {
    type Store = MemoryStore;

    fn store(&self) -> MemoryStore {
        self.store.clone()
    }

    async fn second_handle(&self) -> MemoryStore {
        self.store.clone()
    }

    fn clock(&self) -> &SteeredClock {
        &self.clock
    }

    async fn rows(&self, table: &Table) -> Option<Vec<Vec<OwnedCell>>> {
        let exists = self.store.tables().await.contains(&table.name);
        if exists {
            Some(self.store.rows(&table.name).await)
        } else {
            None
        }
    }

    fn declines(&self, capability: Capability) -> Option<&'static str> {
        match capability {
            Capability::Reopen => Some("it keeps nothing beyond its handles"),
        }
    }
}

projectionist_conformance::store_suite!(MemoryStore, MemoryHarness::fresh());
