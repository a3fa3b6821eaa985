//! What is not as a case expects it.

use projectionist_core::row::OwnedCell;

/// One thing that is not as the case expects it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// The line of the file where it is expected; 0 stands for that of the case.
    pub(super) line: usize,
    /// What it is about: a table, `dead letters`, or a projection's counters.
    pub(super) subject: String,
    pub(super) what: What,
}

/// In which way it is not as expected.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// A row is expected and not there.
    Missing(Cells),
    /// A row is there and not expected.
    Unexpected(Cells),
    /// A row has other values than expected.
    Changed {
        /// The key of the row.
        key: Cells,
        /// The columns that differ.
        columns: Vec<ChangedColumn>,
    },
    /// Something is told in a sentence.
    Other(String),
    /// A number is another one.
    Count {
        /// What is counted.
        of: String,
        expected: u64,
        actual: u64,
    },
}

/// Columns by name and what they hold.
pub(super) type Cells = Vec<(String, OwnedCell)>;

/// A column with another value than expected.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChangedColumn {
    pub(super) column: String,
    pub(super) expected: OwnedCell,
    pub(super) actual: OwnedCell,
}
