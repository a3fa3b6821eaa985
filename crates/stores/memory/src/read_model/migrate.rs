//! Brings a table that exists to the shape that is declared.

use projectionist_core::row::{Column, OwnedCell, Table, is_wider};
use projectionist_core::{Error, Result};

use super::{Row, StoredTable, schema_error};

/// `stored` in the shape of `table`, with its rows.
///
/// # Errors
/// [`Error::Schema`] when that is another owner's, or more than an addition.
pub(crate) fn migrated(stored: &StoredTable, table: Table) -> Result<StoredTable> {
    table.check_owner(&stored.shape.owner)?;
    let before = &stored.shape;
    for column in before.columns.iter() {
        if !table.columns.iter().any(|kept| kept.name == column.name) {
            let reason = format!("column {} is not declared any more", column.name);
            return Err(refused(&table, &reason));
        }
    }
    let key = |table: &Table| -> Vec<Box<str>> {
        let columns = table.key.iter().filter_map(|at| table.columns.get(*at));
        columns.map(|column| column.name.clone()).collect()
    };
    if key(before) != key(&table) {
        return Err(refused(&table, "it has another primary key"));
    }
    let places: Vec<Option<usize>> = table
        .columns
        .iter()
        .map(|column| place(before, &table, column))
        .collect::<Result<_>>()?;
    let row = |row: &Row| -> Row {
        let cells = places.iter().zip(table.columns.iter());
        let cells = cells.map(|(place, column)| match place.and_then(|at| row.get(at)) {
            Some(cell) => cell.clone(),
            None => column.default.clone().unwrap_or(OwnedCell::Null),
        });
        cells.collect()
    };
    let rows = stored.rows.iter();
    Ok(StoredTable {
        rows: rows.map(|(key, kept)| (key.clone(), row(kept))).collect(),
        shape: table,
    })
}

/// Where the cells of a column stand; `None` for one that is new.
fn place(before: &Table, table: &Table, column: &Column) -> Result<Option<usize>> {
    let Some(at) = before.columns.iter().position(|is| is.name == column.name) else {
        if column.nullable || column.default.is_some() {
            return Ok(None);
        }
        let reason = format!(
            "the new column {} allows no null and has no default",
            column.name
        );
        return Err(refused(table, &reason));
    };
    let is = &before.columns[at];
    let (from, to) = (is.column_type.to_string(), column.column_type.to_string());
    if from != to && !is_wider(&from, &to) {
        let reason = format!("column {} is {from}, not {to}", column.name);
        return Err(refused(table, &reason));
    }
    if is.nullable && !column.nullable {
        let reason = format!("column {} allows null", column.name);
        return Err(refused(table, &reason));
    }
    Ok(Some(at))
}

fn refused(table: &Table, reason: &str) -> Error {
    let remedy = "that cannot be changed in place; use a new target";
    schema_error(table, format!("{reason}; {remedy}"))
}
