//! Deletes the rows of a scope within a fold.

use std::sync::Arc;

use projectionist_core::row::RowRef;

use super::Ledger;
use super::table_fold::{Delete, TableFold};
use crate::derive::Scope;

impl TableFold {
    /// The rows that have the cells of `row` in the columns of `scope` go.
    pub(crate) fn delete_scope(
        &mut self,
        scope: &Scope,
        row: RowRef,
        event: u32,
        ledger: &mut Ledger,
    ) {
        match scope {
            Scope::Key(index) => self.delete_key_scope(*index, row, event, ledger),
            Scope::Wide(columns) => self.delete_wide_scope(columns, row, event, ledger),
        }
    }

    /// Which keys lie in the scope is known, so what was folded for them is dropped where the
    /// store need not see it.
    fn delete_key_scope(&mut self, index: usize, row: RowRef, event: u32, ledger: &mut Ledger) {
        let scopes = &mut self.scopes[index];
        let scope = scopes.scope_of(&self.arena, row);
        let mut layer = self.floor;
        while let Some(key) = scopes.take_key(scope) {
            let effect = &mut self.effects[self.keys.effect_of(key) as usize];
            // Also what another scope made the fold forget must be written before.
            let written_before = u32::from(effect.must_be_written());
            layer = layer.max(effect.layer + written_before);
            if self.keys.is_forgotten(key) {
                continue;
            }
            if written_before == 0 {
                effect.dropped = true;
                ledger.release(effect.owner);
            }
            self.keys.forget(key);
        }
        ledger.own(event);
        match scopes.delete_of(scope) {
            // Since then every row of the scope was known, so nothing had to be written and all of
            // it was dropped: the scope is as empty as it was.
            Some(delete) => {
                let delete = &mut self.deletes[delete as usize];
                ledger.release(delete.owner);
                delete.owner = event;
            }
            None => {
                let columns = Arc::clone(scopes.columns());
                let delete = u32::try_from(self.deletes.len()).unwrap_or(u32::MAX);
                scopes.set_delete(scope, delete);
                self.push_delete(columns, row, layer, event);
            }
        }
    }

    /// Any row may lie in the scope: everything so far is written before, and nothing is known of
    /// any key after.
    fn delete_wide_scope(
        &mut self,
        columns: &Arc<[usize]>,
        row: RowRef,
        event: u32,
        ledger: &mut Ledger,
    ) {
        if self.used_since_floor {
            self.floor = self.top + 1;
            self.used_since_floor = false;
            self.forget_keys();
        }
        ledger.own(event);
        self.push_delete(Arc::clone(columns), row, self.floor, event);
    }

    fn push_delete(&mut self, columns: Arc<[usize]>, row: RowRef, layer: u32, owner: u32) {
        self.top = self.top.max(layer);
        self.deletes.push(Delete {
            columns,
            row,
            layer,
            owner,
        });
    }
}
