//! Patches and increments within a fold.

use projectionist_core::row::{Cell, Change, Column, RowRef, ShapeRef};
use projectionist_language::model::OnMissing;

use super::Ledger;
use super::asked::Rule;
use super::key_effect::{Changes, KeyEffect, State};
use super::missing::refuse_missing;
use super::sum;
use super::table_fold::{Prior, TableFold, begin};
use crate::derive::RowChange;
use crate::fault::Fault;

/// Whether a change can be combined with the effect of its key.
enum Combined {
    Yes,
    /// It must be written after the effect.
    NextLayer,
}

impl TableFold {
    /// Changes the row of the key, or does what the change says of a missing one.
    pub(crate) fn change(
        &mut self,
        change: RowChange<'_>,
        event: u32,
        ledger: &mut Ledger,
    ) -> Result<(), Fault> {
        self.sums.clear();
        let key = match self.prior(change.operands) {
            Prior::Nothing { layer, absent } => {
                let effect = if absent {
                    let Some(row) = self.make(change, event, ledger)? else {
                        return Ok(());
                    };
                    begin(row, State::Known, layer, event)
                } else {
                    self.begin_change(change, layer, event)?
                };
                self.add_key(effect, ledger);
                return Ok(());
            }
            Prior::Effect { key } => key,
        };
        let effect = *self.effect(key);
        let combined = match effect.state {
            State::Gone => {
                let Some(row) = self.make(change, event, ledger)? else {
                    return Ok(());
                };
                self.reshape(key, event, ledger, |effect| {
                    effect.row = row;
                    effect.state = State::Known;
                });
                return Ok(());
            }
            State::Known => self.change_known(effect.row, change)?,
            State::Inserted => self.change_inserted(key, change)?,
            State::Changed(before) => self.change_changed(key, before, change)?,
            State::Updated(before) => self.change_updated(key, before, change, event)?,
        };
        match combined {
            Combined::Yes => self.reshape(key, event, ledger, |_| ()),
            Combined::NextLayer => {
                let effect = self.begin_change(change, effect.layer + 1, event)?;
                self.add_layer(key, effect, ledger);
            }
        }
        Ok(())
    }

    /// The row that the change makes where there is none; `None` when the event is ignored.
    fn make(
        &self,
        change: RowChange<'_>,
        event: u32,
        ledger: &mut Ledger,
    ) -> Result<Option<RowRef>, Fault> {
        change.refuse_incomplete(&self.table.columns)?;
        match change.plan.on_missing {
            OnMissing::Create => {}
            OnMissing::Ignore => ledger.ignore(event),
            OnMissing::Error => {
                let refused = refuse_missing(&self.table, &self.arena, change.operands);
                return Err(Fault::data(refused.to_string()).into());
            }
        }
        Ok(change.created)
    }

    /// The effect of a change on a row of which nothing is known.
    fn begin_change(
        &mut self,
        change: RowChange<'_>,
        layer: u32,
        event: u32,
    ) -> Result<KeyEffect, Fault> {
        let shape = self.arena.shape(change.shape).ok_or(Fault::Full)?;
        let operands = change.operands;
        let changes = Changes { shape, operands };
        let mut effect = match change.created {
            Some(row) => begin(row, State::Changed(changes), layer, event),
            None => begin(operands, State::Updated(changes), layer, event),
        };
        effect.asked = rule_of(change).map(|rule| self.asked.add(None, event, rule));
        effect.incomplete = change.incomplete.is_some();
        effect.can_fail = effect.incomplete || change.plan.sum_can_fail;
        Ok(effect)
    }

    fn change_known(&mut self, row: RowRef, change: RowChange<'_>) -> Result<Combined, Fault> {
        for column in &change.plan.by {
            self.stage_sum(row, *column, change.operands)?;
        }
        self.write_sums()?;
        self.copy(change.set, change.operands, row)?;
        Ok(Combined::Yes)
    }

    /// The row is there, but it is either the inserted one or the store's.
    fn change_inserted(&mut self, key: u32, change: RowChange<'_>) -> Result<Combined, Fault> {
        let row = self.effect(key).row;
        for column in &change.plan.by {
            if self.stage_sum(row, *column, change.operands).is_err() {
                return Ok(Combined::NextLayer);
            }
        }
        let shape = self.arena.shape(change.shape).ok_or(Fault::Full)?;
        self.write_sums()?;
        self.copy(change.set, change.operands, row)?;
        let effect = self.effect_mut(key);
        effect.state = State::Changed(Changes {
            shape,
            operands: change.operands,
        });
        effect.can_fail = change.plan.sum_can_fail;
        Ok(Combined::Yes)
    }

    /// The row is there: the effect's, or the store's with changes.
    fn change_changed(
        &mut self,
        key: u32,
        before: Changes,
        change: RowChange<'_>,
    ) -> Result<Combined, Fault> {
        let KeyEffect {
            row, incomplete, ..
        } = *self.effect(key);
        // Together, two changes might fill what each of them leaves empty.
        let fills_up = incomplete && self.fills_up(row, change);
        if !self.stage_sums(before, change, Some(row))? || fills_up {
            return Ok(Combined::NextLayer);
        }
        let (shape, can_fail) = self.combine(before, change)?;
        self.copy(change.set, change.operands, row)?;
        let effect = self.effect_mut(key);
        effect.state = State::Changed(Changes { shape, ..before });
        effect.can_fail = can_fail || incomplete;
        Ok(Combined::Yes)
    }

    /// Whether the change gives `row` a value that it must have and does not.
    fn fills_up(&self, row: RowRef, change: RowChange<'_>) -> bool {
        let mut given = change.set.iter().chain(&change.plan.by);
        given.any(|at| {
            let lacks = self.arena.cell(row, *at) == Cell::Null;
            lacks && self.column(*at).is_some_and(|column| !column.nullable)
        })
    }

    /// Whether the row is there is not known: with the change it may be made.
    fn change_updated(
        &mut self,
        key: u32,
        before: Changes,
        change: RowChange<'_>,
        event: u32,
    ) -> Result<Combined, Fault> {
        if !self.stage_sums(before, change, None)? {
            return Ok(Combined::NextLayer);
        }
        let (shape, can_fail) = self.combine(before, change)?;
        let changes = Changes { shape, ..before };
        if let Some(rule) = rule_of(change) {
            let asked = self.asked.add(self.effect(key).asked, event, rule);
            self.effect_mut(key).asked = Some(asked);
        }
        let effect = self.effect_mut(key);
        match change.created {
            Some(row) => {
                effect.row = row;
                effect.state = State::Changed(changes);
                effect.incomplete = change.incomplete.is_some();
            }
            None => effect.state = State::Updated(changes),
        }
        effect.can_fail = can_fail || effect.incomplete;
        Ok(Combined::Yes)
    }

    /// Stages the sums of the operands, and of the row that a missing one becomes; whether the
    /// changes combine at all.
    fn stage_sums(
        &mut self,
        before: Changes,
        change: RowChange<'_>,
        row: Option<RowRef>,
    ) -> Result<bool, Fault> {
        let Changes { shape, operands } = before;
        let mut combines = true;
        for at in change.set {
            // A column that is set hides whether what was added to it before fitted.
            let hides = self.change_of(shape, *at) == Change::Add
                && self
                    .column(*at)
                    .is_some_and(|column| sum::can_fail(column.column_type));
            combines &= !hides;
        }
        for at in &change.plan.by {
            let row = row.map(|row| self.stage_sum(row, *at, change.operands));
            let row_fits = row.as_ref().is_none_or(Result::is_ok);
            combines &= row_fits;
            match self.change_of(shape, *at) {
                Change::Keep => {}
                Change::Set => match self.stage_sum(operands, *at, change.operands) {
                    Ok(()) => {}
                    // What the row was made of need not be what the column was set to, so the
                    // event is at fault for sure only when neither of them fits.
                    Err(fault) if !row_fits => return Err(fault),
                    Err(_) => combines = false,
                },
                Change::Add => {
                    let amount = self.arena.cell(change.operands, *at);
                    let before = self.arena.cell(operands, *at);
                    combines &= self
                        .column(*at)
                        .is_some_and(|column| sum::may_combine(column.column_type, before, amount));
                    combines &= self.stage_sum(operands, *at, change.operands).is_ok();
                }
            }
        }
        Ok(combines)
    }

    /// Lets the operands of `before` hold both changes, whose sums are staged. Gives the shape of
    /// both, and whether one of its sums can fail.
    fn combine(
        &mut self,
        before: Changes,
        change: RowChange<'_>,
    ) -> Result<(ShapeRef, bool), Fault> {
        let Changes { shape, operands } = before;
        self.write_sums()?;
        self.copy(change.set, change.operands, operands)?;
        if self.arena.changes(shape) == change.shape {
            return Ok((shape, change.plan.sum_can_fail));
        }
        let mut merged = std::mem::take(&mut self.merged);
        merged.clear();
        merged.extend_from_slice(self.arena.changes(shape));
        for at in &change.plan.by {
            if merged.get(*at) == Some(&Change::Keep) {
                self.copy(&[*at], change.operands, operands)?;
                set_change(&mut merged, *at, Change::Add);
            }
        }
        for at in change.set {
            set_change(&mut merged, *at, Change::Set);
        }
        let shape = self.arena.shape(&merged);
        let columns = self.table.columns.iter().zip(&merged);
        let can_fail = columns
            .filter(|(_, change)| **change == Change::Add)
            .any(|(column, _)| sum::can_fail(column.column_type));
        self.merged = merged;
        Ok((shape.ok_or(Fault::Full)?, can_fail))
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

    fn change_of(&self, shape: ShapeRef, column: usize) -> Change {
        let change = self.arena.changes(shape).get(column);
        change.copied().unwrap_or(Change::Keep)
    }

    fn column(&self, at: usize) -> Option<&Column> {
        self.table.columns.get(at)
    }
}

/// What the store's answer means to the event of a change on a row that may be missing.
fn rule_of(change: RowChange<'_>) -> Option<Rule> {
    match change.plan.on_missing {
        OnMissing::Create => None,
        OnMissing::Ignore => Some(Rule::IgnoredIfMissing),
        OnMissing::Error => Some(Rule::RefusedIfMissing),
    }
}

fn set_change(changes: &mut [Change], column: usize, change: Change) {
    if let Some(entry) = changes.get_mut(column) {
        *entry = change;
    }
}
