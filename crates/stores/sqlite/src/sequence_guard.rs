//! The last applied sequence number of every entity.

use projectionist_core::Result;
use projectionist_core::contract::{GuardEntry, GuardScope, SequenceGuard};
use rusqlite::{Connection, OptionalExtension};

use crate::data_version::data_version;
use crate::error::{read_error, store_error};
use crate::writer::Writer;
use crate::{SqliteStore, SqliteTx};

impl SequenceGuard for SqliteStore {
    async fn last_applied(
        &self,
        tx: &mut SqliteTx,
        scope: GuardScope<'_>,
        entities: &[&str],
        out: &mut Vec<Option<i64>>,
    ) -> Result<()> {
        tx.check_open()?;
        let writer = &mut *tx.writer;
        match known_scope(writer, scope)? {
            Some(id) => read_numbers(&writer.connection, id, entities, out)
                .map_err(|error| read_error("sequence number of an entity", error)),
            None => {
                out.extend(entities.iter().map(|_| None));
                Ok(())
            }
        }
    }

    async fn record(
        &self,
        tx: &mut SqliteTx,
        scope: GuardScope<'_>,
        entries: &[GuardEntry<'_>],
    ) -> Result<()> {
        tx.check_open()?;
        let writer = &mut *tx.writer;
        let id = match known_scope(writer, scope)? {
            Some(id) => id,
            None => new_scope(writer, scope)?,
        };
        writer.guard_versions.recording(scope.projection);
        write_numbers(&writer.connection, id, entries).map_err(|error| {
            let action = format!("record sequence numbers of {}", scope.projection);
            store_error(action, error)
        })
    }

    async fn version(&self, tx: &mut SqliteTx, projection: &str) -> Result<u64> {
        tx.check_open()?;
        let writer = &mut *tx.writer;
        writer
            .guard_versions
            .version(&writer.connection, projection)
            .map_err(|error| read_error("version of the sequence numbers", error))
    }
}

fn read_numbers(
    connection: &Connection,
    scope: i64,
    entities: &[&str],
    out: &mut Vec<Option<i64>>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT sequence FROM projectionist_guard WHERE scope = ?1 AND entity = ?2",
    )?;
    statement.raw_bind_parameter(1, scope)?;
    for entity in entities {
        statement.raw_bind_parameter(2, entity)?;
        let mut rows = statement.raw_query();
        out.push(rows.next()?.map(|row| row.get(0)).transpose()?);
    }
    Ok(())
}

fn write_numbers(
    connection: &Connection,
    scope: i64,
    entries: &[GuardEntry<'_>],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO projectionist_guard (scope, entity, sequence) VALUES (?1, ?2, ?3)
         ON CONFLICT (scope, entity) DO UPDATE SET sequence = excluded.sequence",
    )?;
    statement.raw_bind_parameter(1, scope)?;
    for entry in entries {
        statement.raw_bind_parameter(2, entry.entity)?;
        statement.raw_bind_parameter(3, entry.sequence)?;
        statement.raw_execute()?;
    }
    Ok(())
}

/// The number of a scope, where the file has one.
fn known_scope(writer: &mut Writer, scope: GuardScope<'_>) -> Result<Option<i64>> {
    let version = data_version(&writer.connection)
        .map_err(|error| read_error("version of the file", error))?;
    writer.scopes.at_version(version);
    if let Some(id) = writer.scopes.get(scope) {
        return Ok(Some(id));
    }
    let stored = writer
        .connection
        .prepare_cached(
            "SELECT id FROM projectionist_guard_scopes
             WHERE projection = ?1 AND tenant = ?2 AND fork = ?3",
        )
        .and_then(|mut statement| {
            statement
                .query_row([scope.projection, scope.tenant, scope.fork], |row| {
                    row.get(0)
                })
                .optional()
        })
        .map_err(|error| read_error("scope of sequence numbers", error))?;
    if let Some(id) = stored {
        writer.scopes.learn(scope, id);
    }
    Ok(stored)
}

fn new_scope(writer: &mut Writer, scope: GuardScope<'_>) -> Result<i64> {
    let id = writer
        .connection
        .prepare_cached(
            "INSERT INTO projectionist_guard_scopes (projection, tenant, fork)
             VALUES (?1, ?2, ?3)",
        )
        .and_then(|mut statement| statement.insert([scope.projection, scope.tenant, scope.fork]))
        .map_err(|error| {
            let action = format!("make a scope of sequence numbers for {}", scope.projection);
            store_error(action, error)
        })?;
    writer.scopes.learn(scope, id);
    Ok(id)
}
