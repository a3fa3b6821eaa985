//! The key of a row, as it is compared and ordered.

use std::cmp::Ordering;

use projectionist_core::row::{Cell, OwnedCell, RowBatch, RowRef, Table};

/// The cells of a row in the columns of the key.
#[derive(Clone, Debug)]
pub(crate) struct RowKey(Box<[OwnedCell]>);

impl RowKey {
    /// The key of a row of a batch.
    pub(crate) fn of(table: &Table, batch: &RowBatch, row: RowRef) -> Self {
        let cells = table.key.iter();
        Self(
            cells
                .map(|column| batch.cell(row, *column).into())
                .collect(),
        )
    }
}

impl From<&[OwnedCell]> for RowKey {
    /// The key of these cells, in its order.
    fn from(cells: &[OwnedCell]) -> Self {
        Self(cells.into())
    }
}

impl Ord for RowKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let pairs = self.0.iter().zip(&other.0);
        pairs
            .map(|(a, b)| compare(a.as_cell(), b.as_cell()))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| self.0.len().cmp(&other.0.len()))
    }
}

impl PartialOrd for RowKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RowKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for RowKey {}

/// Orders two cells: by value where they are of one type, else by type.
pub(crate) fn compare(a: Cell<'_>, b: Cell<'_>) -> Ordering {
    match (a, b) {
        (Cell::Text(a), Cell::Text(b))
        | (Cell::Numeric(a), Cell::Numeric(b))
        | (Cell::Json(a), Cell::Json(b))
        | (Cell::Array(a), Cell::Array(b)) => a.cmp(b),
        (Cell::Int(a), Cell::Int(b)) => a.cmp(&b),
        // Both zeros are one key, as in SQL; NaN cannot be stored.
        (Cell::Double(a), Cell::Double(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        (Cell::Bool(a), Cell::Bool(b)) => a.cmp(&b),
        (Cell::Timestamp(a), Cell::Timestamp(b)) => a.cmp(&b),
        (Cell::Date(a), Cell::Date(b)) => a.cmp(&b),
        (Cell::Uuid(a), Cell::Uuid(b)) => a.cmp(&b),
        (Cell::Bytes(a), Cell::Bytes(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

fn rank(cell: Cell<'_>) -> u8 {
    match cell {
        Cell::Null => 0,
        Cell::Text(_) => 1,
        Cell::Int(_) => 2,
        Cell::Double(_) => 3,
        Cell::Bool(_) => 4,
        Cell::Numeric(_) => 5,
        Cell::Timestamp(_) => 6,
        Cell::Uuid(_) => 7,
        Cell::Json(_) => 8,
        Cell::Date(_) => 9,
        Cell::Bytes(_) => 10,
        Cell::Array(_) => 11,
    }
}
