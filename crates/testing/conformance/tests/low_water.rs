//! A store that can do the least that a store must passes every case that it does not decline.

use std::sync::Arc;

use projectionist_conformance::{Capability, OffsetStoreHarness, SteeredClock};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::LowWaterStore;

struct LowWaterHarness {
    clock: SteeredClock,
    store: LowWaterStore<MemoryStore>,
}

impl LowWaterHarness {
    fn fresh() -> Self {
        let clock = SteeredClock::default();
        let inner = MemoryStore::with_clock(Arc::new(clock.clone()));
        Self {
            clock,
            store: LowWaterStore::over(inner),
        }
    }
}

impl OffsetStoreHarness for LowWaterHarness {
    type Store = LowWaterStore<MemoryStore>;
    type Letters = MemoryStore;

    fn store(&self) -> LowWaterStore<MemoryStore> {
        self.store.clone()
    }

    async fn second_handle(&self) -> LowWaterStore<MemoryStore> {
        self.store.clone()
    }

    fn clock(&self) -> &SteeredClock {
        &self.clock
    }

    fn letters(&self, handle: &LowWaterStore<MemoryStore>) -> MemoryStore {
        handle.inner().clone()
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

projectionist_conformance::offset_store_suite!(
    LowWaterStore<MemoryStore>,
    LowWaterHarness::fresh()
);
