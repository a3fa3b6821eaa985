//! A bounded memory of the numbers that the store holds.

use super::entity_map::{EntityKey, EntityMap};

/// So many bytes of names may be kept for each entry on average before old ones are dropped.
const TEXT_BYTES_AN_ENTRY: usize = 256;

/// A bounded memory of the numbers that the store holds.
///
/// It has two halves: new entries go to the young one, and when that is full the old one is
/// forgotten and takes its place. So what was met lately is there, and nothing has to be linked or
/// moved.
#[derive(Debug)]
pub(super) struct LastNumbers {
    young: EntityMap,
    old: EntityMap,
    entries_a_half: usize,
    /// Changes whenever an index into the young half stops to name the same entity.
    generation: u64,
}

/// Where a number is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Nowhere,
    /// In the old half: it will be forgotten unless it is remembered again.
    Old,
    Young {
        index: u32,
        generation: u64,
    },
}

impl LastNumbers {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            young: EntityMap::default(),
            old: EntityMap::default(),
            entries_a_half: capacity / 2,
            generation: 0,
        }
    }

    /// What the store holds of `key`, as far as it is remembered.
    pub(super) fn find(&self, key: EntityKey<'_>) -> (Place, Option<i64>) {
        if let Some(index) = self.young.find(key) {
            let generation = self.generation;
            return (Place::Young { index, generation }, self.young.last(index));
        }
        match self.old.find(key) {
            Some(index) => (Place::Old, self.old.last(index)),
            None => (Place::Nowhere, None),
        }
    }

    /// Remembers the number of `key`, which was found at `place` in this group.
    pub(super) fn remember(&mut self, key: EntityKey<'_>, place: Place, last: Option<i64>) {
        match place {
            Place::Young { index, generation } if generation == self.generation => {
                self.young.set_last(index, last);
            }
            _ => self.add(key, last),
        }
    }

    fn add(&mut self, key: EntityKey<'_>, last: Option<i64>) {
        if self.entries_a_half == 0 {
            return;
        }
        let is_full = self.young.len() >= self.entries_a_half
            || self.young.text_bytes() >= self.entries_a_half * TEXT_BYTES_AN_ENTRY;
        if is_full {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
            self.generation += 1;
        }
        match self.young.find_or_add(key) {
            Some((index, _)) => self.young.set_last(index, last),
            // Out of room: an older number of the same entity must not be found instead.
            None => self.forget(),
        }
    }

    pub(super) fn forget(&mut self) {
        self.young.clear();
        self.old.clear();
        self.generation += 1;
    }
}
