//! Dead letters.

use std::collections::BTreeSet;

use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, StoredDeadLetter};
use projectionist_core::{DeadLetter, DeadLetterOrigin, ProjectionId, Result};

use crate::MemoryStore;

/// The letters in the order in which they were kept.
#[derive(Debug, Default)]
pub(crate) struct Letters {
    kept: Vec<StoredDeadLetter>,
    identities: BTreeSet<Identity>,
}

/// What one letter is kept for.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    projection: String,
    key: String,
    manifest: String,
    offset: String,
}

impl Letters {
    /// Keeps a letter of `lane`, unless one of its identity is kept already.
    pub(crate) fn keep(&mut self, lane: &ProjectionId, letter: &DeadLetter) {
        let projection = match letter.origin {
            DeadLetterOrigin::Projection => lane.name(),
            DeadLetterOrigin::Source => "",
        };
        let identity = Identity {
            projection: projection.to_owned(),
            key: lane.key().to_owned(),
            manifest: letter.offset.manifest.to_string(),
            offset: letter.offset.text.clone(),
        };
        if self.identities.insert(identity) {
            self.kept.push(StoredDeadLetter {
                projection: projection.to_owned(),
                key: lane.key().to_owned(),
                letter: letter.clone(),
            });
        }
    }
}

impl DeadLetterStore for MemoryStore {
    async fn dead_letters(&self, filter: &DeadLetterFilter) -> Result<Vec<StoredDeadLetter>> {
        let state = self.lock().await;
        let asked = |stored: &&StoredDeadLetter| match &filter.projection {
            Some(projection) => stored.projection == *projection,
            None => true,
        };
        let letters = state.letters.kept.iter().filter(asked);
        Ok(letters.take(filter.limit).cloned().collect())
    }
}
