//! Tables of read models, in the transaction that also moves the lane.

mod apply;
mod bind;
pub(crate) mod check;
mod ddl;
mod declared_types;
mod explain;
mod fault;
pub(crate) mod indexes;
pub(crate) mod known_tables;
pub(crate) mod migrate;
pub(crate) mod names;
pub(crate) mod owners;
mod shape;
mod statements;
pub(crate) mod sums;

use projectionist_core::Result;
use projectionist_core::contract::ReadModel;
use projectionist_core::row::{RowBatch, Table};
use rusqlite::Connection;

pub use self::explain::{WriteShapes, explain_new};
use self::shape::Presence;
use crate::error::{read_error, store_error};
use crate::writer::Writer;
use crate::{SqliteStore, SqliteTx};

impl ReadModel for SqliteStore {
    async fn create(&self, tx: &mut SqliteTx, table: &Table) -> Result<()> {
        tx.check_open()?;
        let Writer {
            connection, tables, ..
        } = &mut *tx.writer;
        tables.at_version(schema_version(connection)?);
        if tables.is_verified(table) {
            return Ok(());
        }
        let name = names::stored_name(&table.name)?;
        match shape::verify(connection, table, &name)? {
            Presence::Owned => {}
            Presence::Ownerless => owners::keep(connection, table, &name).map_err(|error| {
                store_error(format!("note the owner of table {}", table.name), error)
            })?,
            Presence::Missing => make(connection, table, &name)?,
        }
        indexes::create(connection, table, &name)?;
        tables.verified(table, schema_version(connection)?)
    }

    async fn apply(
        &self,
        tx: &mut SqliteTx,
        table: &Table,
        batch: &RowBatch,
        existed: &mut Vec<bool>,
    ) -> Result<()> {
        tx.check_open()?;
        let Writer {
            connection, tables, ..
        } = &mut *tx.writer;
        apply::apply(connection, tables.statements(table)?, table, batch, existed)
    }
}

/// Makes a table that is missing.
fn make(connection: &Connection, table: &Table, name: &str) -> Result<()> {
    let text = ddl::create_table(table, name)?;
    connection
        .execute_batch(&text)
        .and_then(|()| declared_types::keep(connection, table, name))
        .and_then(|()| owners::keep(connection, table, name))
        .map_err(|error| store_error(format!("make table {}", table.name), error))?;
    indexes::create(connection, table, name)
}

/// A number that SQLite counts up whenever any table of the file changes, whoever changes it.
fn schema_version(connection: &Connection) -> Result<i64> {
    connection
        .prepare_cached("PRAGMA schema_version")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(|error| read_error("version of the schema", error))
}
