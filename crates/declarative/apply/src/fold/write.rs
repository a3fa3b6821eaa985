//! Turns what was folded into batches, a layer each.

use projectionist_core::row::{Absent, Cell, Effect, Present, RowBatch, RowRef, ScopeDelete};
use projectionist_core::{Error, Result};

use super::asked::{AskedRef, Rule};
use super::key_effect::{Changes, KeyEffect, State};
use super::missing::refuse_missing;
use super::{Ledger, TableFold, Volume};

/// Where the writing of a fold stands.
#[derive(Debug)]
pub(super) struct Writer {
    /// The effects that are written, by layer.
    effects: Vec<u32>,
    /// The scope deletes, by layer.
    deletes: Vec<u32>,
    next_effect: usize,
    next_delete: usize,
    /// The rows of the batch of which events wait to be told whether they were there.
    asked: Vec<(RowRef, AskedRef)>,
    /// A layer behind the first. The rows of the first stand in the arena, which can hold the
    /// effects of one layer only.
    later: RowBatch,
    uses_later: bool,
}

impl Writer {
    pub(super) fn new(width: usize) -> Self {
        Self {
            effects: Vec::new(),
            deletes: Vec::new(),
            next_effect: 0,
            next_delete: 0,
            asked: Vec::new(),
            later: RowBatch::new(width),
            uses_later: false,
        }
    }
}

impl TableFold {
    /// Begins to write; call [`Self::next_batch`] from then on.
    pub(crate) fn begin_write(&mut self) {
        let Self {
            writer,
            effects,
            deletes,
            ..
        } = self;
        writer.effects.clear();
        writer.deletes.clear();
        let written = (0_u32..).zip(effects.iter());
        let written = written.filter(|(_, effect)| !effect.dropped);
        writer.effects.extend(written.map(|(index, _)| index));
        writer
            .effects
            .sort_unstable_by_key(|index| (effects[*index as usize].layer, *index));
        writer
            .deletes
            .extend((0_u32..).zip(deletes.iter()).map(|(index, _)| index));
        writer
            .deletes
            .sort_unstable_by_key(|index| (deletes[*index as usize].layer, *index));
        (writer.next_effect, writer.next_delete) = (0, 0);
        writer.uses_later = false;
    }

    /// Fills the batch of the next layer; `false` when all are written.
    pub(crate) fn next_batch(&mut self, ledger: &Ledger) -> Result<bool> {
        let writer = &self.writer;
        let effect = writer.effects.get(writer.next_effect);
        let effect = effect.map(|index| self.effects[*index as usize].layer);
        let delete = writer.deletes.get(writer.next_delete);
        let delete = delete.map(|index| self.deletes[*index as usize].layer);
        let Some(layer) = effect.into_iter().chain(delete).min() else {
            return Ok(false);
        };
        let is_first = writer.next_effect == 0 && writer.next_delete == 0;
        self.writer.uses_later = !is_first;
        self.writer.asked.clear();
        let filled = if is_first {
            self.fill_arena(layer)
        } else {
            self.fill_later(layer)
        };
        filled.ok_or_else(|| Volume::of(self.batch()).refuse(&self.table, ledger.events()))?;
        let key = &self.table.key;
        let batch = match self.writer.uses_later {
            true => &mut self.writer.later,
            false => &mut self.arena,
        };
        batch.sort_by_key(key);
        self.writer.asked.sort_unstable();
        Ok(true)
    }

    /// The batch that was filled last.
    pub(crate) fn batch(&self) -> &RowBatch {
        if self.writer.uses_later {
            &self.writer.later
        } else {
            &self.arena
        }
    }

    /// Tells the events that wait for it whether the row was there; `existed` is the store's answer.
    ///
    /// # Errors
    /// [`Error::Row`] when one of them needs a row that is missing: the group is to be cut until
    /// that one is alone.
    pub(crate) fn settle(&self, existed: &[bool], ledger: &mut Ledger) -> Result<()> {
        if existed.len() != self.writer.asked.len() {
            let (got, wanted) = (existed.len(), self.writer.asked.len());
            return Err(Error::Store {
                action: format!("write {}", self.table.name),
                retryable: false,
                source: format!(
                    "the store told of {got} rows whether they were there, not {wanted}"
                )
                .into(),
            });
        }
        let effects = self.batch().effects().iter();
        let told = effects.filter(|effect| effect.report_existed).zip(existed);
        for (effect, existed) in told {
            let waiting = &self.writer.asked;
            let at = waiting.binary_search_by_key(&effect.row, |(row, _)| *row);
            let Some((_, last)) = at.ok().and_then(|at| waiting.get(at)) else {
                continue;
            };
            for asked in self.asked.chain(*last) {
                match (asked.rule, *existed) {
                    (Rule::IgnoredIfThere, true) | (Rule::IgnoredIfMissing, false) => {
                        ledger.ignore(asked.event);
                    }
                    (Rule::RefusedIfMissing, false) => {
                        return Err(refuse_missing(&self.table, self.batch(), effect.row));
                    }
                    (Rule::IgnoredIfThere, false)
                    | (Rule::IgnoredIfMissing | Rule::RefusedIfMissing, true) => {}
                }
            }
        }
        Ok(())
    }

    fn fill_arena(&mut self, layer: u32) -> Option<()> {
        while let Some(delete) = self.next_delete(layer) {
            let delete = &self.deletes[delete];
            self.arena.push_scope(ScopeDelete {
                columns: delete.columns.clone(),
                row: delete.row,
            });
        }
        while let Some(index) = self.next_effect(layer) {
            let effect = self.effects[index];
            let present = match effect.state {
                State::Changed(Changes { shape, operands })
                | State::Updated(Changes { shape, operands }) => {
                    Present::Change { shape, operands }
                }
                state => present(state),
            };
            self.arena
                .push_effect(to_effect(&effect, effect.row, present));
            let asked = effect.asked.map(|last| (effect.row, last));
            self.writer.asked.extend(asked);
        }
        Some(())
    }

    /// As [`Self::fill_arena`], with copies of the rows.
    fn fill_later(&mut self, layer: u32) -> Option<()> {
        self.writer.later.clear();
        while let Some(delete) = self.next_delete(layer) {
            let delete = &self.deletes[delete];
            let row = copy_row(&self.arena, delete.row, &mut self.writer.later)?;
            self.writer.later.push_scope(ScopeDelete {
                columns: delete.columns.clone(),
                row,
            });
        }
        while let Some(index) = self.next_effect(layer) {
            let effect = self.effects[index];
            let later = &mut self.writer.later;
            let row = copy_row(&self.arena, effect.row, later)?;
            let present = match effect.state {
                State::Changed(Changes { shape, operands })
                | State::Updated(Changes { shape, operands }) => Present::Change {
                    shape: later.shape(self.arena.changes(shape))?,
                    operands: copy_row(&self.arena, operands, later)?,
                },
                state => present(state),
            };
            later.push_effect(to_effect(&effect, row, present));
            let asked = effect.asked.map(|last| (row, last));
            self.writer.asked.extend(asked);
        }
        Some(())
    }

    fn next_effect(&mut self, layer: u32) -> Option<usize> {
        let index = *self.writer.effects.get(self.writer.next_effect)? as usize;
        let is_of_layer = self.effects[index].layer == layer;
        self.writer.next_effect += usize::from(is_of_layer);
        is_of_layer.then_some(index)
    }

    fn next_delete(&mut self, layer: u32) -> Option<usize> {
        let index = *self.writer.deletes.get(self.writer.next_delete)? as usize;
        let is_of_layer = self.deletes[index].layer == layer;
        self.writer.next_delete += usize::from(is_of_layer);
        is_of_layer.then_some(index)
    }
}

fn present(state: State) -> Present {
    match state {
        State::Known => Present::Overwrite,
        State::Gone => Present::Delete,
        State::Inserted | State::Changed(_) | State::Updated(_) => Present::Keep,
    }
}

fn to_effect(effect: &KeyEffect, row: RowRef, present: Present) -> Effect {
    Effect {
        row,
        absent: match effect.state {
            State::Gone | State::Updated(_) => Absent::Stay,
            State::Known | State::Inserted | State::Changed(_) => Absent::Insert,
        },
        present,
        report_existed: effect.asked.is_some(),
    }
}

fn copy_row(from: &RowBatch, row: RowRef, to: &mut RowBatch) -> Option<RowRef> {
    let cells: Vec<Cell<'_>> = (0..from.width())
        .map(|column| from.cell(row, column))
        .collect();
    to.push_row(&cells)
}
