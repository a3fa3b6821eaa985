//! What becomes of one key.
//!
//! Every operation of a declared projection is a function from the row as it is (or its absence)
//! to the row as it shall be. An [`Effect`] is such a function with one answer for an absent row
//! and one for a present row. That form is closed under composition, which is why any number of
//! operations on one key can be folded into one effect:
//!
//! | operation | row absent | row present |
//! | --- | --- | --- |
//! | upsert | insert | overwrite |
//! | insert | insert | keep |
//! | delete | stay | delete |
//! | increment, patch | insert | change |
//! | the same where a missing row is not made | stay | change |

use super::RowRef;

/// What becomes of one key. The batch holds at most one effect a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The row. Its key columns are always set; the others where `absent` inserts or `present`
    /// overwrites.
    pub row: RowRef,
    /// What happens when there is no such row.
    pub absent: Absent,
    /// What happens when there is one.
    pub present: Present,
    /// Whether the store shall tell if the row existed before.
    pub report_existed: bool,
}

/// What happens to a row that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// It stays away.
    Stay,
    /// The effect's row is inserted.
    Insert,
}

/// What happens to a row that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Present {
    /// It is kept as it is.
    Keep,
    /// All its columns become those of the effect's row.
    Overwrite,
    /// Some of its columns change.
    Change {
        /// Which columns, and how.
        shape: ShapeRef,
        /// The operands, in the columns that change.
        operands: RowRef,
    },
    /// It is deleted.
    Delete,
}

/// A shape of a batch: an index into [`super::RowBatch::shapes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShapeRef(pub(super) u32);

impl ShapeRef {
    /// The place of the shape in [`super::RowBatch::shapes`]: from 0, without gaps.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How one column changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// It stays.
    Keep,
    /// It becomes the operand.
    Set,
    /// The operand is added: exactly for integers and NUMERIC, as IEEE 754 for DOUBLE and REAL.
    /// A null counts as the column's default, or as zero where it has none. A sum that leaves the
    /// column's type fails the batch with [`crate::Error::Row`].
    Add,
}

/// How each column changes, in the order of the table's columns.
pub type ChangeShape = Box<[Change]>;

/// Deletes every row whose columns equal those of `row`. Runs before the effects of its batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeDelete {
    /// The columns to compare, as indexes into the table's columns. Never empty.
    pub columns: std::sync::Arc<[usize]>,
    /// The row that holds what they must equal. Never null.
    pub row: RowRef,
}
