//! Finds the effect of a key.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use projectionist_core::row::{Cell, RowBatch, RowRef};

/// The keys of a table that have effects, by their typed cells.
#[derive(Debug, Default)]
pub(super) struct KeyIndex {
    table: HashTable<u32>,
    keys: Vec<Key>,
    hasher: RandomState,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    /// A row that holds the key.
    row: RowRef,
    hash: u64,
    /// The key's effect in its last layer.
    effect: u32,
    forgotten: bool,
}

impl KeyIndex {
    /// The key of `row`.
    pub(super) fn find(&self, arena: &RowBatch, key: &[usize], row: RowRef) -> Option<u32> {
        let hash = hash_cells(&self.hasher, arena, key, row);
        let same = |id: &u32| same_cells(arena, key, self.keys[*id as usize].row, row);
        self.table.find(hash, same).copied()
    }

    /// Adds the key of `row`, which is not there, with its first effect.
    pub(super) fn add(&mut self, arena: &RowBatch, key: &[usize], row: RowRef, effect: u32) -> u32 {
        let hash = hash_cells(&self.hasher, arena, key, row);
        let id = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        self.keys.push(Key {
            row,
            hash,
            effect,
            forgotten: false,
        });
        let keys = &self.keys;
        self.table
            .insert_unique(hash, id, |id| keys[*id as usize].hash);
        id
    }

    pub(super) fn effect_of(&self, id: u32) -> u32 {
        self.keys[id as usize].effect
    }

    pub(super) fn set_effect(&mut self, id: u32, effect: u32) {
        self.keys[id as usize].effect = effect;
    }

    pub(super) fn is_forgotten(&self, id: u32) -> bool {
        self.keys[id as usize].forgotten
    }

    /// Lets the key be found no more.
    pub(super) fn forget(&mut self, id: u32) {
        let key = &mut self.keys[id as usize];
        key.forgotten = true;
        if let Ok(entry) = self.table.find_entry(key.hash, |known| *known == id) {
            entry.remove();
        }
    }

    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.keys.clear();
    }
}

pub(super) fn hash_cells(
    hasher: &RandomState,
    arena: &RowBatch,
    columns: &[usize],
    row: RowRef,
) -> u64 {
    let mut state = hasher.build_hasher();
    for column in columns {
        match arena.cell(row, *column) {
            Cell::Null => state.write_u8(0),
            Cell::Text(text) | Cell::Numeric(text) | Cell::Json(text) | Cell::Array(text) => {
                text.hash(&mut state);
            }
            Cell::Int(value) => state.write_i64(value),
            // Zero has two spellings that are one key.
            Cell::Double(value) => state.write_u64((value + 0.0).to_bits()),
            Cell::Bool(value) => state.write_u8(value.into()),
            Cell::Timestamp(moment) => state.write_i64(moment.unix_millis),
            Cell::Date(days) => state.write_i32(days),
            Cell::Uuid(bytes) => bytes.hash(&mut state),
            Cell::Bytes(bytes) => bytes.hash(&mut state),
        }
    }
    state.finish()
}

pub(super) fn same_cells(arena: &RowBatch, columns: &[usize], a: RowRef, b: RowRef) -> bool {
    columns
        .iter()
        .all(|column| arena.cell(a, *column) == arena.cell(b, *column))
}
