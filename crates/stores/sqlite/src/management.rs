//! The pause flags.

use projectionist_core::contract::{ManagementStore, PauseFlag};
use projectionist_core::{Error, Result, Timestamp};
use rusqlite::OptionalExtension;

use crate::SqliteStore;
use crate::error::{read_error, store_error};

impl ManagementStore for SqliteStore {
    async fn pause_flag(&self, name: &str, key: Option<&str>) -> Result<Option<PauseFlag>> {
        let key = stored_key(name, key)?;
        self.file.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT paused, since FROM projectionist_management
                     WHERE name = ?1 AND key = ?2",
                )
                .and_then(|mut statement| {
                    statement
                        .query_row((name, key), |row| {
                            Ok(PauseFlag {
                                paused: row.get(0)?,
                                since: Timestamp::from_unix_millis(row.get(1)?),
                            })
                        })
                        .optional()
                })
                .map_err(|error| read_error("pause flag", error))
        })
    }

    async fn set_paused(&self, name: &str, key: Option<&str>, paused: bool) -> Result<()> {
        let key = stored_key(name, key)?;
        let mut writer = self.file.writer().await;
        writer.transaction(|connection| {
            connection
                .prepare_cached(
                    "INSERT INTO projectionist_management (name, key, paused, since)
                     VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (name, key) DO UPDATE SET
                         paused = excluded.paused, since = excluded.since
                     WHERE paused <> excluded.paused",
                )
                .and_then(|mut statement| {
                    statement.execute((name, key, paused, self.clock.now().unix_millis))
                })
                .map_err(|error| store_error(format!("set the pause flag of {name}"), error))?;
            Ok(())
        })
    }
}

/// The key as it is stored: the empty one stands for all lanes, and is the key of none.
fn stored_key<'a>(name: &str, key: Option<&'a str>) -> Result<&'a str> {
    match key {
        None => Ok(""),
        Some("") => Err(Error::Configuration {
            subject: format!("pause flag of {name}"),
            reason: "the key is empty; leave it out to mean all lanes".to_owned(),
        }),
        Some(key) => Ok(key),
    }
}
