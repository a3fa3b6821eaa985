//! How much the rows of a group take, and what is said when that is too much.

use projectionist_core::Error;
use projectionist_core::row::{RowBatch, Table};

/// How much rows take. The bounds of a batch are those of a whole group too, which may fill a
/// batch a tenant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Volume {
    cells: usize,
    text_bytes: usize,
}

impl Volume {
    pub(crate) fn of(batch: &RowBatch) -> Self {
        Self {
            cells: batch.cell_count(),
            text_bytes: batch.text_bytes(),
        }
    }

    /// Adds what a batch has grown by.
    pub(crate) fn add_growth(&mut self, before: Self, after: Self) {
        self.cells += after.cells.saturating_sub(before.cells);
        self.text_bytes += after.text_bytes.saturating_sub(before.text_bytes);
    }

    /// Whether that is within the bounds.
    pub(crate) fn fits(self) -> bool {
        self.cells <= RowBatch::MAX_CELLS && self.text_bytes <= RowBatch::MAX_TEXT_BYTES
    }

    /// What an engine is told when the rows of so many events are too much: it cuts the group, and
    /// at last passes over the one event that is too much alone.
    pub(crate) fn refuse(self, table: &Table, events: usize) -> Error {
        let who = match events {
            1 => "the event makes".to_owned(),
            _ => format!("the {events} events of a group make"),
        };
        let Self { cells, text_bytes } = self;
        Error::Row {
            table: table.name.to_string(),
            reason: format!(
                "{who} too many rows or too much text: {cells} cells and {text_bytes} bytes of \
                 text, and that is not all; one transaction takes at most {} cells and {} bytes",
                RowBatch::MAX_CELLS,
                RowBatch::MAX_TEXT_BYTES
            ),
        }
    }
}
