//! The table of the loops, as the program makes its own: the same columns, the same kind of table,
//! the same settings of SQLite.

use std::path::Path;

use rusqlite::{CachedStatement, Connection, params};

use super::event::Event;
use crate::failure::Outcome;

/// The name of the table.
pub const TABLE: &str = "artist_followers";

/// A fresh database with the table and, for the loops that tell repeated events, the numbers.
///
/// # Errors
/// SQLite's.
pub fn create(path: &Path) -> Outcome<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -32 * 1024)?;
    connection.execute_batch(
        "CREATE TABLE artist_followers (
           user_id TEXT NOT NULL, artist_id TEXT NOT NULL, followed_at INTEGER,
           PRIMARY KEY (user_id, artist_id)
         ) STRICT, WITHOUT ROWID;
         CREATE TABLE last_applied (
           entity TEXT NOT NULL PRIMARY KEY, sequence INTEGER NOT NULL
         ) STRICT, WITHOUT ROWID;",
    )?;
    Ok(connection)
}

/// The statements that apply an event, prepared.
pub struct Writer<'connection> {
    upsert: CachedStatement<'connection>,
    delete: CachedStatement<'connection>,
}

impl<'connection> Writer<'connection> {
    /// Prepares the statements.
    ///
    /// # Errors
    /// SQLite's.
    pub fn new(connection: &'connection Connection) -> Outcome<Self> {
        Ok(Self {
            upsert: connection.prepare_cached(
                "INSERT INTO artist_followers (user_id, artist_id, followed_at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (user_id, artist_id) DO UPDATE SET followed_at = excluded.followed_at",
            )?,
            delete: connection.prepare_cached(
                "DELETE FROM artist_followers WHERE user_id = ?1 AND artist_id = ?2",
            )?,
        })
    }

    /// Writes or deletes the row of the event.
    ///
    /// # Errors
    /// SQLite's.
    pub fn apply(&mut self, event: &Event<'_>) -> Outcome<()> {
        let (user, artist) = (
            event.payload.user_id.as_ref(),
            event.payload.artist_id.as_ref(),
        );
        match event.event_type.as_ref() {
            "ARTIST_FOLLOWED" => self.upsert.execute(params![user, artist, event.ts])?,
            "ARTIST_UNFOLLOWED" => self.delete.execute(params![user, artist])?,
            _ => 0,
        };
        Ok(())
    }
}
