//! The loop that promises what the program promises: an event at or below the last applied sequence
//! number of its entity changes nothing, and those numbers move in the transaction that applies.
//!
//! The numbers of a batch are kept in a map: an entity is read once a batch, when it is first met,
//! and written once, in the order of the table. The loop has one projection, tenant and fork, so its
//! table needs no column for them, which the program's does.

use std::collections::HashMap;
use std::path::Path;

use foldhash::fast::FixedState;
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::event::{Event, for_each};
use super::read_model::{Writer, create};
use crate::failure::Outcome;

/// The last applied number of each entity that the open batch has met.
struct Guard<'connection> {
    seen: HashMap<String, i64, FixedState>,
    read: CachedStatement<'connection>,
    write: CachedStatement<'connection>,
}

impl<'connection> Guard<'connection> {
    fn new(connection: &'connection Connection) -> Outcome<Self> {
        Ok(Self {
            seen: HashMap::default(),
            read: connection
                .prepare_cached("SELECT sequence FROM last_applied WHERE entity = ?1")?,
            write: connection.prepare_cached(
                "INSERT INTO last_applied (entity, sequence) VALUES (?1, ?2)
                 ON CONFLICT (entity) DO UPDATE SET sequence = excluded.sequence",
            )?,
        })
    }

    /// Whether the event is newer than what was applied; then it counts as applied.
    fn admits(&mut self, event: &Event<'_>) -> Outcome<bool> {
        let entity = event.entity_id.as_ref();
        let Some(last) = self.seen.get_mut(entity) else {
            let stored = self.read.query_row(params![entity], |row| row.get(0));
            let stored: Option<i64> = stored.optional()?;
            let newer = stored.is_none_or(|stored| event.sequence_number > stored);
            let last = stored.unwrap_or(i64::MIN).max(event.sequence_number);
            self.seen.insert(entity.to_owned(), last);
            return Ok(newer);
        };
        let newer = event.sequence_number > *last;
        *last = event.sequence_number.max(*last);
        Ok(newer)
    }

    fn flush(&mut self) -> Outcome<()> {
        let mut entries: Vec<_> = self.seen.drain().collect();
        entries.sort_unstable();
        for (entity, sequence) in &entries {
            self.write.execute(params![entity, sequence])?;
        }
        Ok(())
    }
}

/// Applies the events of `input` to a fresh `database`, `batch` events a transaction.
///
/// # Errors
/// When the input cannot be read or SQLite fails.
pub fn run(input: &Path, database: &Path, batch: u64) -> Outcome<()> {
    let connection = create(database)?;
    let mut writer = Writer::new(&connection)?;
    let mut guard = Guard::new(&connection)?;
    let mut open = 0;
    for_each(input, |event| {
        if open == 0 {
            connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        if guard.admits(event)? {
            writer.apply(event)?;
        }
        open += 1;
        if open == batch {
            guard.flush()?;
            connection.execute_batch("COMMIT")?;
            open = 0;
        }
        Ok(())
    })?;
    if open > 0 {
        guard.flush()?;
        connection.execute_batch("COMMIT")?;
    }
    Ok(())
}
