//! Finds the keys that lie in a scope, where the scope is told by columns of the key.

use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use projectionist_core::row::{RowBatch, RowRef};

use super::key_index::{hash_cells, same_cells};

/// No key: the end of a chain.
const END: u32 = u32::MAX;

/// The scopes of one set of key columns, each with its keys in a chain. Without it, a replace
/// would have to look at every key of the group.
#[derive(Debug)]
pub(super) struct ScopeIndex {
    columns: Arc<[usize]>,
    table: HashTable<u32>,
    scopes: Vec<Scope>,
    /// For each key the one behind it in its chain.
    next: Vec<u32>,
    hasher: RandomState,
}

#[derive(Clone, Copy, Debug)]
struct Scope {
    /// A row that lies in the scope.
    row: RowRef,
    hash: u64,
    first: u32,
    /// The last delete of the scope.
    delete: Option<u32>,
}

impl ScopeIndex {
    pub(super) fn new(columns: Arc<[usize]>) -> Self {
        Self {
            columns,
            table: HashTable::new(),
            scopes: Vec::new(),
            next: Vec::new(),
            hasher: RandomState::default(),
        }
    }

    pub(super) fn columns(&self) -> &Arc<[usize]> {
        &self.columns
    }

    /// The scope in which `row` lies.
    pub(super) fn scope_of(&mut self, arena: &RowBatch, row: RowRef) -> u32 {
        let hash = hash_cells(&self.hasher, arena, &self.columns, row);
        let same = |id: &u32| same_cells(arena, &self.columns, self.scopes[*id as usize].row, row);
        if let Some(id) = self.table.find(hash, same) {
            return *id;
        }
        let id = u32::try_from(self.scopes.len()).unwrap_or(u32::MAX);
        self.scopes.push(Scope {
            row,
            hash,
            first: END,
            delete: None,
        });
        let scopes = &self.scopes;
        self.table
            .insert_unique(hash, id, |id| scopes[*id as usize].hash);
        id
    }

    /// Adds a key to its scope; keys come in the order of their ids, without a gap.
    pub(super) fn add_key(&mut self, scope: u32, key: u32) {
        let scope = &mut self.scopes[scope as usize];
        self.next.push(scope.first);
        scope.first = key;
    }

    /// Takes one key out of the scope.
    pub(super) fn take_key(&mut self, scope: u32) -> Option<u32> {
        let scope = &mut self.scopes[scope as usize];
        let key = scope.first;
        scope.first = *self.next.get(key as usize)?;
        Some(key)
    }

    pub(super) fn delete_of(&self, scope: u32) -> Option<u32> {
        self.scopes[scope as usize].delete
    }

    pub(super) fn set_delete(&mut self, scope: u32, delete: u32) {
        self.scopes[scope as usize].delete = Some(delete);
    }

    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.scopes.clear();
        self.next.clear();
    }
}
