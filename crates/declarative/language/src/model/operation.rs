//! What an event type does.

use super::{ColumnValue, Expression, Path};

/// What one event type does.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// The event type.
    pub event_type: Box<str>,
    /// When the event is applied: when this is true. An event for which it is false counts as
    /// filtered; null, and what is no truth value, is a data error. Always when `None`.
    pub when: Option<Expression>,
    /// What it does.
    pub operation: Operation,
}

/// What is done to the table.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Writes the whole row. Columns without a value become null or their default.
    Upsert {
        /// The values; the key is complete.
        values: Vec<ColumnValue>,
    },
    /// Writes the whole row unless the key is there already.
    Insert {
        /// The values; the key is complete.
        values: Vec<ColumnValue>,
    },
    /// Deletes the row of the key.
    Delete {
        /// The values of the key columns, nothing else.
        key: Vec<ColumnValue>,
    },
    /// Deletes the rows of a scope, then writes new ones.
    Replace {
        /// What the rows to delete have in these columns. Never empty.
        filter: Vec<ColumnValue>,
        /// The array with an element a new row; one row from the event itself when `None`.
        each: Option<Path>,
        /// The values of a new row; the key is complete.
        values: Vec<ColumnValue>,
    },
    /// Writes some columns of one row and keeps the others.
    Patch {
        /// The values of the key columns.
        key: Vec<ColumnValue>,
        /// Columns that are always written, none of the key.
        set: Vec<ColumnValue>,
        /// Columns that are written when their place is there in the event, with an explicit null
        /// too; plain places of the payload, none of the key. Empty when `set` was given.
        present: Vec<ColumnValue>,
        /// What happens when there is no such row.
        on_missing: OnMissing,
    },
    /// Adds to columns of one row.
    Increment {
        /// The values of the key columns.
        key: Vec<ColumnValue>,
        /// What to add. Columns of numbers, none of the key. Never empty.
        by: Vec<ColumnValue>,
        /// Further columns to write, none of the key and none of `by`.
        set: Vec<ColumnValue>,
        /// What happens when there is no such row.
        on_missing: OnMissing,
    },
    /// Does nothing. The event counts as ignored, and its entity moves on.
    Ignore,
}

impl Operation {
    /// Its name in a file.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Upsert { .. } => "upsert",
            Self::Insert { .. } => "insert",
            Self::Delete { .. } => "delete",
            Self::Replace { .. } => "replace",
            Self::Patch { .. } => "patch",
            Self::Increment { .. } => "increment",
            Self::Ignore => "ignore",
        }
    }
}

/// What a patch or an increment does when there is no row of its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMissing {
    /// The row is made: the defaults of the columns, then what the mutation writes and adds.
    #[default]
    Create,
    /// Nothing. The event counts as ignored.
    Ignore,
    /// The event is a data error.
    Error,
}
