//! The rows that tell of rebuilds and of what is kept.

use std::sync::Arc;

use projectionist_core::contract::Declaration;
use projectionist_core::rebuild::{Beside, KeptGeneration, Rebuild, RebuildPhase};
use projectionist_core::{Result, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row};

use super::generation::Generation;
use crate::error::{read_error, signed, store_error, unsigned};

const WHAT: &str = "row of a rebuild";

const READ: &str = "SELECT projection, declaration, hash, version, origin, replaces, live_table,
        table_name, source, key, phase, source_bytes, began_at, resumed_at, resumed_read
    FROM projectionist_rebuilds";

/// What is kept of a projection.
pub(super) struct Kept {
    pub(super) projection: String,
    /// The declared names of its table, and of the one that took its place.
    pub(super) table: Arc<str>,
    pub(super) replaced_by: Arc<str>,
}

impl Kept {
    pub(super) fn generation(&self) -> Generation {
        Generation::beside(Beside::Kept, &self.projection, &self.table)
    }
}

pub(super) fn rebuilds(connection: &Connection) -> Result<Vec<Rebuild>> {
    let failed = |error| read_error(WHAT, error);
    let text = format!("{READ} ORDER BY projection");
    let mut statement = connection.prepare_cached(&text).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut rebuilds = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        rebuilds.push(rebuild(row)?);
    }
    Ok(rebuilds)
}

pub(super) fn rebuild_of(connection: &Connection, projection: &str) -> Result<Option<Rebuild>> {
    let failed = |error| read_error(WHAT, error);
    let text = format!("{READ} WHERE projection = ?1");
    let mut statement = connection.prepare_cached(&text).map_err(failed)?;
    let mut rows = statement.query([projection]).map_err(failed)?;
    rows.next().map_err(failed)?.map(rebuild).transpose()
}

fn rebuild(row: &Row<'_>) -> Result<Rebuild> {
    let failed = |error| read_error(WHAT, error);
    let phase: String = row.get(10).map_err(failed)?;
    let source_bytes: Option<i64> = row.get(11).map_err(failed)?;
    let read = || {
        Ok(Rebuild {
            declaration: declaration(row)?,
            replaces: row.get(5)?,
            live_table: row.get::<_, Option<String>>(6)?.map(Into::into),
            table: row.get::<_, String>(7)?.into(),
            source: row.get(8)?,
            key: row.get(9)?,
            phase: RebuildPhase::default(),
            source_bytes: None,
            began_at: Timestamp::from_unix_millis(row.get(12)?),
            resumed_at: Timestamp::from_unix_millis(row.get(13)?),
            resumed_read: 0,
        })
    };
    Ok(Rebuild {
        phase: RebuildPhase::parse(&phase)?,
        source_bytes: source_bytes
            .map(|bytes| unsigned(WHAT, bytes))
            .transpose()?,
        resumed_read: unsigned(WHAT, row.get(14).map_err(failed)?)?,
        ..read().map_err(failed)?
    })
}

/// The declaration in the first five columns.
fn declaration(row: &Row<'_>) -> rusqlite::Result<Declaration> {
    Ok(Declaration {
        projection: row.get(0)?,
        text: row.get(1)?,
        hash: row.get(2)?,
        version: row.get(3)?,
        origin: row.get(4)?,
    })
}

pub(super) fn add(connection: &Connection, rebuild: &Rebuild, now: Timestamp) -> Result<()> {
    let Declaration {
        projection,
        text,
        hash,
        version,
        origin,
    } = &rebuild.declaration;
    connection
        .prepare_cached(
            "INSERT INTO projectionist_rebuilds (projection, declaration, hash, version, origin,
                 replaces, live_table, table_name, source, key, phase, source_bytes, began_at,
                 resumed_at, resumed_read)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13, 0)",
        )
        .and_then(|mut statement| {
            statement.execute((
                projection,
                text,
                hash,
                version,
                origin,
                &rebuild.replaces,
                rebuild.live_table.as_deref(),
                &*rebuild.table,
                &rebuild.source,
                &rebuild.key,
                RebuildPhase::default().name(),
                rebuild.source_bytes.map(signed),
                now.unix_millis,
            ))
        })
        .map_err(|error| store_error(format!("begin the rebuild of {projection}"), error))?;
    Ok(())
}

/// Notes that the rebuild goes on, and since when it reads at its rate.
pub(super) fn resume(connection: &Connection, rebuild: &Rebuild, now: Timestamp) -> Result<()> {
    let lane = rebuild.shadow_lane()?;
    connection
        .prepare_cached(
            r#"UPDATE projectionist_rebuilds SET resumed_at = ?2, resumed_read = coalesce(
                   (SELECT "read" FROM projectionist_lanes WHERE name = ?3 AND key = ?4), 0)
               WHERE projection = ?1"#,
        )
        .and_then(|mut statement| {
            let name = rebuild.projection();
            statement.execute((name, now.unix_millis, lane.name(), lane.key()))
        })
        .map_err(|error| store_error(format!("resume {lane}"), error))?;
    Ok(())
}

pub(super) fn note(
    connection: &Connection,
    projection: &str,
    phase: RebuildPhase,
    source_bytes: Option<u64>,
) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE projectionist_rebuilds SET phase = ?2, source_bytes = ?3 WHERE projection = ?1",
        )
        .and_then(|mut statement| {
            statement.execute((projection, phase.name(), source_bytes.map(signed)))
        })
        .map_err(|error| store_error(format!("note how far {projection} is"), error))?;
    Ok(())
}

pub(super) fn remove(connection: &Connection, projection: &str) -> Result<()> {
    run(
        connection,
        "DELETE FROM projectionist_rebuilds WHERE projection = ?1",
        projection,
    )
}

pub(super) fn remove_kept(connection: &Connection, projection: &str) -> Result<()> {
    run(
        connection,
        "DELETE FROM projectionist_kept WHERE projection = ?1",
        projection,
    )
}

fn run(connection: &Connection, text: &str, projection: &str) -> Result<()> {
    connection
        .prepare_cached(text)
        .and_then(|mut statement| statement.execute([projection]))
        .map_err(|error| store_error(format!("end the rebuild of {projection}"), error))?;
    Ok(())
}

pub(super) fn kept_generations(connection: &Connection) -> Result<Vec<KeptGeneration>> {
    connection
        .prepare_cached(
            "SELECT projection, declaration, hash, version, origin, kept_at
             FROM projectionist_kept ORDER BY projection",
        )
        .and_then(|mut statement| {
            let kept = statement.query_map([], |row| {
                let is_declared = row.get::<_, Option<String>>(1)?.is_some();
                Ok(KeptGeneration {
                    projection: row.get(0)?,
                    declaration: is_declared.then(|| declaration(row)).transpose()?,
                    kept_at: Timestamp::from_unix_millis(row.get(5)?),
                })
            })?;
            kept.collect()
        })
        .map_err(|error| read_error("list of what is kept", error))
}

pub(super) fn kept_of(connection: &Connection, projection: &str) -> Result<Option<Kept>> {
    connection
        .prepare_cached(
            "SELECT projection, table_name, replaced_by FROM projectionist_kept
             WHERE projection = ?1",
        )
        .and_then(|mut statement| {
            let kept = statement.query_row([projection], |row| {
                Ok(Kept {
                    projection: row.get(0)?,
                    table: row.get::<_, String>(1)?.into(),
                    replaced_by: row.get::<_, String>(2)?.into(),
                })
            });
            kept.optional()
        })
        .map_err(|error| read_error("row of what is kept", error))
}

/// Keeps the declaration that is in use now.
pub(super) fn keep(
    connection: &Connection,
    projection: &str,
    table: &str,
    replaced_by: &str,
    now: Timestamp,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO projectionist_kept (projection, declaration, hash, version, origin,
                 deployed_at, source, withdrawn, table_name, replaced_by, kept_at)
             SELECT ?1, declaration, hash, version, origin, deployed_at, source, withdrawn,
                 ?2, ?3, ?4
             FROM (SELECT 1) LEFT JOIN projectionist_declarations ON projection = ?1",
        )
        .and_then(|mut statement| {
            statement.execute((projection, table, replaced_by, now.unix_millis))
        })
        .map_err(|error| store_error(format!("keep the declaration of {projection}"), error))?;
    Ok(())
}

/// Lets the kept declaration and the one in use take each other's place.
pub(super) fn exchange_kept(connection: &Connection, kept: &Kept, now: Timestamp) -> Result<()> {
    let Kept {
        projection,
        table,
        replaced_by,
    } = kept;
    let failed = |error| {
        let action = format!("put the kept declaration of {projection} in use");
        store_error(action, error)
    };
    // Under a name that no declaration has, until the one in use has gone.
    let aside = Beside::Passing.projection(projection);
    connection
        .prepare_cached(
            "INSERT INTO projectionist_declarations (projection, declaration, hash, version,
                 origin, deployed_at, source, withdrawn)
             SELECT ?2, declaration, hash, version, origin, deployed_at, source, withdrawn
             FROM projectionist_kept WHERE projection = ?1 AND declaration IS NOT NULL",
        )
        .and_then(|mut statement| statement.execute([projection, &aside]))
        .map_err(failed)?;
    remove_kept(connection, projection)?;
    keep(connection, projection, replaced_by, table, now)?;
    run(
        connection,
        "DELETE FROM projectionist_declarations WHERE projection = ?1",
        projection,
    )?;
    connection
        .prepare_cached(
            "UPDATE projectionist_declarations SET projection = ?1 WHERE projection = ?2",
        )
        .and_then(|mut statement| statement.execute([projection, &aside]))
        .map_err(failed)?;
    Ok(())
}
