//! Lets SQLite plan every statement that a projection would run, without running any.

use std::sync::Arc;

use projectionist_core::Result;
use projectionist_core::row::{ChangeShape, Table, TableName};
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::names::{stored_name, tenant_of};
use super::statements::Statements;
use super::{check, ddl, fault, indexes, sums};
use crate::SqliteStore;
use crate::error::store_error;

/// What a projection does to its table beside writing, deleting and looking for whole rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteShapes {
    /// How rows are changed.
    pub changes: Vec<ChangeShape>,
    /// The columns by which rows are deleted, as indexes into those of the table.
    pub scopes: Vec<Arc<[usize]>>,
}

impl SqliteStore {
    /// Has SQLite plan every statement that writes `table`, for the one without a tenant and those
    /// of all tenants that are there, triggers included. Nothing is run and nothing is changed.
    /// Gives how many statements were planned; none when there is no such table.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Schema`] for a statement that SQLite refuses,
    /// [`projectionist_core::Error::Configuration`] for a table that cannot have such a statement,
    /// [`projectionist_core::Error::Store`] for SQLite's own failures.
    pub fn explain(&self, table: &Table, shapes: &WriteShapes) -> Result<usize> {
        self.file.read(|connection| {
            register_sums(connection, table)?;
            let mut planned = 0;
            for stored in check::table_names(connection)? {
                let tenant = if *stored == *table.name.name {
                    None
                } else if let Some(tenant) = tenant_of(&stored, &table.name.name) {
                    Some(tenant.into())
                } else {
                    continue;
                };
                let mut there = table.clone();
                there.name = TableName {
                    tenant,
                    name: table.name.name.clone(),
                };
                planned += plan(connection, &there, shapes)?;
            }
            Ok(planned)
        })
    }
}

/// As [`SqliteStore::explain`], for a table that is still to be made: it is made in memory, with
/// its indexes.
///
/// # Errors
/// As [`SqliteStore::explain`]; also when the table itself cannot be made.
pub fn explain_new(table: &Table, shapes: &WriteShapes) -> Result<usize> {
    let failed = |error| store_error(format!("make table {} in memory", table.name), error);
    let connection = Connection::open_in_memory().map_err(failed)?;
    // As in a file: a quoted name that is no column is an error, not a text.
    for setting in [
        DbConfig::SQLITE_DBCONFIG_DQS_DML,
        DbConfig::SQLITE_DBCONFIG_DQS_DDL,
    ] {
        connection.set_db_config(setting, false).map_err(failed)?;
    }
    register_sums(&connection, table)?;
    let name = stored_name(&table.name)?;
    let text = ddl::create_table(table, &name)?;
    connection.execute_batch(&text).map_err(failed)?;
    indexes::create(&connection, table, &name)?;
    plan(&connection, table, shapes)
}

/// The reading connection has no use for them but this.
fn register_sums(connection: &Connection, table: &Table) -> Result<()> {
    sums::register(connection)
        .map_err(|error| store_error(format!("plan the statements of {}", table.name), error))
}

fn plan(connection: &Connection, table: &Table, shapes: &WriteShapes) -> Result<usize> {
    let mut statements = Statements::of(table)?;
    let mut texts = vec![
        statements.insert_or_keep.clone(),
        statements.insert_or_overwrite.clone(),
        statements.delete.clone(),
        statements.find.clone(),
    ];
    texts.extend(statements.overwrite.clone());
    for shape in &shapes.changes {
        let change = statements.change(table, shape)?;
        texts.extend([change.insert_or_change, change.change]);
    }
    for columns in &shapes.scopes {
        texts.push(statements.scope_delete(table, columns).into());
    }
    for text in &texts {
        connection
            .prepare(&format!("EXPLAIN {text}"))
            .map_err(|error| fault::unprepared(table, error))?;
    }
    Ok(texts.len())
}
