//! What becomes of one key in one layer.

use projectionist_core::row::{RowRef, ShapeRef};

use super::asked::AskedRef;

/// What becomes of one key in one layer: the composition of all its operations there.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyEffect {
    /// The row; see [`projectionist_core::row::Effect::row`].
    pub(super) row: RowRef,
    pub(super) state: State,
    /// The event that shaped the effect last.
    pub(super) owner: u32,
    /// The last of the events that wait to be told whether the row was there before the effect.
    pub(super) asked: Option<AskedRef>,
    pub(super) layer: u32,
    /// Whether the store may refuse the effect. Such an effect must be written: what replaced it
    /// would hide that an event was refused.
    pub(super) can_fail: bool,
    /// Whether the effect's row lacks a column that must not be null, so that the store refuses it
    /// when there is no row.
    pub(super) incomplete: bool,
    /// Whether a scope delete made the effect superfluous.
    pub(super) dropped: bool,
}

/// What is known of the row after the operations so far.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// All of it: the effect's row.
    Known,
    /// It is not there.
    Gone,
    /// It is there: the effect's row if it was missing, else what the store holds.
    Inserted,
    /// It is there: the effect's row if it was missing, else what the store holds with changes.
    Changed(Changes),
    /// It is missing as it was, or what the store holds with changes. Of the effect's row only the
    /// key means anything.
    Updated(Changes),
}

/// Changes of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changes {
    /// How each column changes.
    pub(super) shape: ShapeRef,
    /// The row of the operands.
    pub(super) operands: RowRef,
}

impl KeyEffect {
    /// Whether the store must see the effect even when a later one makes up the row alone.
    pub(super) fn must_be_written(&self) -> bool {
        self.can_fail || self.asked.is_some()
    }
}
