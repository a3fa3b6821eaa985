//! Parked envelopes: written by the commits that pass them, read when their key is tried again.

use std::borrow::Cow;

use projectionist_core::contract::ParkedStore;
use projectionist_core::{
    Commit, Offset, ParkedEnvelope, ParkedKey, ProjectionId, Result, Timestamp,
};
use rusqlite::{Connection, Row};

use crate::SqliteStore;
use crate::error::{read_error, signed, store_error, unsigned};

const WHAT: &str = "parked envelope";

impl ParkedStore for SqliteStore {
    async fn parked_keys(&self, lane: &ProjectionId, limit: usize) -> Result<Vec<ParkedKey>> {
        let failed = |error| read_error(WHAT, error);
        self.file.read(|connection| {
            let mut statement = connection
                .prepare_cached(
                    r#"SELECT parked_key, manifest, "offset", event, attempts, error, parked_at,
                           tried_at, replay, envelopes
                       FROM (SELECT min(id) AS first, count(*) AS envelopes
                             FROM projectionist_parked WHERE name = ?1 AND key = ?2
                             GROUP BY parked_key ORDER BY first LIMIT ?3)
                       JOIN projectionist_parked ON id = first
                       ORDER BY first"#,
                )
                .map_err(failed)?;
            let parameters = (lane.name(), lane.key(), signed(limit as u64));
            let mut rows = statement.query(parameters).map_err(failed)?;
            let mut keys = Vec::new();
            while let Some(row) = rows.next().map_err(failed)? {
                keys.push(ParkedKey {
                    first: envelope(row).map_err(failed)?,
                    envelopes: unsigned(WHAT, row.get(9).map_err(failed)?)?,
                });
            }
            Ok(keys)
        })
    }

    async fn parked(
        &self,
        lane: &ProjectionId,
        key: &str,
        limit: usize,
    ) -> Result<Vec<ParkedEnvelope>> {
        self.file
            .read(|connection| {
                connection
                    .prepare_cached(
                        r#"SELECT parked_key, manifest, "offset", event, attempts, error, parked_at,
                               tried_at, replay
                           FROM projectionist_parked
                           WHERE name = ?1 AND key = ?2 AND parked_key = ?3
                           ORDER BY id LIMIT ?4"#,
                    )?
                    .query_map(
                        (lane.name(), lane.key(), key, signed(limit as u64)),
                        envelope,
                    )?
                    .collect::<rusqlite::Result<Vec<_>>>()
            })
            .map_err(|error| read_error(WHAT, error))
    }
}

fn envelope(row: &Row<'_>) -> rusqlite::Result<ParkedEnvelope> {
    let event: Vec<u8> = row.get(3)?;
    let tried_at: Option<i64> = row.get(7)?;
    Ok(ParkedEnvelope {
        key: row.get(0)?,
        offset: Offset {
            manifest: Cow::Owned(row.get(1)?),
            text: row.get(2)?,
        },
        event: event.into(),
        attempts: row.get(4)?,
        error: row.get(5)?,
        parked_at: Timestamp::from_unix_millis(row.get(6)?),
        tried_at: tried_at.map(Timestamp::from_unix_millis),
        replay: row.get(8)?,
    })
}

/// Parks what `commit` parks, and then lets go what it unparks, within the open transaction.
pub(crate) fn commit(connection: &Connection, lane: &ProjectionId, commit: &Commit) -> Result<()> {
    if !commit.parked.is_empty() {
        park(connection, lane, &commit.parked)
            .map_err(|error| store_error(format!("park envelopes of {lane}"), error))?;
    }
    if !commit.unparked.is_empty() {
        unpark(connection, lane, &commit.unparked)
            .map_err(|error| store_error(format!("let parked envelopes of {lane} go"), error))?;
    }
    Ok(())
}

fn park(
    connection: &Connection,
    lane: &ProjectionId,
    envelopes: &[ParkedEnvelope],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        r#"INSERT INTO projectionist_parked
               (name, key, parked_key, manifest, "offset", event, attempts, error, parked_at,
                tried_at, replay)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
           ON CONFLICT (name, key, manifest, "offset") DO UPDATE SET
               parked_key = excluded.parked_key, event = excluded.event,
               attempts = excluded.attempts, error = excluded.error,
               parked_at = excluded.parked_at, tried_at = excluded.tried_at,
               replay = excluded.replay"#,
    )?;
    for envelope in envelopes {
        statement.execute((
            lane.name(),
            lane.key(),
            &envelope.key,
            envelope.offset.manifest.as_ref(),
            &envelope.offset.text,
            envelope.event.as_ref(),
            envelope.attempts,
            envelope.error.as_deref(),
            envelope.parked_at.unix_millis,
            envelope.tried_at.map(|tried_at| tried_at.unix_millis),
            envelope.replay,
        ))?;
    }
    Ok(())
}

fn unpark(
    connection: &Connection,
    lane: &ProjectionId,
    offsets: &[Offset],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        r#"DELETE FROM projectionist_parked
           WHERE name = ?1 AND key = ?2 AND manifest = ?3 AND "offset" = ?4"#,
    )?;
    for offset in offsets {
        let Offset { manifest, text } = offset;
        statement.execute((lane.name(), lane.key(), manifest.as_ref(), text))?;
    }
    Ok(())
}
