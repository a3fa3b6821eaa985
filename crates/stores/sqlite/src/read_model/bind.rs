//! Binds the cells of a batch to the parameters of a statement.

use projectionist_core::row::Cell;
use rusqlite::Statement;

use super::cell_text::{write_timestamp, write_uuid};

/// Why a cell could not be bound.
#[derive(Debug)]
pub(super) enum Unbound {
    /// The moment has no text form.
    OutOfRange,
    /// SQLite refused it.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Unbound {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Binds a cell to the parameter for the column at `index`, counted from 0. `text` is a buffer for
/// the text form of values that are not texts.
pub(super) fn bind(
    statement: &mut Statement<'_>,
    index: usize,
    cell: Cell<'_>,
    text: &mut String,
) -> Result<(), Unbound> {
    let parameter = index + 1;
    match cell {
        Cell::Null => statement.raw_bind_parameter(parameter, rusqlite::types::Null)?,
        Cell::Text(value) | Cell::Numeric(value) | Cell::Json(value) => {
            statement.raw_bind_parameter(parameter, value)?;
        }
        Cell::Int(value) => statement.raw_bind_parameter(parameter, value)?,
        Cell::Double(value) => statement.raw_bind_parameter(parameter, value)?,
        Cell::Bool(value) => statement.raw_bind_parameter(parameter, value)?,
        Cell::Timestamp(moment) => {
            text.clear();
            write_timestamp(text, moment).ok_or(Unbound::OutOfRange)?;
            statement.raw_bind_parameter(parameter, text.as_str())?;
        }
        Cell::Uuid(bytes) => {
            text.clear();
            write_uuid(text, &bytes);
            statement.raw_bind_parameter(parameter, text.as_str())?;
        }
    }
    Ok(())
}
