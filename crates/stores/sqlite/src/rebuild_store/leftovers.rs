//! The guard of a dropped generation: set aside at once, removed in small steps.
//!
//! It has a row an entity. To delete all of them would make a swap as long as the guard is large;
//! what no scope's name leads to is seen by nobody.

use projectionist_core::Result;
use rusqlite::{Connection, OptionalExtension};

use crate::error::store_error;

/// How the names of scopes begin that nobody has any more; the number of the scope follows.
const DROPPED: &str = "projectionist:dropped:";

/// The most rows that one step removes.
const STEP: i64 = 10_000;

/// Sets the guard of a projection aside.
pub(super) fn set_guard_aside(connection: &Connection, projection: &str) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE projectionist_guard_scopes SET projection = ?2 || id WHERE projection = ?1",
        )
        .and_then(|mut statement| statement.execute([projection, DROPPED]))
        .map_err(|error| store_error(format!("drop the guard of {projection}"), error))?;
    Ok(())
}

/// Removes some rows of what was set aside; `true` while there is more.
pub(super) fn purge(connection: &Connection) -> Result<bool> {
    step(connection).map_err(|error| store_error("remove what is left of a dropped guard", error))
}

fn step(connection: &Connection) -> rusqlite::Result<bool> {
    // The names are ordered, and `;` follows `:`.
    let scope: Option<i64> = connection
        .prepare_cached(
            "SELECT id FROM projectionist_guard_scopes
             WHERE projection > 'projectionist:dropped:' AND projection < 'projectionist:dropped;'
             LIMIT 1",
        )?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(scope) = scope else {
        return Ok(false);
    };
    let removed = connection
        .prepare_cached(
            "DELETE FROM projectionist_guard WHERE scope = ?1 AND entity IN
                 (SELECT entity FROM projectionist_guard WHERE scope = ?1 LIMIT ?2)",
        )?
        .execute([scope, STEP])?;
    if i64::try_from(removed).is_ok_and(|removed| removed < STEP) {
        connection
            .prepare_cached("DELETE FROM projectionist_guard_scopes WHERE id = ?1")?
            .execute([scope])?;
    }
    Ok(true)
}
