//! Says which row of which table did not fit, and why.

use projectionist_core::Error;
use projectionist_core::row::{RowBatch, RowRef, Table};

use super::bind::Unbound;
use super::ddl::push_value;
use super::sums;
use crate::error::{Remedy, remedy, store_error};

/// The longest value of a key that a message shows, in characters.
const MOST_SHOWN: usize = 60;

/// A statement could not be prepared: the table is not the one that its text was made for.
pub(super) fn unprepared(table: &Table, error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::Unknown) => Error::Schema {
            table: table.name.to_string(),
            reason: format!("{error}; create the table before rows are written"),
        },
        _ => write_error(table, error),
    }
}

/// A cell of a column could not be bound.
pub(super) fn unbound(table: &Table, column: usize, unbound: Unbound) -> Error {
    match unbound {
        Unbound::OutOfRange => Error::Row {
            table: table.name.to_string(),
            reason: format!(
                "column `{}`: moments and days are stored from the year 0001 to the year 9999",
                column_name(table, column)
            ),
        },
        Unbound::Sqlite(error) => write_error(table, error),
    }
}

/// A statement failed at the rows whose `columns` are those of `row`.
pub(super) fn of_rows(
    table: &Table,
    columns: &[usize],
    batch: &RowBatch,
    row: RowRef,
    error: rusqlite::Error,
) -> Error {
    let broken = error.sqlite_error_code().map(remedy) == Some(Remedy::ChangeRow);
    let text = error.to_string();
    if !broken && !text.starts_with(sums::REFUSED) {
        return write_error(table, error);
    }
    let mut place = String::new();
    for column in columns {
        let separator = if place.is_empty() { "" } else { ", " };
        let value = shown(batch, row, *column);
        place = format!(
            "{place}{separator}{} = {value}",
            column_name(table, *column)
        );
    }
    Error::Row {
        table: table.name.to_string(),
        reason: format!("{text}, in the row with {place}"),
    }
}

fn write_error(table: &Table, error: rusqlite::Error) -> Error {
    store_error(format!("write table {}", table.name), error)
}

fn column_name(table: &Table, column: usize) -> &str {
    table.columns.get(column).map_or("?", |column| &column.name)
}

/// The head of a value, as a literal.
fn shown(batch: &RowBatch, row: RowRef, column: usize) -> String {
    let mut literal = String::new();
    if push_value(&mut literal, &batch.cell(row, column).into()).is_none() {
        return "?".to_owned();
    }
    match literal.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => {
            literal.truncate(end);
            literal + "…"
        }
        None => literal,
    }
}
