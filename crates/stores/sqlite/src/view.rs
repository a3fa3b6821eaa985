//! What the file holds at one moment: lanes, letters, declarations and rows that fit together.
//!
//! Whoever compares rows with the offset that they belong to must not read one of them before and
//! the other after a commit.

use std::sync::Arc;

use projectionist_core::contract::StoredDeclaration;
use projectionist_core::row::{
    Cell, OwnedCell, Table, TableName, write_date, write_timestamp, write_uuid,
};
use projectionist_core::{DeadLetterId, LaneState, ProjectionId, Result};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row};

use crate::error::{read_error, unsigned};
use crate::read_model::check::tables_of;
use crate::read_model::names::{push_quoted, stored_name};
use crate::{SqliteStore, declaration_store, lane_row};

const LETTER: &str = "dead letter";

/// The file as it was when this was opened, whatever is committed since.
///
/// It holds up no writer. As long as it is open the write-ahead log grows, because nothing that it
/// may still read is overwritten.
#[derive(Debug)]
pub struct SqliteView {
    connection: Connection,
}

/// A dead letter without its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLetter {
    /// Its name.
    pub id: DeadLetterId,
    /// The manifest of its offset.
    pub manifest: String,
    /// Its offset.
    pub offset: String,
    /// The name of its class.
    pub class: String,
    /// What is wrong with the event.
    pub error: String,
    /// Where in the event that is.
    pub field: Option<String>,
}

impl SqliteStore {
    /// Opens a view of the file as it is now, on a connection of its own.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Store`] for SQLite's own failures.
    pub fn view(&self) -> Result<SqliteView> {
        let connection = self.file.fresh_reader()?;
        // A transaction sees what is there at its first statement that reads.
        connection
            .execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")
            .map_err(|error| read_error("view of the file", error))?;
        Ok(SqliteView { connection })
    }
}

impl SqliteView {
    /// All lanes, ordered by name and key.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Damaged`] for a row that cannot be read back,
    /// [`projectionist_core::Error::Store`] for SQLite's own failures.
    pub fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        lane_row::read_all(&self.connection)
    }

    /// What is declared, in the order of the names of the projections.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Store`] for SQLite's own failures.
    pub fn declarations(&self) -> Result<Vec<StoredDeclaration>> {
        declaration_store::read(&self.connection)
            .map_err(|error| read_error("list of declarations", error))
    }

    /// The dead letters of a lane in the order in which they were kept, those of records that are
    /// no events left out.
    ///
    /// # Errors
    /// As [`lanes`](Self::lanes).
    pub fn letters(&self, lane: &ProjectionId) -> Result<Vec<KeptLetter>> {
        let failed = |error| read_error(LETTER, error);
        let mut statement = self
            .connection
            .prepare_cached(
                r#"SELECT id, manifest, "offset", class, error, field
                   FROM projectionist_dead_letters
                   WHERE projection = ?1 AND key = ?2 ORDER BY id"#,
            )
            .map_err(failed)?;
        let mut rows = statement.query([lane.name(), lane.key()]).map_err(failed)?;
        let mut letters = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            letters.push(KeptLetter {
                id: DeadLetterId(unsigned(LETTER, row.get(0).map_err(failed)?)?),
                manifest: row.get(1).map_err(failed)?,
                offset: row.get(2).map_err(failed)?,
                class: row.get(3).map_err(failed)?,
                error: row.get(4).map_err(failed)?,
                field: row.get(5).map_err(failed)?,
            });
        }
        Ok(letters)
    }

    /// The tables of a declared name that are there: the one without a tenant and those of all
    /// tenants.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Store`] for SQLite's own failures.
    pub fn tables(&self, name: &Arc<str>) -> Result<Vec<TableName>> {
        let tables = tables_of(&self.connection, name)?;
        Ok(tables.into_iter().map(|(name, _)| name).collect())
    }

    /// The row of a table that is there whose key has these cells, in the order of the key; its
    /// values in the order of the table's columns.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Configuration`] for a name that no table can have,
    /// [`projectionist_core::Error::Store`] for SQLite's own failures, a column that the table lacks
    /// among them.
    pub fn row(&self, table: &Table, key: &[OwnedCell]) -> Result<Option<Vec<Value>>> {
        let mut text = select(table)?;
        for (place, column) in table.key.iter().enumerate() {
            text.push_str(if place > 0 { " AND " } else { " WHERE " });
            push_column(&mut text, table, *column);
            text.push_str(" = ?");
        }
        let failed = |error| read_error("row", error);
        let mut statement = self.connection.prepare_cached(&text).map_err(failed)?;
        let key = key.iter().map(|cell| stored_value(cell.as_cell()));
        let mut rows = statement
            .query(rusqlite::params_from_iter(key))
            .map_err(failed)?;
        let row = rows.next().map_err(failed)?;
        row.map(|row| values(row, table))
            .transpose()
            .map_err(failed)
    }

    /// Gives every row of a table that is there to `visit`, in the order of its key by SQLite's
    /// own order of values; the values in the order of the table's columns.
    ///
    /// # Errors
    /// As [`row`](Self::row).
    pub fn rows(&self, table: &Table, mut visit: impl FnMut(Vec<Value>)) -> Result<()> {
        let mut text = select(table)?;
        for (place, column) in table.key.iter().enumerate() {
            text.push_str(if place > 0 { ", " } else { " ORDER BY " });
            push_column(&mut text, table, *column);
        }
        let failed = |error| read_error("rows", error);
        let mut statement = self.connection.prepare(&text).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            visit(values(row, table).map_err(failed)?);
        }
        Ok(())
    }
}

/// A cell as the file keeps it.
#[must_use]
pub fn stored_value(cell: Cell<'_>) -> Value {
    let mut text = String::new();
    match cell {
        Cell::Null => return Value::Null,
        Cell::Int(value) => return Value::Integer(value),
        Cell::Double(value) => return Value::Real(value),
        Cell::Bool(value) => return Value::Integer(value.into()),
        Cell::Bytes(bytes) => return Value::Blob(bytes.to_vec()),
        Cell::Text(value) | Cell::Numeric(value) | Cell::Json(value) | Cell::Array(value) => {
            text.push_str(value);
        }
        // Both stay empty outside the years that a column takes.
        Cell::Timestamp(moment) => drop(write_timestamp(&mut text, moment)),
        Cell::Date(days) => drop(write_date(&mut text, days)),
        Cell::Uuid(bytes) => write_uuid(&mut text, &bytes),
    }
    Value::Text(text)
}

/// The declared columns of a table, in their order.
fn select(table: &Table) -> Result<String> {
    let mut text = String::from("SELECT ");
    for column in 0..table.columns.len() {
        text.push_str(if column > 0 { ", " } else { "" });
        push_column(&mut text, table, column);
    }
    text.push_str(" FROM ");
    push_quoted(&mut text, &stored_name(&table.name)?);
    Ok(text)
}

fn push_column(text: &mut String, table: &Table, column: usize) {
    let name = table.columns.get(column).map_or("", |column| &column.name);
    push_quoted(text, name);
}

fn values(row: &Row<'_>, table: &Table) -> rusqlite::Result<Vec<Value>> {
    let value = |at| {
        Ok(match row.get_ref(at)? {
            // Somebody else may have written bytes that are no text into a column of texts.
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => Value::Integer(value),
            ValueRef::Real(value) => Value::Real(value),
            ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        })
    };
    (0..table.columns.len()).map(value).collect()
}
