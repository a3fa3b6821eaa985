//! Dead letters.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, StoredDeadLetter};
use projectionist_core::{DeadLetter, DeadLetterId, DeadLetterOrigin, ProjectionId, Result};

use crate::MemoryStore;

/// The letters in the order in which they were kept, which is that of their names.
#[derive(Debug, Default)]
pub(crate) struct Letters {
    kept: BTreeMap<DeadLetterId, StoredDeadLetter>,
    identities: BTreeSet<Identity>,
    last_id: u64,
}

/// What one letter is kept for.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    projection: String,
    key: String,
    manifest: String,
    offset: String,
}

impl Identity {
    fn of(projection: &str, key: &str, letter: &DeadLetter) -> Self {
        Self {
            projection: projection.to_owned(),
            key: key.to_owned(),
            manifest: letter.offset.manifest.to_string(),
            offset: letter.offset.text.clone(),
        }
    }
}

impl Letters {
    /// Keeps a letter of `lane`, unless one of its identity is kept already.
    pub(crate) fn keep(&mut self, lane: &ProjectionId, letter: &DeadLetter) {
        let projection = match letter.origin {
            DeadLetterOrigin::Projection => lane.name(),
            DeadLetterOrigin::Source => "",
        };
        let identity = Identity::of(projection, lane.key(), letter);
        if self.identities.contains(&identity) {
            return;
        }
        self.last_id += 1;
        self.put(StoredDeadLetter {
            id: DeadLetterId(self.last_id),
            projection: projection.to_owned(),
            key: lane.key().to_owned(),
            letter: letter.clone(),
        });
    }

    pub(crate) fn get(&self, id: DeadLetterId) -> Option<&StoredDeadLetter> {
        self.kept.get(&id)
    }

    /// Puts a letter in its place, over the one that is there.
    pub(crate) fn put(&mut self, stored: StoredDeadLetter) {
        let identity = Identity::of(&stored.projection, &stored.key, &stored.letter);
        self.identities.insert(identity);
        self.kept.insert(stored.id, stored);
    }

    pub(crate) fn remove(&mut self, id: DeadLetterId) {
        if let Some(stored) = self.kept.remove(&id) {
            let identity = Identity::of(&stored.projection, &stored.key, &stored.letter);
            self.identities.remove(&identity);
        }
    }
}

impl DeadLetterStore for MemoryStore {
    async fn dead_letters(&self, filter: &DeadLetterFilter) -> Result<Vec<StoredDeadLetter>> {
        let state = self.lock().await;
        let after = filter.after.map_or(Bound::Unbounded, Bound::Excluded);
        let letters = state.letters.kept.range((after, Bound::Unbounded));
        let asked = letters
            .map(|(_, stored)| stored)
            .filter(|stored| filter.matches(stored));
        Ok(asked.take(filter.limit).cloned().collect())
    }
}
