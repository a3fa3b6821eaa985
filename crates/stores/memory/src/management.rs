//! Pause flags.

use std::collections::BTreeMap;

use projectionist_core::Result;
use projectionist_core::contract::{ManagementStore, PauseFlag};

use crate::MemoryStore;

/// The flags by name and key; the key is `None` for all lanes of a name.
pub(crate) type Flags = BTreeMap<(String, Option<String>), PauseFlag>;

impl ManagementStore for MemoryStore {
    async fn pause_flag(&self, name: &str, key: Option<&str>) -> Result<Option<PauseFlag>> {
        let state = self.lock().await;
        Ok(state.flags.get(&address(name, key)).cloned())
    }

    async fn set_paused(&self, name: &str, key: Option<&str>, paused: bool) -> Result<()> {
        let mut state = self.lock().await;
        let since = self.clock().now();
        let flag = PauseFlag { paused, since };
        let kept = state
            .flags
            .entry(address(name, key))
            .or_insert(flag.clone());
        // Saying again what is so already does not make it younger.
        if kept.paused != paused {
            *kept = flag;
        }
        Ok(())
    }
}

fn address(name: &str, key: Option<&str>) -> (String, Option<String>) {
    (name.to_owned(), key.map(ToOwned::to_owned))
}
