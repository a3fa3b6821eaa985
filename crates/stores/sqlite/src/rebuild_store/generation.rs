//! Everything of one projection under one name: dropped, or moved to another name.

use std::sync::Arc;

use projectionist_core::Result;
use projectionist_core::rebuild::Beside;
use rusqlite::Connection;

use super::{lanes, leftovers, tables};
use crate::error::store_error;

/// The names of a generation.
#[derive(Clone, Debug)]
pub(super) struct Generation {
    /// That of its lanes, guard and letters.
    pub(super) projection: String,
    /// The declared name of its table; `None` when it has none.
    pub(super) table: Option<Arc<str>>,
}

impl Generation {
    /// The one beside the projection `live` whose table in use has the declared name `table`.
    pub(super) fn beside(beside: Beside, live: &str, table: &str) -> Self {
        Self {
            projection: beside.projection(live),
            table: Some(beside.table(table)),
        }
    }
}

/// What holds a projection's name in a column, beside lanes, guard and tables.
const NAMED: [(&str, &str); 2] = [
    ("projectionist_dead_letters", "projection"),
    ("projectionist_parked", "name"),
];

/// What is asked of a projection by name; it goes with one that stands beside.
const ASKED: [&str; 2] = ["projectionist_management", "projectionist_requests"];

/// Drops all but what is asked of its name.
pub(super) fn drop(connection: &Connection, generation: &Generation) -> Result<()> {
    tables::drop(connection, generation)?;
    let name = &generation.projection;
    leftovers::set_guard_aside(connection, name)?;
    for (table, column) in NAMED {
        change(
            connection,
            &format!("DELETE FROM {table} WHERE {column} = ?1"),
            name,
        )?;
    }
    lanes::drop(connection, name)
}

/// Drops everything, so that nothing of the name is left.
pub(super) fn drop_all_of(connection: &Connection, generation: &Generation) -> Result<()> {
    drop(connection, generation)?;
    for table in ASKED {
        change(
            connection,
            &format!("DELETE FROM {table} WHERE name = ?1"),
            &generation.projection,
        )?;
    }
    Ok(())
}

/// Gives everything other names, which nothing has.
pub(super) fn rename(connection: &Connection, from: &Generation, to: &Generation) -> Result<()> {
    tables::rename(connection, from, to)?;
    let (old, new) = (&from.projection, &to.projection);
    let guard = [("projectionist_guard_scopes", "projection")];
    let lanes = [("projectionist_lanes", "name")];
    for (table, column) in guard.into_iter().chain(NAMED).chain(lanes) {
        connection
            .prepare_cached(&format!(
                "UPDATE {table} SET {column} = ?2 WHERE {column} = ?1"
            ))
            .and_then(|mut statement| statement.execute([old, new]))
            .map_err(|error| store_error(format!("move {old} to {new} in {table}"), error))?;
    }
    Ok(())
}

fn change(connection: &Connection, text: &str, name: &str) -> Result<()> {
    connection
        .prepare_cached(text)
        .and_then(|mut statement| statement.execute([name]))
        .map_err(|error| store_error(format!("drop what belongs to {name}"), error))?;
    Ok(())
}
