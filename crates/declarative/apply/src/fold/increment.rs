//! Increments within a fold.

use projectionist_core::row::{Change, Column, RowRef, ShapeRef};

use super::Ledger;
use super::key_effect::{KeyEffect, State};
use super::sum;
use super::table_fold::{Prior, TableFold, begin};
use crate::derive::Increment;
use crate::fault::Fault;

/// Whether an increment can be combined with the effect of its key.
enum Combined {
    Yes,
    /// It must be written after the effect.
    NextLayer,
}

impl TableFold {
    /// Adds to the row of the key, or makes it.
    pub(crate) fn increment(
        &mut self,
        increment: Increment<'_>,
        event: u32,
        ledger: &mut Ledger,
    ) -> Result<(), Fault> {
        self.sums.clear();
        let key = match self.prior(increment.created) {
            Prior::Nothing { layer, absent } => {
                let mut effect = begin(increment.created, State::Known, layer, event);
                if absent {
                    increment.plan.refuse_incomplete(&self.table.columns)?;
                } else {
                    effect.state = self.changed(increment)?;
                    mark(&mut effect, increment);
                }
                self.add_key(effect, ledger);
                return Ok(());
            }
            Prior::Effect { key } => key,
        };
        let effect = *self.effect(key);
        let combined = match effect.state {
            State::Gone => {
                increment.plan.refuse_incomplete(&self.table.columns)?;
                self.reshape(key, event, ledger, |effect| {
                    effect.row = increment.created;
                    effect.state = State::Known;
                });
                return Ok(());
            }
            State::Known => self.add_to_known(effect.row, increment)?,
            State::Inserted => self.add_to_inserted(key, increment)?,
            State::Changed { shape, operands } => {
                self.add_to_changed(key, shape, operands, increment)?
            }
        };
        match combined {
            Combined::Yes => self.reshape(key, event, ledger, |_| ()),
            Combined::NextLayer => {
                let state = self.changed(increment)?;
                let effect = self.add_layer(key, increment.created, state, event, ledger);
                mark(effect, increment);
            }
        }
        Ok(())
    }

    fn changed(&mut self, increment: Increment<'_>) -> Result<State, Fault> {
        let shape = self.arena.shape(&increment.plan.shape);
        Ok(State::Changed {
            shape: shape.ok_or(Fault::Full)?,
            operands: increment.operands,
        })
    }

    fn add_to_known(&mut self, row: RowRef, increment: Increment<'_>) -> Result<Combined, Fault> {
        for column in &increment.plan.by {
            self.stage_sum(row, *column, increment.operands)?;
        }
        self.write_sums()?;
        self.copy(&increment.plan.set, increment.operands, row)?;
        Ok(Combined::Yes)
    }

    /// The row is there, but it is either the inserted one or the store's.
    fn add_to_inserted(&mut self, key: u32, increment: Increment<'_>) -> Result<Combined, Fault> {
        let row = self.effect(key).row;
        for column in &increment.plan.by {
            if self.stage_sum(row, *column, increment.operands).is_err() {
                return Ok(Combined::NextLayer);
            }
        }
        let state = self.changed(increment)?;
        self.write_sums()?;
        self.copy(&increment.plan.set, increment.operands, row)?;
        let effect = &mut self.effects[self.keys.effect_of(key) as usize];
        effect.state = state;
        effect.can_fail = increment.plan.sum_can_fail;
        Ok(Combined::Yes)
    }

    fn add_to_changed(
        &mut self,
        key: u32,
        shape: ShapeRef,
        operands: RowRef,
        increment: Increment<'_>,
    ) -> Result<Combined, Fault> {
        let row = self.effect(key).row;
        let mut changes: Box<[Change]> = Box::default();
        let same_shape = self.arena.changes(shape) == &*increment.plan.shape;
        if !same_shape {
            changes = self.arena.changes(shape).into();
        }
        // Together, two increments might fill what each of them leaves empty.
        let fills_up = !same_shape && self.effect(key).incomplete;
        if !self.stage_changes(shape, operands, row, increment)? || fills_up {
            return Ok(Combined::NextLayer);
        }
        self.write_sums()?;
        self.copy(&increment.plan.set, increment.operands, operands)?;
        self.copy(&increment.plan.set, increment.operands, row)?;
        if same_shape {
            return Ok(Combined::Yes);
        }
        for column in &increment.plan.by {
            if changes.get(*column) == Some(&Change::Keep) {
                self.copy(&[*column], increment.operands, operands)?;
                set_change(&mut changes, *column, Change::Add);
            }
        }
        for column in &increment.plan.set {
            set_change(&mut changes, *column, Change::Set);
        }
        let shape = self.arena.shape(&changes).ok_or(Fault::Full)?;
        let columns = self.table.columns.iter().zip(&changes);
        let can_fail = columns
            .filter(|(_, change)| **change == Change::Add)
            .any(|(column, _)| sum::can_fail(column.column_type));
        let effect = &mut self.effects[self.keys.effect_of(key) as usize];
        effect.state = State::Changed { shape, operands };
        effect.can_fail = can_fail;
        Ok(Combined::Yes)
    }

    /// Stages the sums of a changed row; whether the changes combine at all.
    fn stage_changes(
        &mut self,
        shape: ShapeRef,
        operands: RowRef,
        row: RowRef,
        increment: Increment<'_>,
    ) -> Result<bool, Fault> {
        let mut combines = true;
        for at in &increment.plan.set {
            // A column that is set hides whether what was added to it before fitted.
            let hides = self.change(shape, *at) == Change::Add
                && self
                    .column(*at)
                    .is_some_and(|column| sum::can_fail(column.column_type));
            combines &= !hides;
        }
        for at in &increment.plan.by {
            match self.change(shape, *at) {
                Change::Keep => {}
                // The column is known, so the event is at fault whatever else the row holds.
                Change::Set => self.stage_sum(operands, *at, increment.operands)?,
                Change::Add => {
                    let amount = self.arena.cell(increment.operands, *at);
                    let before = self.arena.cell(operands, *at);
                    combines &= self
                        .column(*at)
                        .is_some_and(|column| sum::may_combine(column.column_type, before, amount));
                    combines &= self.stage_amount(operands, *at, increment.operands);
                }
            }
            combines &= self.stage_sum(row, *at, increment.operands).is_ok();
        }
        Ok(combines)
    }

    /// Stages the sum of a cell that holds a value and the amount in the same column.
    fn stage_sum(&mut self, target: RowRef, at: usize, amounts: RowRef) -> Result<(), Fault> {
        let Some(column) = self.table.columns.get(at) else {
            return Ok(());
        };
        let (current, amount) = (self.arena.cell(target, at), self.arena.cell(amounts, at));
        let sum = sum::add(column, current, amount)
            .ok_or_else(|| sum::overflow(column, current, amount))?;
        self.sums.push((target, at, sum));
        Ok(())
    }

    /// Stages the sum of two amounts; whether it fits the column.
    fn stage_amount(&mut self, target: RowRef, at: usize, amounts: RowRef) -> bool {
        self.stage_sum(target, at, amounts).is_ok()
    }

    fn write_sums(&mut self) -> Result<(), Fault> {
        for (row, column, sum) in self.sums.drain(..) {
            let set = self.arena.set_cell(row, column, sum.as_cell());
            set.ok_or(Fault::Full)?;
        }
        Ok(())
    }

    fn copy(&mut self, columns: &[usize], from: RowRef, to: RowRef) -> Result<(), Fault> {
        for column in columns {
            let copied = self.arena.copy_cell(from, to, *column);
            copied.ok_or(Fault::Full)?;
        }
        Ok(())
    }

    fn change(&self, shape: ShapeRef, column: usize) -> Change {
        let change = self.arena.changes(shape).get(column);
        change.copied().unwrap_or(Change::Keep)
    }

    fn column(&self, at: usize) -> Option<&Column> {
        self.table.columns.get(at)
    }
}

/// Marks an effect that begins with an increment.
fn mark(effect: &mut KeyEffect, increment: Increment<'_>) {
    effect.incomplete = increment.plan.incomplete.is_some();
    effect.can_fail = effect.incomplete || increment.plan.sum_can_fail;
}

fn set_change(changes: &mut [Change], column: usize, change: Change) {
    if let Some(entry) = changes.get_mut(column) {
        *entry = change;
    }
}
