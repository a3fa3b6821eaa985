//! Which projection writes which table.

use projectionist_core::Result;
use projectionist_core::row::Table;
use rusqlite::{Connection, OptionalExtension};

use crate::error::read_error;

/// The projection that writes the table of this name. `None` for a table that this store did not
/// make, or made before it kept owners.
pub(crate) fn owner_of(connection: &Connection, name: &str) -> Result<Option<String>> {
    connection
        .prepare_cached("SELECT projection FROM projectionist_tables WHERE table_name = ?1")
        .and_then(|mut statement| statement.query_row([name], |row| row.get(0)).optional())
        .map_err(|error| read_error("owner of a table", error))
}

/// Notes the owner of a table, in place of that of an earlier one of its name.
pub(super) fn keep(connection: &Connection, table: &Table, name: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO projectionist_tables (table_name, projection) VALUES (?1, ?2)
             ON CONFLICT (table_name) DO UPDATE SET projection = excluded.projection",
        )?
        .execute((name, &*table.owner))?;
    Ok(())
}
