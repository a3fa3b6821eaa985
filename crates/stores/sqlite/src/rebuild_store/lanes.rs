//! The lanes of generations: made, dropped, and fenced where one takes the place of another.

use projectionist_core::rebuild::Rebuild;
use projectionist_core::{COUNTER_NAMES, Result, Timestamp};
use rusqlite::Connection;

use crate::error::store_error;

/// The lanes of a projection, each with the last epoch that was granted.
pub(super) type Epochs = Vec<(String, i64)>;

/// Makes the lane of a rebuild. It replays up to where the lane in use is.
///
/// Its epochs begin with the time: a claim of an earlier rebuild, whose lane is gone, has another.
pub(super) fn make_shadow(
    connection: &Connection,
    rebuild: &Rebuild,
    now: Timestamp,
) -> Result<()> {
    let lane = rebuild.shadow_lane()?;
    connection
        .prepare_cached(
            r#"INSERT INTO projectionist_lanes (name, key, epoch, replay_manifest, replay_offset)
               SELECT ?1, ?2, ?3, live.manifest, live."offset"
               FROM (SELECT 1) LEFT JOIN projectionist_lanes AS live
                   ON live.name = ?4 AND live.key = ?2"#,
        )
        .and_then(|mut statement| {
            let epoch = now.unix_millis.max(0);
            statement.execute((lane.name(), lane.key(), epoch, rebuild.projection()))
        })
        .map_err(|error| store_error(format!("make the lane {lane}"), error))?;
    Ok(())
}

pub(super) fn drop(connection: &Connection, name: &str) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM projectionist_lanes WHERE name = ?1")
        .and_then(|mut statement| statement.execute([name]))
        .map_err(|error| store_error(format!("drop the lanes of {name}"), error))?;
    Ok(())
}

/// The epochs of the lanes in use, before others take their place.
pub(super) fn epochs(connection: &Connection, name: &str) -> Result<Epochs> {
    connection
        .prepare_cached("SELECT key, epoch FROM projectionist_lanes WHERE name = ?1")
        .and_then(|mut statement| {
            let rows = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
        .map_err(|error| store_error(format!("read the lanes of {name}"), error))
}

/// Supersedes every claim of the lanes that had these epochs, and lets the next one be granted at
/// once. A lane that is not there any more is made again, empty, so that its epochs go on.
pub(super) fn supersede(connection: &Connection, name: &str, before: &Epochs) -> Result<()> {
    let failed = |error| store_error(format!("supersede the claims of {name}"), error);
    connection
        .prepare_cached(
            "UPDATE projectionist_lanes
             SET epoch = 1, owner = NULL, owner_process = NULL, expires_at = NULL
             WHERE name = ?1",
        )
        .and_then(|mut statement| statement.execute([name]))
        .map_err(failed)?;
    for (key, epoch) in before {
        connection
            .prepare_cached(
                "INSERT INTO projectionist_lanes (name, key, epoch) VALUES (?1, ?2, ?3)
                 ON CONFLICT (name, key) DO UPDATE SET epoch = excluded.epoch",
            )
            .and_then(|mut statement| statement.execute((name, key, epoch.saturating_add(1))))
            .map_err(failed)?;
    }
    Ok(())
}

/// Puts every lane before its first event, counts nothing, and supersedes every claim.
pub(super) fn reset(connection: &Connection, name: &str) -> Result<()> {
    let mut text = r#"UPDATE projectionist_lanes SET
        replay_manifest = coalesce(replay_manifest, manifest),
        replay_offset = coalesce(replay_offset, "offset"),
        manifest = NULL, "offset" = NULL, ahead = NULL, updated_at = NULL,
        epoch = epoch + 1, owner = NULL, owner_process = NULL, expires_at = NULL"#
        .to_owned();
    for counter in COUNTER_NAMES {
        text.push_str(&format!(", \"{counter}\" = 0"));
    }
    text.push_str(" WHERE name = ?1");
    connection
        .prepare_cached(&text)
        .and_then(|mut statement| statement.execute([name]))
        .map_err(|error| store_error(format!("reset the lanes of {name}"), error))?;
    Ok(())
}
