//! Numbers by tenant, fork and entity.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Parts tenant, fork and entity. The codec lets none of them hold it.
const SEPARATOR: char = '\0';

/// What the guard tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntityKey<'a> {
    pub(crate) tenant: &'a str,
    pub(crate) fork: &'a str,
    pub(crate) entity: &'a str,
}

/// Numbers by tenant, fork and entity. The keys stand in one text, so an entity that is not new
/// costs no allocation, and a cleared map keeps its room.
#[derive(Debug, Default)]
pub(super) struct EntityMap {
    text: String,
    entries: Vec<Entry>,
    table: HashTable<u32>,
    hasher: RandomState,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    start: u32,
    len: u32,
    last: Option<i64>,
}

impl EntityMap {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.entries.clear();
        self.table.clear();
    }

    pub(super) fn find(&self, key: EntityKey<'_>) -> Option<u32> {
        self.find_hashed(self.hash(key), key)
    }

    /// The index of `key`, and whether it was added. `None` when the map can address no more.
    pub(super) fn find_or_add(&mut self, key: EntityKey<'_>) -> Option<(u32, bool)> {
        let hash = self.hash(key);
        if let Some(index) = self.find_hashed(hash, key) {
            return Some((index, false));
        }
        let index = u32::try_from(self.entries.len()).ok()?;
        let start = u32::try_from(self.text.len()).ok()?;
        let len = u32::try_from(length(key)).ok()?;
        start.checked_add(len)?;
        self.text.push_str(key.tenant);
        self.text.push(SEPARATOR);
        self.text.push_str(key.fork);
        self.text.push(SEPARATOR);
        self.text.push_str(key.entity);
        self.entries.push(Entry {
            hash,
            start,
            len,
            last: None,
        });
        let entries = &self.entries;
        self.table
            .insert_unique(hash, index, |index| entries[*index as usize].hash);
        Some((index, true))
    }

    /// The number of an entry; `None` when none was ever applied.
    pub(super) fn last(&self, index: u32) -> Option<i64> {
        self.entries[index as usize].last
    }

    pub(super) fn set_last(&mut self, index: u32, last: Option<i64>) {
        self.entries[index as usize].last = last;
    }

    /// Tenant, fork and entity as one text, ordered like the three one after the other.
    pub(super) fn text_of(&self, index: u32) -> &str {
        let entry = &self.entries[index as usize];
        let start = entry.start as usize;
        self.text
            .get(start..start + entry.len as usize)
            .unwrap_or_default()
    }

    pub(super) fn key(&self, index: u32) -> EntityKey<'_> {
        let text = self.text_of(index);
        let (tenant, rest) = text.split_once(SEPARATOR).unwrap_or_default();
        let (fork, entity) = rest.split_once(SEPARATOR).unwrap_or_default();
        EntityKey {
            tenant,
            fork,
            entity,
        }
    }

    fn hash(&self, key: EntityKey<'_>) -> u64 {
        let mut state = self.hasher.build_hasher();
        if !(key.tenant.is_empty() && key.fork.is_empty()) {
            key.tenant.hash(&mut state);
            key.fork.hash(&mut state);
        }
        key.entity.hash(&mut state);
        state.finish()
    }

    fn find_hashed(&self, hash: u64, key: EntityKey<'_>) -> Option<u32> {
        let same =
            |index: &u32| self.entries[*index as usize].hash == hash && self.is_key(*index, key);
        self.table.find(hash, same).copied()
    }

    fn is_key(&self, index: u32, key: EntityKey<'_>) -> bool {
        let rest = self.text_of(index).strip_prefix(key.tenant);
        let rest = rest.and_then(|rest| rest.strip_prefix(SEPARATOR));
        let rest = rest.and_then(|rest| rest.strip_prefix(key.fork));
        let rest = rest.and_then(|rest| rest.strip_prefix(SEPARATOR));
        rest == Some(key.entity)
    }
}

fn length(key: EntityKey<'_>) -> usize {
    key.tenant.len() + key.fork.len() + key.entity.len() + 2 * SEPARATOR.len_utf8()
}
