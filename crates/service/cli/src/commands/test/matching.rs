//! Which row of a table is which expected row.

use projectionist_core::row::OwnedCell;
use projectionist_language::fixtures::ExpectedRow;

use super::cell::is_equal;

/// For every expected row the row that it is, where there is one. No row is given twice.
///
/// A row whose key is expected is told by its key, whatever else it holds. The others are told by
/// the columns that are expected of them, so that as many as possible find a row.
pub(super) fn pairs(
    expected: &[ExpectedRow],
    rows: &[Vec<OwnedCell>],
    key: &[usize],
) -> Vec<Option<usize>> {
    let mut owners: Vec<Option<usize>> = vec![None; rows.len()];
    let names_key = |row: &ExpectedRow| key.iter().all(|column| row.cell(*column).is_some());
    for (index, row) in expected.iter().enumerate() {
        if names_key(row)
            && let Some(found) = rows.iter().position(|actual| agrees(row, actual, key))
            && let Some(owner) = owners.get_mut(found)
        {
            *owner = Some(index);
        }
    }
    let matches = |index: usize, actual: usize| {
        let pair = expected.get(index).zip(rows.get(actual));
        pair.is_some_and(|(row, actual)| !names_key(row) && agrees_in_all(row, actual))
    };
    for (index, row) in expected.iter().enumerate() {
        if !names_key(row) {
            let mut seen = vec![false; rows.len()];
            take(index, &matches, &mut owners, &mut seen);
        }
    }
    let row_of = |index| owners.iter().position(|owner| *owner == Some(index));
    (0..expected.len()).map(row_of).collect()
}

/// Gives a row to the expected row at `index`, where that is possible by giving others another.
fn take(
    index: usize,
    matches: &impl Fn(usize, usize) -> bool,
    owners: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    for row in 0..owners.len() {
        if seen[row] || !matches(index, row) {
            continue;
        }
        seen[row] = true;
        let is_free = match owners[row] {
            None => true,
            // A row that is told by its key is not given away.
            Some(owner) => matches(owner, row) && take(owner, matches, owners, seen),
        };
        if is_free {
            owners[row] = Some(index);
            return true;
        }
    }
    false
}

fn agrees(row: &ExpectedRow, actual: &[OwnedCell], columns: &[usize]) -> bool {
    columns.iter().all(|column| {
        let pair = row.cell(*column).zip(actual.get(*column));
        pair.is_some_and(|(expected, actual)| is_equal(expected, actual))
    })
}

fn agrees_in_all(row: &ExpectedRow, actual: &[OwnedCell]) -> bool {
    row.cells.iter().all(|(column, expected)| {
        let actual = actual.get(*column);
        actual.is_some_and(|actual| is_equal(expected, actual))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(cells: &[(usize, i64)]) -> ExpectedRow {
        let cells = cells
            .iter()
            .map(|(column, value)| (*column, OwnedCell::Int(*value)));
        ExpectedRow {
            line: 1,
            cells: cells.collect(),
        }
    }

    fn rows(rows: &[[i64; 3]]) -> Vec<Vec<OwnedCell>> {
        rows.iter()
            .map(|row| row.map(OwnedCell::Int).to_vec())
            .collect()
    }

    #[test]
    fn a_row_is_told_by_its_key_and_otherwise_by_what_is_named() {
        let rows = rows(&[[1, 7, 7], [2, 7, 8], [3, 9, 9]]);
        // The first would fit both of the last two's rows, and must take the one that is left.
        let all = [
            expected(&[(1, 7)]),
            expected(&[(1, 7), (2, 7)]),
            expected(&[(0, 3), (1, 0)]),
        ];
        assert_eq!(pairs(&all, &rows, &[0]), [Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn a_row_that_its_key_tells_is_not_given_away() {
        let rows = rows(&[[1, 7, 7]]);
        let both = [expected(&[(1, 7)]), expected(&[(0, 1)])];
        assert_eq!(pairs(&both, &rows, &[0]), [None, Some(0)]);
    }

    #[test]
    fn equal_rows_are_counted() {
        let rows = rows(&[[1, 7, 7], [2, 7, 7]]);
        let three = [
            expected(&[(1, 7)]),
            expected(&[(1, 7)]),
            expected(&[(1, 7)]),
        ];
        let found = pairs(&three, &rows, &[0]);
        assert_eq!(found.iter().flatten().count(), 2);
    }
}
