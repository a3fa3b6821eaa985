//! The rows of one table that one transaction writes, in one arena.

mod sort;

use super::{Cell, ChangeShape, Effect, ScopeDelete, ShapeRef};
use crate::Timestamp;

/// A row of a batch: the index of its first cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowRef(u32);

#[derive(Clone, Copy, Debug)]
enum Packed {
    Null,
    Text { start: u32, len: u32 },
    Int(i64),
    Double(f64),
    Bool(bool),
    Numeric { start: u32, len: u32 },
    Timestamp(i64),
    Date(i32),
    Uuid([u8; 16]),
    Bytes { start: u32, len: u32 },
    Json { start: u32, len: u32 },
    Array { start: u32, len: u32 },
}

/// The rows of one table that one transaction writes.
///
/// Cells, their text and their bytes stand in buffers that are kept from batch to batch, so a batch
/// allocates nothing once it has reached its size. Rows are written by whoever folds and read by
/// the store.
///
/// A store runs the [scope deletes](Self::scopes) first and then the [effects](Self::effects), in
/// the order given, which is the order of the keys.
///
/// ```
/// use projectionist_core::row::{Absent, Cell, Effect, Present, RowBatch};
///
/// let mut batch = RowBatch::new(2);
/// let row = batch.push_row(&[Cell::Text("user-1"), Cell::Int(3)]).unwrap();
/// batch.push_effect(Effect {
///     row,
///     absent: Absent::Insert,
///     present: Present::Overwrite,
///     report_existed: false,
/// });
/// assert_eq!(batch.cell(batch.effects()[0].row, 1), Cell::Int(3));
/// ```
#[derive(Debug, Default)]
pub struct RowBatch {
    width: usize,
    cells: Vec<Packed>,
    text: String,
    bytes: Vec<u8>,
    shapes: Vec<ChangeShape>,
    scopes: Vec<ScopeDelete>,
    effects: Vec<Effect>,
    /// Kept for its room only; see [`Self::sort_by_key`].
    ranked: Vec<(u64, Effect)>,
}

impl RowBatch {
    /// The most cells of a batch, all rows together: about 100 MB.
    pub const MAX_CELLS: usize = 4 << 20;

    /// The most text and bytes of a batch, all cells together, in bytes.
    pub const MAX_TEXT_BYTES: usize = 64 << 20;

    /// An empty batch for rows of `width` columns.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }

    /// Empties the batch and keeps its buffers.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.text.clear();
        self.bytes.clear();
        self.shapes.clear();
        self.scopes.clear();
        self.effects.clear();
    }

    /// The number of columns of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many bytes the texts and the values of BYTEA in the batch have.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        self.text.len() + self.bytes.len()
    }

    /// The number of cells that the batch holds.
    #[must_use]
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Whether nothing is to be written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty() && self.effects.is_empty()
    }

    /// Adds a row. `None` when it has another width, or when the batch would hold more than
    /// [`Self::MAX_CELLS`] cells or [`Self::MAX_TEXT_BYTES`] bytes of text: a single event that
    /// lists many rows must not take memory without bound. Text counts as often as it is added,
    /// also that of a cell that was replaced. A row that was refused may leave unused cells.
    pub fn push_row(&mut self, row: &[Cell<'_>]) -> Option<RowRef> {
        if row.len() != self.width || self.cells.len() + row.len() > Self::MAX_CELLS {
            return None;
        }
        let first = u32::try_from(self.cells.len()).ok()?;
        for cell in row {
            let packed = self.pack(*cell)?;
            self.cells.push(packed);
        }
        Some(RowRef(first))
    }

    /// The cell of `row` in the column at `column`. Null for a column that is not there.
    #[must_use]
    pub fn cell(&self, row: RowRef, column: usize) -> Cell<'_> {
        let index = row.0 as usize + column;
        self.cells
            .get(index)
            .map_or(Cell::Null, |packed| self.unpack(*packed))
    }

    /// Replaces the cell of `row` in the column at `column`. `None` as for [`Self::push_row`].
    pub fn set_cell(&mut self, row: RowRef, column: usize, cell: Cell<'_>) -> Option<()> {
        let packed = self.pack(cell)?;
        let index = row.0 as usize + column;
        *self.cells.get_mut(index)? = packed;
        Some(())
    }

    /// Copies the cell of `from` in the column at `column` to `to`.
    pub fn copy_cell(&mut self, from: RowRef, to: RowRef, column: usize) -> Option<()> {
        let packed = *self.cells.get(from.0 as usize + column)?;
        *self.cells.get_mut(to.0 as usize + column)? = packed;
        Some(())
    }

    /// The reference of a shape; equal shapes share one.
    pub fn shape(&mut self, shape: &[super::Change]) -> Option<ShapeRef> {
        let known = self.shapes.iter().position(|known| known.as_ref() == shape);
        let index = known.unwrap_or_else(|| {
            self.shapes.push(shape.into());
            self.shapes.len() - 1
        });
        u32::try_from(index).ok().map(ShapeRef)
    }

    /// How each column changes under `shape`.
    #[must_use]
    pub fn changes(&self, shape: ShapeRef) -> &[super::Change] {
        self.shapes.get(shape.index()).map_or(&[], AsRef::as_ref)
    }

    /// The shapes that the effects name, by the index of their reference.
    #[must_use]
    pub fn shapes(&self) -> &[ChangeShape] {
        &self.shapes
    }

    /// Adds an effect.
    pub fn push_effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// The effects, at most one a key.
    #[must_use]
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// Adds a scope delete.
    pub fn push_scope(&mut self, scope: ScopeDelete) {
        self.scopes.push(scope);
    }

    /// The scope deletes.
    #[must_use]
    pub fn scopes(&self) -> &[ScopeDelete] {
        &self.scopes
    }

    fn pack(&mut self, cell: Cell<'_>) -> Option<Packed> {
        Some(match cell {
            Cell::Null => Packed::Null,
            Cell::Text(text) => {
                let (start, len) = self.push_text(text)?;
                Packed::Text { start, len }
            }
            Cell::Int(value) => Packed::Int(value),
            Cell::Double(value) => Packed::Double(value),
            Cell::Bool(value) => Packed::Bool(value),
            Cell::Numeric(text) => {
                let (start, len) = self.push_text(text)?;
                Packed::Numeric { start, len }
            }
            Cell::Timestamp(moment) => Packed::Timestamp(moment.unix_millis),
            Cell::Date(days) => Packed::Date(days),
            Cell::Uuid(bytes) => Packed::Uuid(bytes),
            Cell::Bytes(bytes) => {
                let (start, len) = self.push_bytes(bytes)?;
                Packed::Bytes { start, len }
            }
            Cell::Json(text) => {
                let (start, len) = self.push_text(text)?;
                Packed::Json { start, len }
            }
            Cell::Array(text) => {
                let (start, len) = self.push_text(text)?;
                Packed::Array { start, len }
            }
        })
    }

    fn push_text(&mut self, text: &str) -> Option<(u32, u32)> {
        let len = self.len_of(text.len())?;
        let start = u32::try_from(self.text.len()).ok()?;
        self.text.push_str(text);
        Some((start, len))
    }

    fn push_bytes(&mut self, bytes: &[u8]) -> Option<(u32, u32)> {
        let len = self.len_of(bytes.len())?;
        let start = u32::try_from(self.bytes.len()).ok()?;
        self.bytes.extend_from_slice(bytes);
        Some((start, len))
    }

    /// The length of a text or value that is to be added; `None` when there is no room for it.
    fn len_of(&self, len: usize) -> Option<u32> {
        if len > Self::MAX_TEXT_BYTES.saturating_sub(self.text_bytes()) {
            return None;
        }
        u32::try_from(len).ok()
    }

    fn unpack(&self, packed: Packed) -> Cell<'_> {
        let text = |start: u32, len: u32| {
            let start = start as usize;
            self.text
                .get(start..start + len as usize)
                .unwrap_or_default()
        };
        match packed {
            Packed::Null => Cell::Null,
            Packed::Text { start, len } => Cell::Text(text(start, len)),
            Packed::Int(value) => Cell::Int(value),
            Packed::Double(value) => Cell::Double(value),
            Packed::Bool(value) => Cell::Bool(value),
            Packed::Numeric { start, len } => Cell::Numeric(text(start, len)),
            Packed::Timestamp(millis) => Cell::Timestamp(Timestamp::from_unix_millis(millis)),
            Packed::Date(days) => Cell::Date(days),
            Packed::Uuid(bytes) => Cell::Uuid(bytes),
            Packed::Bytes { start, len } => {
                let start = start as usize;
                let bytes = self.bytes.get(start..start + len as usize);
                Cell::Bytes(bytes.unwrap_or_default())
            }
            Packed::Json { start, len } => Cell::Json(text(start, len)),
            Packed::Array { start, len } => Cell::Array(text(start, len)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Change;

    #[test]
    fn every_kind_of_cell_reads_back_as_written() {
        let row = [
            Cell::Null,
            Cell::Text("é"),
            Cell::Int(i64::MIN),
            Cell::Double(-0.5),
            Cell::Bool(true),
            Cell::Numeric("12.50"),
            Cell::Timestamp(Timestamp::from_unix_millis(-1)),
            Cell::Date(-1),
            Cell::Uuid([7; 16]),
            Cell::Bytes(&[0, 255, 0xc3]),
            Cell::Json(r#"{"a":1}"#),
            Cell::Array(r#"["é",null]"#),
        ];
        let mut batch = RowBatch::new(row.len());
        batch.push_row(&row).unwrap();
        let second = batch.push_row(&row).unwrap();
        for (column, cell) in row.iter().enumerate() {
            assert_eq!(batch.cell(second, column), *cell);
        }
    }

    #[test]
    fn a_row_of_another_width_is_refused() {
        assert_eq!(RowBatch::new(2).push_row(&[Cell::Null]), None);
    }

    #[test]
    fn a_batch_holds_as_many_cells_as_it_says_and_no_more() {
        let mut batch = RowBatch::new(3);
        let row = [Cell::Int(1); 3];
        let added = (0..=RowBatch::MAX_CELLS).take_while(|_| batch.push_row(&row).is_some());
        assert_eq!(added.count(), RowBatch::MAX_CELLS / 3);
        batch.clear();
        assert!(batch.push_row(&row).is_some());
    }

    #[test]
    fn a_batch_holds_as_much_text_as_it_says_and_no_more() {
        let mut batch = RowBatch::new(1);
        let half = "x".repeat(RowBatch::MAX_TEXT_BYTES / 2);
        let row = batch.push_row(&[Cell::Text(&half)]).unwrap();
        assert!(batch.push_row(&[Cell::Json(&half)]).is_some());
        assert_eq!(batch.push_row(&[Cell::Numeric("1")]), None);
        assert_eq!(batch.set_cell(row, 0, Cell::Text("y")), None);
        assert_eq!(batch.cell(row, 0), Cell::Text(&half));
        assert_eq!(batch.text_bytes(), RowBatch::MAX_TEXT_BYTES);
        assert_eq!(batch.push_row(&[Cell::Bytes(&[1])]), None);
        assert!(batch.push_row(&[Cell::Text("")]).is_some());
        batch.clear();
        let bytes = vec![7; RowBatch::MAX_TEXT_BYTES];
        assert!(batch.push_row(&[Cell::Bytes(&bytes)]).is_some());
        assert_eq!(batch.push_row(&[Cell::Text("z")]), None);
    }

    #[test]
    fn equal_shapes_share_a_reference_and_a_cleared_batch_forgets_all() {
        let mut batch = RowBatch::new(1);
        let first = batch.shape(&[Change::Add]).unwrap();
        assert_eq!(batch.shape(&[Change::Add]), Some(first));
        let second = batch.shape(&[Change::Set]).unwrap();
        assert_eq!((first.index(), second.index()), (0, 1));
        assert_eq!(*batch.shapes()[second.index()], [Change::Set]);
        batch.clear();
        assert!(batch.shapes().is_empty() && batch.is_empty());
    }
}
