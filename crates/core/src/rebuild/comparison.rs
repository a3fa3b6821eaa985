//! What is another in a rebuilt read model.

use crate::Offset;
use crate::row::TableName;

/// What the read model in use and the rebuilt one hold, in one view of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Where the lane of the one in use stood; `None` for none.
    pub live: Option<Offset>,
    /// Where the lane of the rebuilt one stood.
    pub shadow: Option<Offset>,
    /// The tables of either side, ordered by name.
    pub tables: Vec<TableComparison>,
}

/// One table on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableComparison {
    /// Its name in use.
    pub name: TableName,
    /// What the one in use holds; `None` when there is none.
    pub live: Option<TableSum>,
    /// What the rebuilt one holds; `None` when there is none.
    pub shadow: Option<TableSum>,
    /// How many keys differ; `None` when the columns are others, so that rows cannot be compared.
    pub differing: Option<u64>,
    /// The first of the rows that differ, in the order of their keys.
    pub sample: Vec<RowDifference>,
}

/// All rows of a table in two numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSum {
    /// How many rows there are.
    pub rows: u64,
    /// A digest of all of them with their types, in the order of their keys. Comparable on one
    /// store and within one build only.
    pub digest: u64,
}

/// A row that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowDifference {
    /// Its key, for people.
    pub key: String,
    /// In what it differs.
    pub difference: Difference,
}

/// In what a row differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Only the one in use has it.
    OnlyLive,
    /// Only the rebuilt one has it.
    OnlyShadow,
    /// Both have it, with another value in these columns.
    Columns(Vec<String>),
}

impl Comparison {
    /// Whether both sides hold the same.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.tables.iter().all(TableComparison::is_equal)
    }
}

impl TableComparison {
    /// Whether both sides hold the same. A table that is missing equals one without rows.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        let rows = |sum: Option<TableSum>| sum.map_or(0, |sum| sum.rows);
        match self.differing {
            Some(differing) => differing == 0,
            None => rows(self.live) == 0 && rows(self.shadow) == 0,
        }
    }
}
