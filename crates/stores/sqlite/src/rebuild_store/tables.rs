//! The tables of a generation, of all tenants: dropped, emptied, renamed.

use projectionist_core::row::TableName;
use projectionist_core::{Error, Result};
use rusqlite::{Connection, OptionalExtension};

use super::generation::Generation;
use crate::error::{read_error, store_error};
use crate::read_model::check::tables_of;
use crate::read_model::indexes;
use crate::read_model::names::{push_quoted, stored_name};
use crate::read_model::owners::owner_of;

/// The tables of a generation with the names that they are stored under. One that another
/// projection owns is not its own.
pub(super) fn of(
    connection: &Connection,
    generation: &Generation,
) -> Result<Vec<(TableName, String)>> {
    let Some(table) = &generation.table else {
        return Ok(Vec::new());
    };
    let mut own = Vec::new();
    for (name, stored) in tables_of(connection, table)? {
        let owner = owner_of(connection, &stored)?;
        if owner.is_none_or(|owner| owner == generation.projection) {
            own.push((name, stored));
        }
    }
    Ok(own)
}

/// Drops them, with what is noted of them.
pub(super) fn drop(connection: &Connection, generation: &Generation) -> Result<()> {
    for (name, stored) in of(connection, generation)? {
        run(connection, &format!("DROP TABLE {}", quoted(&stored)))
            .and_then(|()| forget(connection, &stored))
            .map_err(|error| store_error(format!("drop table {name}"), error))?;
    }
    Ok(())
}

/// Deletes all their rows.
pub(super) fn empty(connection: &Connection, generation: &Generation) -> Result<()> {
    for (name, stored) in of(connection, generation)? {
        run(connection, &format!("DELETE FROM {}", quoted(&stored)))
            .map_err(|error| store_error(format!("empty table {name}"), error))?;
    }
    Ok(())
}

/// Gives them the names of another generation, and that one as their owner.
pub(super) fn rename(connection: &Connection, from: &Generation, to: &Generation) -> Result<()> {
    let Some(table) = &to.table else {
        return Ok(());
    };
    // Else views that name the table would follow the one that goes.
    let failed = |error| store_error("rename tables", error);
    run(connection, "PRAGMA legacy_alter_table = ON").map_err(failed)?;
    let renamed = of(connection, from).and_then(|tables| {
        for (TableName { tenant, .. }, stored) in tables {
            let name = TableName {
                tenant,
                name: table.clone(),
            };
            rename_one(connection, &stored, &name, &to.projection)?;
        }
        Ok(())
    });
    run(connection, "PRAGMA legacy_alter_table = OFF").map_err(failed)?;
    renamed
}

fn rename_one(connection: &Connection, stored: &str, name: &TableName, owner: &str) -> Result<()> {
    let new = stored_name(name)?;
    if let Some(kind) = kind_of(connection, &new)? {
        return Err(Error::Schema {
            table: name.to_string(),
            reason: format!(
                "there is a {kind} of that name that is not the projection's own; rename or drop \
                 it, then rebuild again"
            ),
        });
    }
    let rename = format!("ALTER TABLE {} RENAME TO {}", quoted(stored), quoted(&new));
    run(connection, &rename)
        .and_then(|()| forget(connection, &new))
        .and_then(|()| {
            connection
                .prepare_cached(
                    "UPDATE projectionist_columns SET table_name = ?2 WHERE table_name = ?1",
                )?
                .execute([stored, &new])?;
            connection
                .prepare_cached("DELETE FROM projectionist_tables WHERE table_name = ?1")?
                .execute([stored])?;
            connection
                .prepare_cached(
                    "INSERT INTO projectionist_tables (table_name, projection) VALUES (?1, ?2)",
                )?
                .execute([&new, owner])?;
            Ok(())
        })
        .map_err(|error| store_error(format!("rename table {stored} to {name}"), error))
}

/// What has this name, compared as SQLite compares names.
fn kind_of(connection: &Connection, name: &str) -> Result<Option<String>> {
    connection
        .prepare_cached("SELECT type FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE")
        .and_then(|mut statement| statement.query_row([name], |row| row.get(0)).optional())
        .map_err(|error| read_error("list of tables", error))
}

/// Drops what is noted of a table.
fn forget(connection: &Connection, stored: &str) -> rusqlite::Result<()> {
    for table in ["projectionist_columns", "projectionist_tables"] {
        connection
            .prepare_cached(&format!("DELETE FROM {table} WHERE table_name = ?1"))?
            .execute([stored])?;
    }
    Ok(())
}

/// What others have made on tables, and that goes over to those that take their place.
#[derive(Debug, Default)]
pub(super) struct Attached(Vec<Attachment>);

#[derive(Debug)]
struct Attachment {
    table: TableName,
    name: String,
    text: String,
}

/// Takes what others have made off the tables of `live`, where a table of `next` gets the same name
/// within `in_use`.
pub(super) fn detach(
    connection: &Connection,
    live: &Generation,
    next: &Generation,
    in_use: &Generation,
) -> Result<Attached> {
    let mut attached = Vec::new();
    if live.table != in_use.table {
        return Ok(Attached(attached));
    }
    let next = of(connection, next)?;
    for (table, stored) in of(connection, live)? {
        if !next.iter().any(|(name, _)| name.tenant == table.tenant) {
            continue;
        }
        let failed = |error| read_error("list of indexes and triggers", error);
        for (kind, name, text) in others(connection, &stored).map_err(failed)? {
            run(connection, &format!("DROP {kind} {}", quoted(&name)))
                .map_err(|error| store_error(format!("move {kind} {name}"), error))?;
            attached.push(Attachment {
                table: table.clone(),
                name,
                text,
            });
        }
    }
    Ok(Attached(attached))
}

impl Attached {
    /// Makes it again, on the tables that have the names now.
    pub(super) fn attach(self, connection: &Connection) -> Result<()> {
        for Attachment { table, name, text } in self.0 {
            run(connection, &text).map_err(|error| Error::Schema {
                table: table.to_string(),
                reason: format!(
                    "`{name}`, which was made on it by hand, does not fit the table that takes its \
                     place ({error}); drop it, then go on with the rebuild"
                ),
            })?;
        }
        Ok(())
    }
}

/// The indexes and triggers on a table that this store did not make: kind, name and statement.
fn others(
    connection: &Connection,
    stored: &str,
) -> rusqlite::Result<Vec<(String, String, String)>> {
    let own = indexes::own(connection, stored)?;
    let mut statement = connection.prepare_cached(
        "SELECT upper(type), name, sql FROM sqlite_schema
         WHERE tbl_name = ?1 AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid",
    )?;
    let found = statement.query_map([stored], |row| {
        Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?))
    })?;
    found
        .filter(|found| {
            found
                .as_ref()
                .map_or(true, |(_, name, _)| !own.contains(name))
        })
        .collect()
}

fn run(connection: &Connection, text: &str) -> rusqlite::Result<()> {
    connection.execute_batch(text)
}

fn quoted(name: &str) -> String {
    let mut text = String::new();
    push_quoted(&mut text, name);
    text
}
