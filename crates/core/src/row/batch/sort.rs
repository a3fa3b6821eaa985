//! Writes neighbours of a table one after the other.

use super::RowBatch;
use crate::row::Cell;

impl RowBatch {
    /// Orders the effects by the rows' cells in the columns of `key`, so that neighbours in a
    /// store's tree are written one after the other.
    pub fn sort_by_key(&mut self, key: &[usize]) {
        let mut ranked = std::mem::take(&mut self.ranked);
        let first = key.first().copied().unwrap_or(0);
        let shared = self.shared_prefix(first);
        ranked.clear();
        ranked.extend(self.effects.iter().map(|effect| {
            let cell = self.cell(effect.row, first);
            (rank(cell, shared), *effect)
        }));
        ranked.sort_unstable_by(|(rank_a, a), (rank_b, b)| {
            rank_a.cmp(rank_b).then_with(|| {
                let pairs = key
                    .iter()
                    .map(|column| (self.cell(a.row, *column), self.cell(b.row, *column)));
                pairs
                    .map(|(a, b)| compare(a, b))
                    .find(|order| order.is_ne())
                    .unwrap_or(a.row.cmp(&b.row))
            })
        });
        self.effects.clear();
        self.effects
            .extend(ranked.iter().map(|(_, effect)| *effect));
        self.ranked = ranked;
    }

    /// How many bytes the texts or values of the effects' rows in `column` begin with alike.
    fn shared_prefix(&self, column: usize) -> usize {
        let mut texts = self
            .effects
            .iter()
            .map(|effect| self.cell(effect.row, column));
        let Some(first) = texts.next().and_then(bytes_of) else {
            return 0;
        };
        texts.fold(first.len(), |shared, cell| {
            let pairs = first.iter().zip(bytes_of(cell).unwrap_or_default());
            pairs.take(shared).take_while(|(a, b)| a == b).count()
        })
    }
}

fn bytes_of(cell: Cell<'_>) -> Option<&[u8]> {
    match cell {
        Cell::Text(text) | Cell::Numeric(text) | Cell::Json(text) | Cell::Array(text) => {
            Some(text.as_bytes())
        }
        Cell::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// What decides most comparisons of a key column without a look at the rows: of two cells that
/// differ in rank the one with the lower rank comes first, as in [`compare`]. Texts begin mostly
/// alike, so `shared` bytes are left out.
fn rank(cell: Cell<'_>, shared: usize) -> u64 {
    let signed = |value: i64| value.cast_unsigned() ^ (1 << 63);
    match cell {
        Cell::Int(value) => signed(value),
        Cell::Timestamp(moment) => signed(moment.unix_millis),
        Cell::Date(days) => signed(days.into()),
        Cell::Uuid([a, b, c, d, e, f, g, h, ..]) => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
        _ => {
            let bytes = bytes_of(cell).unwrap_or_default();
            let mut head = [0; 8];
            for (to, from) in head.iter_mut().zip(bytes.get(shared..).unwrap_or_default()) {
                *to = *from;
            }
            u64::from_be_bytes(head)
        }
    }
}

/// Orders two cells of one key column. Only used to write neighbours together: any total order
/// would give the same table.
fn compare(a: Cell<'_>, b: Cell<'_>) -> std::cmp::Ordering {
    match (a, b) {
        (Cell::Text(a), Cell::Text(b))
        | (Cell::Numeric(a), Cell::Numeric(b))
        | (Cell::Json(a), Cell::Json(b))
        | (Cell::Array(a), Cell::Array(b)) => a.cmp(b),
        (Cell::Bytes(a), Cell::Bytes(b)) => a.cmp(b),
        (Cell::Int(a), Cell::Int(b)) => a.cmp(&b),
        (Cell::Double(a), Cell::Double(b)) => a.total_cmp(&b),
        (Cell::Bool(a), Cell::Bool(b)) => a.cmp(&b),
        (Cell::Timestamp(a), Cell::Timestamp(b)) => a.cmp(&b),
        (Cell::Date(a), Cell::Date(b)) => a.cmp(&b),
        (Cell::Uuid(a), Cell::Uuid(b)) => a.cmp(&b),
        _ => std::cmp::Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Absent, Effect, Present, RowRef};

    fn effect(row: RowRef) -> Effect {
        Effect {
            row,
            absent: Absent::Insert,
            present: Present::Overwrite,
            report_existed: false,
        }
    }

    #[test]
    fn effects_are_ordered_by_the_key_not_by_arrival() {
        let mut batch = RowBatch::new(2);
        for (name, number) in [("b", 1), ("a", 2), ("a", 1)] {
            let row = batch
                .push_row(&[Cell::Text(name), Cell::Int(number)])
                .unwrap();
            batch.push_effect(effect(row));
        }
        batch.sort_by_key(&[0, 1]);
        let keys: Vec<_> = batch
            .effects()
            .iter()
            .map(|effect| (batch.cell(effect.row, 0), batch.cell(effect.row, 1)))
            .collect();
        assert_eq!(
            keys,
            [
                (Cell::Text("a"), Cell::Int(1)),
                (Cell::Text("a"), Cell::Int(2)),
                (Cell::Text("b"), Cell::Int(1)),
            ]
        );
    }

    #[test]
    fn days_and_bytes_are_ordered_by_value() {
        let ordered: [&[Cell<'_>]; 2] = [
            &[Cell::Date(-2), Cell::Date(-1), Cell::Date(3)],
            &[
                Cell::Bytes(&[]),
                Cell::Bytes(&[1; 9]),
                Cell::Bytes(&[1; 10]),
                Cell::Bytes(&[255]),
            ],
        ];
        for cells in ordered {
            let mut batch = RowBatch::new(1);
            for cell in cells.iter().rev() {
                let row = batch.push_row(&[*cell]).unwrap();
                batch.push_effect(effect(row));
            }
            batch.sort_by_key(&[0]);
            let sorted = batch.effects().iter().map(|e| batch.cell(e.row, 0));
            assert!(sorted.eq(cells.iter().copied()), "{cells:?}");
        }
    }
}
