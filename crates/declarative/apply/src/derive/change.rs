//! How one patch or increment is derived.

use projectionist_core::row::{Cell, Change, Column, RowBatch, RowRef};
use projectionist_language::model::OnMissing;

use super::reader::Found;
use super::row_plan::null_defect;
use super::{DeriveScratch, Read, Reader, Role, RowPlan};
use crate::fault::Fault;
use crate::fold::sum;

/// Changes columns of one row: a patch, or an increment, which adds to some of them.
#[derive(Debug)]
pub(crate) struct ChangePlan {
    /// The key, what is added, and what is always set.
    pub(crate) operands: RowPlan,
    /// What is set when its place is there in the event.
    pub(crate) present: Box<[Read]>,
    /// The defaults, from which a missing row starts; `None` when a missing row is not made.
    pub(crate) defaults: Option<RowPlan>,
    pub(crate) key: Box<[usize]>,
    pub(crate) by: Box<[usize]>,
    /// The columns that are always set.
    pub(crate) set: Box<[usize]>,
    /// How each column changes in every event.
    pub(crate) shape: Box<[Change]>,
    /// Whether a sum can leave its column's type.
    pub(crate) sum_can_fail: bool,
    /// Columns that must not be null and that neither the defaults nor every event give a value.
    /// When the event does not either, only a row that is there can be changed.
    pub(crate) required: Box<[usize]>,
    pub(crate) on_missing: OnMissing,
}

/// What one event changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowChange<'a> {
    pub(crate) plan: &'a ChangePlan,
    /// The row when there was none; `None` when none is made.
    pub(crate) created: Option<RowRef>,
    /// The row that holds the key, what is added and what is set.
    pub(crate) operands: RowRef,
    /// The columns that this event sets.
    pub(crate) set: &'a [usize],
    /// How each column changes.
    pub(crate) shape: &'a [Change],
    /// A column that a row made by this event would lack.
    pub(crate) incomplete: Option<usize>,
}

impl RowChange<'_> {
    /// Refuses to make a row that would lack a value.
    pub(crate) fn refuse_incomplete(&self, columns: &[Column]) -> Result<(), Fault> {
        match self.incomplete {
            Some(column) => Err(null_defect(columns, column, Role::Value).into()),
            None => Ok(()),
        }
    }
}

impl ChangePlan {
    /// Adds the operands and the row that a missing row becomes to the arena.
    ///
    /// Where a missing row is made, a default and an amount whose sum leaves the column's type are
    /// refused whether the row is missing or not, so that the answer does not depend on what else
    /// the group holds.
    pub(crate) fn derive<'a>(
        &'a self,
        arena: &mut RowBatch,
        columns: &[Column],
        reader: Reader<'_>,
        scratch: &'a mut DeriveScratch,
    ) -> Result<RowChange<'a>, Fault> {
        let operands = self.operands.derive(arena, columns, reader, scratch)?;
        if !self.present.is_empty() {
            self.derive_present(arena, columns, reader, operands, scratch)?;
        }
        let defaults = self.defaults.as_ref();
        let created = defaults.map(|defaults| defaults.derive(arena, columns, reader, scratch));
        let created = created.transpose()?;
        let (set, shape): (&[usize], &[Change]) = if self.present.is_empty() {
            (&self.set, &self.shape)
        } else {
            (&scratch.set, &scratch.shape)
        };
        let mut incomplete = None;
        if let Some(created) = created {
            let mut required = self.required.iter();
            incomplete = required.find(|column| !set.contains(column)).copied();
            for column in self.key.iter().chain(set) {
                let copied = arena.copy_cell(operands, created, *column);
                copied.ok_or(Fault::Full)?;
            }
            self.add_to_defaults(arena, columns, operands, created)?;
        }
        Ok(RowChange {
            plan: self,
            created,
            operands,
            set,
            shape,
            incomplete,
        })
    }

    /// Adds what is there in the event to the operands.
    fn derive_present(
        &self,
        arena: &mut RowBatch,
        columns: &[Column],
        reader: Reader<'_>,
        operands: RowRef,
        scratch: &mut DeriveScratch,
    ) -> Result<(), Fault> {
        scratch.set.clear();
        scratch.set.extend_from_slice(&self.set);
        scratch.shape.clear();
        scratch.shape.extend_from_slice(&self.shape);
        for read in &self.present {
            if matches!(reader.find(read.source), Found::Missing) {
                continue;
            }
            read.fill(arena, operands, columns, reader, scratch)?;
            scratch.set.push(read.column);
            if let Some(change) = scratch.shape.get_mut(read.column) {
                *change = Change::Set;
            }
        }
        Ok(())
    }

    fn add_to_defaults(
        &self,
        arena: &mut RowBatch,
        columns: &[Column],
        operands: RowRef,
        created: RowRef,
    ) -> Result<(), Fault> {
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
        Ok(())
    }
}
