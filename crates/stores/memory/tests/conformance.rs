//! The store passes every case that it does not decline.
#![expect(clippy::unwrap_used, reason = "a harness is a part of tests")]

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

    fn declines(&self, capability: Capability) -> Option<&'static str> {
        match capability {
            Capability::Reopen => Some("it keeps nothing beyond its handles"),
        }
    }
}

projectionist_conformance::store_suite!(MemoryStore, MemoryHarness::fresh());
