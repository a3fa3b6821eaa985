//! Compares the tables of a projection with its declaration before anything runs.

use std::sync::Arc;

use projectionist_core::Result;
use projectionist_core::row::{Table, TableName};
use rusqlite::Connection;

use super::names::{stored_name, tenant_of};
use super::shape;
use crate::SqliteStore;
use crate::error::read_error;

impl SqliteStore {
    /// Verifies the owner and the shape of every table of the declared name that is there, the one
    /// without a tenant and those of all tenants, whichever of them `table` is. A table that is
    /// missing is in order: it is made when its first row comes. Nothing is made or changed, and
    /// no transaction is waited for. Gives how many such tables there are.
    ///
    /// For a look before a run: [`create`](projectionist_core::contract::ReadModel::create) verifies
    /// each table again when it is first written.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Schema`] for the first table, by name, that is of another owner
    /// or shape, [`projectionist_core::Error::Configuration`] for a name that no table can have,
    /// [`projectionist_core::Error::Store`] for SQLite's own failures.
    pub fn check_tables(&self, table: &Table) -> Result<usize> {
        let plain = TableName {
            tenant: None,
            name: table.name.name.clone(),
        };
        stored_name(&plain)?;
        self.file.read(|connection| {
            let tables = tables_of(connection, &plain.name)?;
            let found = tables.len();
            for (name, stored) in tables {
                let mut there = table.clone();
                there.name = name;
                shape::verify(connection, &there, &stored)?;
            }
            Ok(found)
        })
    }
}

impl SqliteStore {
    /// The tables of a declared name that are there: the one without a tenant and those of all
    /// tenants, in the order of their names in the file.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Store`] for SQLite's own failures.
    pub fn existing_tables(&self, name: &Arc<str>) -> Result<Vec<TableName>> {
        self.file.read(|connection| {
            let tables = tables_of(connection, name)?;
            Ok(tables.into_iter().map(|(name, _)| name).collect())
        })
    }
}

/// The tables of a declared name, the one without a tenant and those of all tenants, each with the
/// name that it is stored under, which they are ordered by.
pub(crate) fn tables_of(
    connection: &Connection,
    name: &Arc<str>,
) -> Result<Vec<(TableName, String)>> {
    let mut tables = Vec::new();
    for stored in table_names(connection)? {
        let tenant = if stored == **name {
            None
        } else if let Some(tenant) = tenant_of(&stored, name) {
            Some(tenant.into())
        } else {
            continue;
        };
        let name = Arc::clone(name);
        tables.push((TableName { tenant, name }, stored));
    }
    Ok(tables)
}

/// The names of all tables. Views are none: one of that name may show what the tenants have, and is
/// in nobody's way unless its table is written.
pub(super) fn table_names(connection: &Connection) -> Result<Vec<String>> {
    connection
        .prepare_cached("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .and_then(|mut statement| {
            let names = statement.query_map([], |row| row.get(0))?;
            names.collect()
        })
        .map_err(|error| read_error("list of tables", error))
}
