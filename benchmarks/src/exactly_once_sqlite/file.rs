//! The file that each of them writes: the store's own tables, and a read model.

use std::path::{Path, PathBuf};

use projectionist_core::ProjectionId;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};
use rusqlite::Connection;

use super::case::{Case, Who};
use crate::database;
use crate::failure::Outcome;

/// What the handler does for an envelope: its entity has one event more, and this is the last one.
pub const UPSERT: &str = "INSERT INTO totals (entity, events, last) VALUES (?1, 1, ?2)
     ON CONFLICT (entity) DO UPDATE SET events = events + 1, last = excluded.last";

const CREATE: &str = "CREATE TABLE totals (
       entity TEXT NOT NULL PRIMARY KEY, events INTEGER NOT NULL, last INTEGER NOT NULL
     ) STRICT, WITHOUT ROWID";

/// The lane that is moved.
///
/// # Errors
/// None: the name is a good one.
pub fn lane() -> Outcome<ProjectionId> {
    Ok(ProjectionId::new("benchmark", "all")?)
}

/// Where `who` writes in `case`.
#[must_use]
pub fn path(folder: &Path, case: Case, who: Who) -> PathBuf {
    folder.join(format!("{}-{}.db", case.name(), who.name()))
}

/// Makes the file anew: the store makes its tables, so that both move a row of the same table.
///
/// # Errors
/// When the file cannot be made.
pub fn make(path: &Path) -> Outcome<()> {
    database::remove(path)?;
    drop(SqliteStore::open(path, SqliteOptions::default())?);
    Connection::open(path)?.execute_batch(CREATE)?;
    Ok(())
}
