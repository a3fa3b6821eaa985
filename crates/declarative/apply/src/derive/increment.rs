//! How one increment is derived.

use projectionist_core::row::{Cell, Change, Column, RowBatch, RowRef};

use super::row_plan::null_defect;
use super::{DeriveScratch, Reader, Role, RowPlan};
use crate::fault::Fault;
use crate::fold::sum;

/// Adds to columns of one row.
#[derive(Debug)]
pub(crate) struct IncrementPlan {
    /// The key, what is added, and what is set.
    pub(crate) operands: RowPlan,
    /// The defaults, from which a missing row starts.
    pub(crate) defaults: RowPlan,
    pub(crate) key: Box<[usize]>,
    pub(crate) by: Box<[usize]>,
    pub(crate) set: Box<[usize]>,
    /// How each column changes.
    pub(crate) shape: Box<[Change]>,
    /// Whether a sum can leave its column's type.
    pub(crate) sum_can_fail: bool,
    /// A column that must not be null and for which a missing row would have no value. Only rows
    /// that are there can be changed then.
    pub(crate) incomplete: Option<usize>,
}

/// What one increment does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Increment<'a> {
    pub(crate) plan: &'a IncrementPlan,
    /// The row when there was none.
    pub(crate) created: RowRef,
    /// The row that holds what is added and what is set.
    pub(crate) operands: RowRef,
}

impl IncrementPlan {
    /// Refuses to make a row that would lack a value.
    pub(crate) fn refuse_incomplete(&self, columns: &[Column]) -> Result<(), Fault> {
        match self.incomplete {
            Some(column) => Err(null_defect(columns, column, Role::Value).into()),
            None => Ok(()),
        }
    }

    /// Adds the operands and the row that a missing row becomes to the arena.
    ///
    /// A default and an amount whose sum leaves the column's type are refused whether the row is
    /// missing or not, so that the answer does not depend on what else the group holds.
    pub(crate) fn derive(
        &self,
        arena: &mut RowBatch,
        columns: &[Column],
        reader: Reader<'_>,
        scratch: &mut DeriveScratch,
    ) -> Result<Increment<'_>, Fault> {
        let operands = self.operands.derive(arena, columns, reader, scratch)?;
        let created = self.defaults.derive(arena, columns, reader, scratch)?;
        for column in self.key.iter().chain(&self.set) {
            let copied = arena.copy_cell(operands, created, *column);
            copied.ok_or(Fault::Full)?;
        }
        for at in &self.by {
            let Some(column) = columns.get(*at) else {
                continue;
            };
            let (start, amount) = (arena.cell(created, *at), arena.cell(operands, *at));
            if start == Cell::Null {
                let copied = arena.copy_cell(operands, created, *at);
                copied.ok_or(Fault::Full)?;
                continue;
            }
            let total = sum::add(column, start, amount)
                .ok_or_else(|| sum::overflow(column, start, amount))?;
            let set = arena.set_cell(created, *at, total.as_cell());
            set.ok_or(Fault::Full)?;
        }
        Ok(Increment {
            plan: self,
            created,
            operands,
        })
    }
}
