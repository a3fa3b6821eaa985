//! The folds of a group, one a table.

use std::sync::Arc;

use projectionist_core::row::Table;

use super::TableFold;

/// How many folds keep their buffers from group to group. A group that spans more tenants
/// allocates for the others, so that memory does not grow with the number of tenants.
const KEPT: usize = 16;

/// The folds of a group, one a table. Tables are named by an index.
#[derive(Debug)]
pub(crate) struct Folds {
    key_scopes: Vec<Arc<[usize]>>,
    open: Vec<TableFold>,
    spare: Vec<TableFold>,
    /// The index into `open` of each table.
    of_table: Vec<Option<usize>>,
}

impl Folds {
    /// No folds yet, for tables whose rows are replaced by the scopes of `key_scopes`.
    pub(crate) fn new(key_scopes: Vec<Arc<[usize]>>) -> Self {
        Self {
            key_scopes,
            open: Vec::new(),
            spare: Vec::new(),
            of_table: Vec::new(),
        }
    }

    /// Begins a group.
    pub(crate) fn open(&mut self) {
        self.spare.append(&mut self.open);
        self.spare.truncate(KEPT);
        self.of_table.clear();
    }

    /// The fold of a table, which is begun when the group did not touch it yet.
    pub(crate) fn fold_of(&mut self, index: usize, table: &Table) -> &mut TableFold {
        if self.of_table.len() <= index {
            self.of_table.resize(index + 1, None);
        }
        let at = self.of_table[index].unwrap_or_else(|| {
            let mut fold = self
                .spare
                .pop()
                .unwrap_or_else(|| TableFold::new(table.clone(), &self.key_scopes));
            fold.open(table.clone());
            self.open.push(fold);
            self.open.len() - 1
        });
        self.of_table[index] = Some(at);
        &mut self.open[at]
    }

    /// Forgets the fold that was begun last, which is that of the table at `index`.
    pub(crate) fn take_back(&mut self, index: usize) {
        if let Some(at) = self.of_table.get_mut(index) {
            *at = None;
            self.spare.extend(self.open.pop());
        }
    }

    /// The folds of the group in the order of their tables' names, so that all who write lock in
    /// one order. No table can be found by its index any more.
    pub(crate) fn in_order(&mut self) -> impl Iterator<Item = &mut TableFold> {
        self.of_table.clear();
        self.open
            .sort_unstable_by(|a, b| a.table().name.cmp(&b.table().name));
        self.open.iter_mut()
    }
}
