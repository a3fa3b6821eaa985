//! Compares a table that exists with the one that is declared.

use projectionist_core::row::{Cell, Column, OwnedCell, Table};
use projectionist_core::{Error, Result};

use super::schema_error;

/// Where the cells of the declared columns stand in a stored row.
///
/// Columns are known by their names: two declarations that list them in another order are one
/// table.
#[derive(Debug)]
pub(super) struct Places(Box<[usize]>);

impl Places {
    /// Finds the declared columns in a stored table.
    ///
    /// Defaults may differ: they say what is written, not what the table holds.
    ///
    /// # Errors
    /// [`Error::Schema`] when the stored table has other columns or another key.
    pub(super) fn of(stored: &Table, declared: &Table) -> Result<Self> {
        let places = declared.columns.iter().map(|column| {
            let named = |is: &Column| is.name == column.name;
            let place = stored.columns.iter().position(named);
            let place = place
                .ok_or_else(|| other_shape(declared, &format!("has no column {}", column.name)))?;
            same_column(declared, &stored.columns[place], column).map(|()| place)
        });
        let places: Box<[usize]> = places.collect::<Result<_>>()?;
        if places.len() != stored.columns.len() {
            let (is, shall) = (stored.columns.len(), places.len());
            let reason = format!("has {is} columns, {shall} are declared");
            return Err(other_shape(declared, &reason));
        }
        let key = declared.key.iter().map(|column| places.get(*column));
        if !key.eq(stored.key.iter().map(Some)) {
            return Err(other_shape(declared, "has another primary key"));
        }
        Ok(Self(places))
    }

    /// The cell of a declared column. Null for a column that is not there.
    pub(super) fn cell<'a>(&self, row: &'a [OwnedCell], column: usize) -> Cell<'a> {
        let cell = self.0.get(column).and_then(|place| row.get(*place));
        cell.map_or(Cell::Null, OwnedCell::as_cell)
    }

    /// Sets the cell of a declared column.
    pub(super) fn set(&self, row: &mut [OwnedCell], column: usize, cell: OwnedCell) {
        if let Some(kept) = self.0.get(column).and_then(|place| row.get_mut(*place)) {
            *kept = cell;
        }
    }
}

fn same_column(table: &Table, is: &Column, shall: &Column) -> Result<()> {
    if is.column_type == shall.column_type && is.nullable == shall.nullable {
        return Ok(());
    }
    let null = |column: &Column| if column.nullable { "" } else { " NOT NULL" };
    let reason = format!(
        "has the column {} {}{}, declared is {}{}",
        is.name,
        is.column_type,
        null(is),
        shall.column_type,
        null(shall)
    );
    Err(other_shape(table, &reason))
}

fn other_shape(table: &Table, reason: &str) -> Error {
    let remedy = "rebuild the projection, or name another table";
    schema_error(table, format!("{reason}; {remedy}"))
}
