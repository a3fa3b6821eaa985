//! The fold of one table and group.

use std::sync::Arc;

use projectionist_core::row::{Change, RowBatch, RowRef, Table};

use super::Ledger;
use super::asked::{AskedEvents, Rule};
use super::key_effect::{KeyEffect, State};
use super::key_index::KeyIndex;
use super::scope_index::ScopeIndex;
use super::sum::Sum;
use super::write::Writer;

/// The fold of one table and group. Its buffers are kept from group to group.
#[derive(Debug)]
pub(crate) struct TableFold {
    pub(super) table: Table,
    /// Every row that was derived, and the effects of the first layer when they are written.
    pub(super) arena: RowBatch,
    pub(super) keys: KeyIndex,
    pub(super) effects: Vec<KeyEffect>,
    pub(super) scopes: Vec<ScopeIndex>,
    pub(super) deletes: Vec<Delete>,
    /// The first layer that the next effect may go to.
    pub(super) floor: u32,
    /// The last layer that is used.
    pub(super) top: u32,
    /// Whether a layer from the floor on has effects.
    pub(super) used_since_floor: bool,
    /// The events that wait to be told whether a row was there.
    pub(super) asked: AskedEvents,
    /// Sums of an increment that is not applied yet.
    pub(super) sums: Vec<(RowRef, usize, Sum)>,
    /// Kept for its room only: the shape of two changes together.
    pub(super) merged: Vec<Change>,
    pub(super) writer: Writer,
}

/// The delete of a scope.
#[derive(Clone, Debug)]
pub(super) struct Delete {
    pub(super) columns: Arc<[usize]>,
    /// A row that lies in the scope.
    pub(super) row: RowRef,
    pub(super) layer: u32,
    /// The last event that deletes the scope in this layer.
    pub(super) owner: u32,
}

/// What the group says of a key so far.
#[derive(Clone, Copy, Debug)]
pub(super) enum Prior {
    /// It has an effect.
    Effect {
        /// The key.
        key: u32,
    },
    /// It has none.
    Nothing {
        /// The first layer that its effect may go to.
        layer: u32,
        /// Whether a scope delete of this group makes sure that the row is not there.
        absent: bool,
    },
}

impl TableFold {
    /// A fold for rows of `width` columns that are replaced by the scopes of `key_scopes`.
    pub(crate) fn new(table: Table, key_scopes: &[Arc<[usize]>]) -> Self {
        let width = table.columns.len();
        let scopes = key_scopes.iter().map(Arc::clone).map(ScopeIndex::new);
        Self {
            table,
            arena: RowBatch::new(width),
            keys: KeyIndex::default(),
            effects: Vec::new(),
            scopes: scopes.collect(),
            deletes: Vec::new(),
            floor: 0,
            top: 0,
            used_since_floor: false,
            asked: AskedEvents::default(),
            sums: Vec::new(),
            merged: Vec::new(),
            writer: Writer::new(width),
        }
    }

    /// Forgets the last group and folds the next one for `table`, which has the same columns.
    pub(crate) fn open(&mut self, table: Table) {
        self.table = table;
        self.arena.clear();
        self.forget_keys();
        self.effects.clear();
        self.deletes.clear();
        self.asked.clear();
        (self.floor, self.top, self.used_since_floor) = (0, 0, false);
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Where rows are derived.
    pub(crate) fn arena(&mut self) -> &mut RowBatch {
        &mut self.arena
    }

    /// The row of the key becomes `row`.
    pub(crate) fn upsert(&mut self, row: RowRef, event: u32, ledger: &mut Ledger) {
        self.put(row, State::Known, event, ledger);
    }

    /// The row with the key of `row` goes.
    pub(crate) fn delete(&mut self, row: RowRef, event: u32, ledger: &mut Ledger) {
        self.put(row, State::Gone, event, ledger);
    }

    /// The row of the key becomes `row` unless there is one.
    pub(crate) fn insert(&mut self, row: RowRef, event: u32, ledger: &mut Ledger) {
        match self.prior(row) {
            Prior::Nothing { layer, absent } => {
                let mut effect = begin(row, State::Known, layer, event);
                if !absent {
                    effect.state = State::Inserted;
                    effect.asked = Some(self.asked.add(None, event, Rule::IgnoredIfThere));
                }
                self.add_key(effect, ledger);
            }
            Prior::Effect { key } => match self.effect(key).state {
                State::Gone => self.reshape(key, event, ledger, |effect| {
                    effect.row = row;
                    effect.state = State::Known;
                }),
                // The row is made where it is missing, and the store tells which of the two it
                // was. What stands is a change of the event before or the row of this one, so
                // neither is folded into the other.
                State::Updated(changes) => {
                    let asked = self.effect(key).asked;
                    let asked = self.asked.add(asked, event, Rule::IgnoredIfThere);
                    let effect = self.effect_mut(key);
                    effect.row = row;
                    effect.state = State::Changed(changes);
                    effect.asked = Some(asked);
                }
                State::Known | State::Inserted | State::Changed(_) => ledger.ignore(event),
            },
        }
    }

    /// Whatever the row was, it is `state` now.
    fn put(&mut self, row: RowRef, state: State, event: u32, ledger: &mut Ledger) {
        match self.prior(row) {
            Prior::Nothing { layer, .. } => {
                self.add_key(begin(row, state, layer, event), ledger);
            }
            Prior::Effect { key } if self.effect(key).can_fail => {
                let layer = self.effect(key).layer + 1;
                self.add_layer(key, begin(row, state, layer, event), ledger);
            }
            Prior::Effect { key } => self.reshape(key, event, ledger, |effect| {
                effect.row = row;
                effect.state = state;
            }),
        }
    }

    /// What the group says of the key of `row` so far.
    pub(super) fn prior(&mut self, row: RowRef) -> Prior {
        if let Some(key) = self.keys.find(&self.arena, &self.table.key, row) {
            return Prior::Effect { key };
        }
        let (mut layer, mut absent) = (self.floor, false);
        for scopes in &mut self.scopes {
            let scope = scopes.scope_of(&self.arena, row);
            if let Some(delete) = scopes.delete_of(scope) {
                layer = layer.max(self.deletes[delete as usize].layer);
                absent = true;
            }
        }
        Prior::Nothing { layer, absent }
    }

    pub(super) fn effect(&self, key: u32) -> &KeyEffect {
        &self.effects[self.keys.effect_of(key) as usize]
    }

    pub(super) fn effect_mut(&mut self, key: u32) -> &mut KeyEffect {
        &mut self.effects[self.keys.effect_of(key) as usize]
    }

    /// Changes the effect of a key, which becomes one of `event`.
    pub(super) fn reshape(
        &mut self,
        key: u32,
        event: u32,
        ledger: &mut Ledger,
        change: impl FnOnce(&mut KeyEffect),
    ) {
        let effect = self.effect_mut(key);
        change(effect);
        if effect.owner != event {
            ledger.release(effect.owner);
            ledger.own(event);
            effect.owner = event;
        }
    }

    /// Adds the effect of a key that had none.
    pub(super) fn add_key(&mut self, effect: KeyEffect, ledger: &mut Ledger) {
        let index = self.add_effect(effect, ledger);
        let key = self
            .keys
            .add(&self.arena, &self.table.key, effect.row, index);
        for scopes in &mut self.scopes {
            let scope = scopes.scope_of(&self.arena, effect.row);
            scopes.add_key(scope, key);
        }
    }

    /// Adds an effect of a key in the layer behind the one that it has.
    pub(super) fn add_layer(&mut self, key: u32, effect: KeyEffect, ledger: &mut Ledger) {
        let index = self.add_effect(effect, ledger);
        self.keys.set_effect(key, index);
    }

    fn add_effect(&mut self, effect: KeyEffect, ledger: &mut Ledger) -> u32 {
        ledger.own(effect.owner);
        self.top = self.top.max(effect.layer);
        self.used_since_floor = true;
        let index = u32::try_from(self.effects.len()).unwrap_or(u32::MAX);
        self.effects.push(effect);
        index
    }

    /// Lets no key be known any more; what was folded stays.
    pub(super) fn forget_keys(&mut self) {
        self.keys.clear();
        for scopes in &mut self.scopes {
            scopes.clear();
        }
    }
}

pub(super) fn begin(row: RowRef, state: State, layer: u32, event: u32) -> KeyEffect {
    KeyEffect {
        row,
        state,
        owner: event,
        asked: None,
        layer,
        can_fail: false,
        incomplete: false,
        dropped: false,
    }
}
