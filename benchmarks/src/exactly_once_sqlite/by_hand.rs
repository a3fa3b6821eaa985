//! The loop over rusqlite that a careful engineer writes for this one table.
//!
//! Its statements are prepared once and held. It knows that nothing is skipped or filtered, so it
//! moves two counters, where the store moves whatever a commit may hold.

use std::fmt::Write as _;
use std::path::Path;

use projectionist_core::{Clock, Position, ProjectionId, SystemClock};
use rusqlite::{Connection, Statement, params};

use super::file::{UPSERT, lane};
use crate::failure::Outcome;
use crate::source::{Envelope, Envelopes, Index};

/// The number of the claim under which it moves the lane.
const EPOCH: i64 = 1;

const CHECK: &str = r#"SELECT 1 FROM projectionist_lanes
     WHERE name = ?1 AND key = ?2 AND epoch = ?3 AND manifest IS ?4 AND "offset" IS ?5"#;

const MOVE: &str = r#"UPDATE projectionist_lanes
     SET manifest = ?6, "offset" = ?7, updated_at = ?8, "read" = "read" + ?9, applied = applied + ?9
     WHERE name = ?1 AND key = ?2 AND epoch = ?3 AND manifest IS ?4 AND "offset" IS ?5"#;

/// A connection as the store's writing one is set up, on a file whose lane is claimed.
///
/// # Errors
/// SQLite's.
pub fn open(path: &Path) -> Outcome<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -32 * 1024)?;
    connection.pragma_update(None, "wal_autocheckpoint", 8_000)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    let lane = lane()?;
    connection.execute(
        "INSERT INTO projectionist_lanes (name, key, epoch) VALUES (?1, ?2, ?3)",
        params![lane.name(), lane.key(), EPOCH],
    )?;
    Ok(connection)
}

/// Moves all envelopes of `source`, `group` a transaction.
///
/// # Errors
/// SQLite's; also when the lane is not where it was left.
pub fn run(connection: &Connection, source: &Envelopes, group: usize) -> Outcome<()> {
    let mut steps = Steps::new(connection)?;
    let mut upsert = connection.prepare(UPSERT)?;
    let (mut open, mut last) = (0, None);
    for envelope in source.iter() {
        if open == 0 {
            steps.begin()?;
        }
        upsert.execute(params![
            &*envelope.entity,
            i64::try_from(envelope.sequence)?
        ])?;
        open += 1;
        if open == group {
            steps.commit(&envelope, open)?;
            open = 0;
        }
        last = Some(envelope);
    }
    match last {
        Some(last) if open > 0 => steps.commit(&last, open),
        _ => Ok(()),
    }
}

/// What surrounds the handler's statements.
struct Steps<'connection> {
    begin: Statement<'connection>,
    check: Statement<'connection>,
    advance: Statement<'connection>,
    commit: Statement<'connection>,
    lane: ProjectionId,
    /// The offset that the row holds.
    stored: Option<String>,
    /// Its text is written here, and then takes the place of the stored one.
    next: String,
}

impl<'connection> Steps<'connection> {
    fn new(connection: &'connection Connection) -> Outcome<Self> {
        Ok(Self {
            begin: connection.prepare("BEGIN IMMEDIATE")?,
            check: connection.prepare(CHECK)?,
            advance: connection.prepare(MOVE)?,
            commit: connection.prepare("COMMIT")?,
            lane: lane()?,
            stored: None,
            next: String::new(),
        })
    }

    fn begin(&mut self) -> Outcome<()> {
        self.begin.execute([])?;
        let stored = self.stored.as_deref();
        let manifest = stored.map(|_| Index::MANIFEST);
        let (name, key) = (self.lane.name(), self.lane.key());
        if !self
            .check
            .exists(params![name, key, EPOCH, manifest, stored])?
        {
            return Err("the lane is not where it was left".into());
        }
        Ok(())
    }

    fn commit(&mut self, last: &Envelope, envelopes: usize) -> Outcome<()> {
        self.next.clear();
        write!(self.next, "{}", last.index)?;
        let stored = self.stored.as_deref();
        let moved = self.advance.execute(params![
            self.lane.name(),
            self.lane.key(),
            EPOCH,
            stored.map(|_| Index::MANIFEST),
            stored,
            Index::MANIFEST,
            self.next,
            SystemClock.now().unix_millis,
            i64::try_from(envelopes)?,
        ])?;
        if moved != 1 {
            return Err("the lane was moved by someone else".into());
        }
        self.commit.execute([])?;
        std::mem::swap(self.stored.get_or_insert_default(), &mut self.next);
        Ok(())
    }
}
