//! The loop by hand with several tables: each event is read and parsed once, judged once, and
//! written into every table.

use std::collections::HashMap;
use std::path::Path;

use foldhash::fast::FixedState;
use rusqlite::{Connection, OptionalExtension, params};

use super::apply::GROUP;
use crate::declared_sqlite::event::{Event, for_each};
use crate::failure::Outcome;

/// The name of a table.
#[must_use]
pub fn table(index: u64) -> String {
    format!("followers_{index}")
}

/// Applies the events of `input` to `tables` tables of a fresh `database`, with the guard, which is
/// one for all tables, and in transactions as large as the program's.
///
/// # Errors
/// When the input cannot be read or SQLite fails.
pub fn run(input: &Path, database: &Path, tables: u64) -> Outcome<()> {
    let connection = create(database, tables)?;
    let mut statements = Statements::new(&connection, tables)?;
    let mut seen: HashMap<String, i64, FixedState> = HashMap::default();
    let mut open = 0;
    for_each(input, |event| {
        if open == 0 {
            connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        if statements.admits(&mut seen, event)? {
            statements.apply(event)?;
        }
        open += 1;
        if open == GROUP {
            statements.record(&mut seen)?;
            connection.execute_batch("COMMIT")?;
            open = 0;
        }
        Ok(())
    })?;
    if open > 0 {
        statements.record(&mut seen)?;
        connection.execute_batch("COMMIT")?;
    }
    Ok(())
}

fn create(path: &Path, tables: u64) -> Outcome<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -32 * 1024)?;
    connection.execute_batch(
        "CREATE TABLE last_applied (
           entity TEXT NOT NULL PRIMARY KEY, sequence INTEGER NOT NULL
         ) STRICT, WITHOUT ROWID;",
    )?;
    for index in 0..tables {
        connection.execute_batch(&format!(
            "CREATE TABLE {} (
               user_id TEXT NOT NULL, artist_id TEXT NOT NULL, followed_at INTEGER,
               PRIMARY KEY (user_id, artist_id)
             ) STRICT, WITHOUT ROWID;",
            table(index)
        ))?;
    }
    Ok(connection)
}

/// What is run, prepared.
struct Statements<'connection> {
    read: rusqlite::Statement<'connection>,
    write: rusqlite::Statement<'connection>,
    /// Upsert and delete of each table.
    tables: Vec<(
        rusqlite::Statement<'connection>,
        rusqlite::Statement<'connection>,
    )>,
}

impl<'connection> Statements<'connection> {
    fn new(connection: &'connection Connection, tables: u64) -> Outcome<Self> {
        let mut prepared = Vec::new();
        for name in (0..tables).map(table) {
            let upsert = connection.prepare(&format!(
                "INSERT INTO {name} (user_id, artist_id, followed_at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (user_id, artist_id) DO UPDATE SET followed_at = excluded.followed_at"
            ))?;
            let delete = connection.prepare(&format!(
                "DELETE FROM {name} WHERE user_id = ?1 AND artist_id = ?2"
            ))?;
            prepared.push((upsert, delete));
        }
        Ok(Self {
            read: connection.prepare("SELECT sequence FROM last_applied WHERE entity = ?1")?,
            write: connection.prepare(
                "INSERT INTO last_applied (entity, sequence) VALUES (?1, ?2)
                 ON CONFLICT (entity) DO UPDATE SET sequence = excluded.sequence",
            )?,
            tables: prepared,
        })
    }

    fn admits(
        &mut self,
        seen: &mut HashMap<String, i64, FixedState>,
        event: &Event<'_>,
    ) -> Outcome<bool> {
        let entity = event.entity_id.as_ref();
        if let Some(last) = seen.get_mut(entity) {
            let newer = event.sequence_number > *last;
            *last = event.sequence_number.max(*last);
            return Ok(newer);
        }
        let stored = self.read.query_row(params![entity], |row| row.get(0));
        let stored: Option<i64> = stored.optional()?;
        let last = stored.unwrap_or(i64::MIN);
        seen.insert(entity.to_owned(), last.max(event.sequence_number));
        Ok(event.sequence_number > last)
    }

    fn apply(&mut self, event: &Event<'_>) -> Outcome<()> {
        let (user, artist) = (
            event.payload.user_id.as_ref(),
            event.payload.artist_id.as_ref(),
        );
        for (upsert, delete) in &mut self.tables {
            if event.event_type.starts_with("ARTIST_FOLLOWED") {
                upsert.execute(params![user, artist, event.ts])?;
            } else {
                delete.execute(params![user, artist])?;
            }
        }
        Ok(())
    }

    fn record(&mut self, seen: &mut HashMap<String, i64, FixedState>) -> Outcome<()> {
        let mut entries: Vec<_> = seen.drain().collect();
        entries.sort_unstable();
        for (entity, sequence) in &entries {
            self.write.execute(params![entity, sequence])?;
        }
        Ok(())
    }
}
