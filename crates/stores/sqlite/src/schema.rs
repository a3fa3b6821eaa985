//! The store's own tables: made, brought up to date, and refused when a newer build made them.
//!
//! The version stands in a table and not in `PRAGMA user_version`: the file also holds the read
//! model, and that number may belong to whoever uses it.

use std::path::Path;

use projectionist_core::{Error, Result};
use rusqlite::{Connection, OptionalExtension};

use crate::error::{read_error, store_error};

/// What brings the tables from one version to the next. Steps are added, never changed: files out
/// there have taken them.
const STEPS: &[&str] = &[
    include_str!("schema/1_progress.sql"),
    include_str!("schema/2_dead_letters.sql"),
    include_str!("schema/3_sequence_guard.sql"),
    include_str!("schema/4_columns.sql"),
    include_str!("schema/5_tables.sql"),
    include_str!("schema/6_management.sql"),
    include_str!("schema/7_parked_replay.sql"),
    include_str!("schema/8_dead_letters.sql"),
    include_str!("schema/9_declarations.sql"),
    include_str!("schema/10_owner_reports.sql"),
    include_str!("schema/11_rebuilds.sql"),
];

/// Makes the tables, or brings them up to date.
pub(crate) fn migrate(connection: &Connection, path: &Path) -> Result<()> {
    migrate_by(STEPS, connection, path)
}

/// Whether the file holds tables of this store, in any version.
pub(crate) fn is_present(connection: &Connection) -> Result<bool> {
    Ok(stored_version(connection)? > 0)
}

fn migrate_by(steps: &[&str], connection: &Connection, path: &Path) -> Result<()> {
    // Most files are up to date: finding that out takes no lock.
    if stored_version(connection)? == steps.len() {
        return Ok(());
    }
    let failed = |error| store_error(format!("make the tables in {}", path.display()), error);
    connection
        .execute_batch("BEGIN IMMEDIATE")
        .map_err(failed)?;
    let outcome = take_steps(steps, connection, path);
    let end = if outcome.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    let ended = connection.execute_batch(end).map_err(failed);
    outcome.and(ended)
}

fn take_steps(steps: &[&str], connection: &Connection, path: &Path) -> Result<()> {
    // Read again: another process may have been faster to the lock.
    let version = stored_version(connection)?;
    let Some(missing) = steps.get(version..) else {
        return Err(Error::Configuration {
            subject: format!("SQLite file {}", path.display()),
            reason: format!(
                "its tables have version {version}, this build knows versions up to {}; use the \
                 build that wrote it, or a newer one",
                steps.len()
            ),
        });
    };
    for (step, text) in missing.iter().enumerate() {
        connection.execute_batch(text).map_err(|error| {
            let to = version + step + 1;
            let action = format!("bring the tables in {} to version {to}", path.display());
            store_error(action, error)
        })?;
    }
    let note = |error| store_error(format!("note the version of {}", path.display()), error);
    connection
        .execute_batch(
            "CREATE TABLE IF NOT EXISTS projectionist_schema (
                id      INTEGER PRIMARY KEY CHECK (id = 1),
                version INTEGER NOT NULL
            ) STRICT",
        )
        .map_err(note)?;
    connection
        .execute(
            "INSERT INTO projectionist_schema (id, version) VALUES (1, ?1)
             ON CONFLICT (id) DO UPDATE SET version = excluded.version",
            [i64::try_from(steps.len()).unwrap_or(i64::MAX)],
        )
        .map_err(note)?;
    Ok(())
}

/// The version of the tables; 0 when there are none.
fn stored_version(connection: &Connection) -> Result<usize> {
    let what = "version of the tables";
    let known: bool = connection
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'projectionist_schema'",
            [],
            |row| row.get(0),
        )
        .map_err(|error| read_error(what, error))?;
    if !known {
        return Ok(0);
    }
    let version: Option<i64> = connection
        .query_row("SELECT version FROM projectionist_schema", [], |row| {
            row.get(0)
        })
        .optional()
        .map_err(|error| read_error(what, error))?;
    let version = version.unwrap_or_default();
    usize::try_from(version).map_err(|_| Error::Damaged {
        what: what.to_owned(),
        text: version.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn migrate_to(steps: &[&str], connection: &Connection) -> Result<()> {
        migrate_by(steps, connection, Path::new("views.db"))
    }

    #[test]
    fn only_the_missing_steps_are_taken() {
        let connection = Connection::open_in_memory().unwrap();
        let first = "CREATE TABLE a (x)";
        migrate_to(&[first], &connection).unwrap();
        connection.execute("INSERT INTO a VALUES (7)", []).unwrap();
        let both = [first, "ALTER TABLE a ADD COLUMN y DEFAULT 8"];
        for _ in 0..2 {
            migrate_to(&both, &connection).unwrap();
            let row = connection.query_row("SELECT x, y FROM a", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            });
            assert_eq!(row.unwrap(), (7, 8));
        }
    }

    #[test]
    fn a_step_that_fails_leaves_the_version_before_it() {
        let connection = Connection::open_in_memory().unwrap();
        migrate_to(&["CREATE TABLE a (x)"], &connection).unwrap();
        let steps = ["", "CREATE TABLE b (x)", "no statement"];
        migrate_to(&steps, &connection).unwrap_err();
        assert_eq!(stored_version(&connection).unwrap(), 1);
        assert!(connection.prepare("SELECT * FROM b").is_err());
    }

    #[test]
    fn the_table_of_lanes_has_a_column_for_every_counter() {
        let connection = Connection::open_in_memory().unwrap();
        migrate(&connection, Path::new("views.db")).unwrap();
        let sql = "SELECT name FROM pragma_table_info('projectionist_lanes')";
        let mut statement = connection.prepare(sql).unwrap();
        let columns: Vec<String> = statement
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap();
        for counter in projectionist_core::COUNTER_NAMES {
            assert!(columns.iter().any(|column| column == counter), "{counter}");
        }
    }
}
