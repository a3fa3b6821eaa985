//! What the columns of a table were declared as. SQLite keeps several types in the same way, and a
//! `NUMERIC(12,2)` that becomes a `NUMERIC(12,3)` must not pass for the same column.

use projectionist_core::row::Table;
use rusqlite::Connection;

/// Notes the types of a table that was just made, in place of those of an earlier one of its name.
pub(super) fn keep(connection: &Connection, table: &Table, name: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM projectionist_columns WHERE table_name = ?1")?
        .execute([name])?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO projectionist_columns (table_name, column_name, declared_type)
         VALUES (?1, ?2, ?3)",
    )?;
    for column in table.columns.iter() {
        statement.execute((name, &*column.name, column.column_type.to_string()))?;
    }
    Ok(())
}
