//! What projections are declared as, and the migration of their tables, in one transaction.

use projectionist_core::contract::{
    Declaration, DeclarationStore, Deployed, Deployment, NewDeclaration, StoredDeclaration,
};
use projectionist_core::{Result, Timestamp};
use rusqlite::{Connection, OptionalExtension};

use crate::SqliteStore;
use crate::error::{read_error, store_error};
use crate::read_model::migrate;

impl DeclarationStore for SqliteStore {
    async fn declarations(&self) -> Result<Vec<StoredDeclaration>> {
        self.file.read(|connection| {
            read(connection).map_err(|error| read_error("list of declarations", error))
        })
    }

    async fn deploy(&self, deployment: &Deployment) -> Result<Deployed> {
        let mut writer = self.file.writer().await;
        writer.transaction(|connection| {
            for new in &deployment.declarations {
                if kept_hash(connection, &new.declaration.projection)? != new.replaces {
                    return Ok(Deployed::Superseded);
                }
            }
            for deployed in &deployment.tables {
                migrate::deploy(connection, deployed)?;
            }
            let now = self.clock.now().unix_millis;
            for new in &deployment.declarations {
                keep(connection, new, now).map_err(|error| {
                    let projection = &new.declaration.projection;
                    store_error(format!("keep the declaration of {projection}"), error)
                })?;
            }
            for projection in &deployment.withdrawn {
                withdraw(connection, projection).map_err(|error| {
                    store_error(format!("withdraw the declaration of {projection}"), error)
                })?;
            }
            Ok(Deployed::Done)
        })
    }

    async fn note_source(&self, projection: &str, source: &str) -> Result<()> {
        let mut writer = self.file.writer().await;
        writer.transaction(|connection| {
            connection
                .prepare_cached(
                    "UPDATE projectionist_declarations SET source = ?2
                     WHERE projection = ?1 AND source IS NULL",
                )
                .and_then(|mut statement| statement.execute((projection, source)))
                .map_err(|error| store_error(format!("keep the source of {projection}"), error))?;
            Ok(())
        })
    }
}

pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Vec<StoredDeclaration>> {
    let mut statement = connection.prepare_cached(
        "SELECT projection, declaration, hash, version, origin, deployed_at, source, withdrawn
         FROM projectionist_declarations ORDER BY projection",
    )?;
    let kept = statement.query_map([], |row| {
        Ok(StoredDeclaration {
            declaration: Declaration {
                projection: row.get(0)?,
                text: row.get(1)?,
                hash: row.get(2)?,
                version: row.get(3)?,
                origin: row.get(4)?,
            },
            deployed_at: Timestamp::from_unix_millis(row.get(5)?),
            source: row.get(6)?,
            withdrawn: row.get(7)?,
        })
    })?;
    kept.collect()
}

pub(crate) fn kept_hash(connection: &Connection, projection: &str) -> Result<Option<String>> {
    connection
        .prepare_cached("SELECT hash FROM projectionist_declarations WHERE projection = ?1")
        .and_then(|mut statement| {
            let hash = statement.query_row([projection], |row| row.get(0));
            hash.optional()
        })
        .map_err(|error| read_error("declaration", error))
}

/// Keeps a declaration; the source of the one that it replaces stays.
pub(crate) fn keep(
    connection: &Connection,
    new: &NewDeclaration,
    now: i64,
) -> rusqlite::Result<()> {
    let Declaration {
        projection,
        text,
        hash,
        version,
        origin,
    } = &new.declaration;
    connection
        .prepare_cached(
            "INSERT INTO projectionist_declarations
                 (projection, declaration, hash, version, origin, deployed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (projection) DO UPDATE SET
                 declaration = excluded.declaration, hash = excluded.hash,
                 version = excluded.version, origin = excluded.origin,
                 deployed_at = excluded.deployed_at, withdrawn = 0",
        )?
        .execute((projection, text, hash, version, origin, now))?;
    Ok(())
}

fn withdraw(connection: &Connection, projection: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE projectionist_declarations SET withdrawn = 1 WHERE projection = ?1",
        )?
        .execute([projection])?;
    Ok(())
}
