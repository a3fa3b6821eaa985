//! Pause flags, and requests to the owner of a lane.

use projectionist_core::contract::{ManagementStore, PauseFlag};
use projectionist_core::{
    Error, LaneManagement, ManagementCommand, ManagementRequest, Pause, PauseScope, ProjectionId,
    RequestAnswer, RequestId, Result, SetPause, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::SqliteStore;
use crate::error::{read_error, signed, store_error, unsigned};

const REQUEST: &str = "request to the owner of a lane";

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

    async fn management(&self, lane: &ProjectionId) -> Result<LaneManagement> {
        // The connection that reads: nobody who only looks waits for the write lock.
        self.file.read(|connection| {
            Ok(LaneManagement {
                pause: pause(connection, lane).map_err(|error| read_error("pause flag", error))?,
                requests: open_requests(connection, lane)?,
            })
        })
    }

    async fn request(&self, lane: &ProjectionId, command: &ManagementCommand) -> Result<RequestId> {
        let mut writer = self.file.writer().await;
        writer.transaction(|connection| {
            let requested_at = self.clock.now().unix_millis;
            let id = connection
                .prepare_cached(
                    "INSERT INTO projectionist_requests (name, key, command, requested_at)
                     VALUES (?1, ?2, ?3, ?4)",
                )
                .and_then(|mut statement| {
                    statement.insert((lane.name(), lane.key(), command.to_string(), requested_at))
                })
                .map_err(|error| store_error(format!("ask the owner of {lane}"), error))?;
            unsigned(REQUEST, id).map(RequestId)
        })
    }

    async fn answer(&self, request: RequestId) -> Result<Option<RequestAnswer>> {
        self.file.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT refusal FROM projectionist_requests
                     WHERE id = ?1 AND answered_at IS NOT NULL",
                )
                .and_then(|mut statement| {
                    statement
                        .query_row([signed(request.0)], |row| {
                            Ok(RequestAnswer {
                                id: request,
                                refusal: row.get(0)?,
                            })
                        })
                        .optional()
                })
                .map_err(|error| read_error(REQUEST, error))
        })
    }

    async fn withdraw(&self, request: RequestId) -> Result<bool> {
        let mut writer = self.file.writer().await;
        writer.transaction(|connection| {
            let withdrawn = connection
                .prepare_cached(
                    "DELETE FROM projectionist_requests WHERE id = ?1 AND answered_at IS NULL",
                )
                .and_then(|mut statement| statement.execute([signed(request.0)]))
                .map_err(|error| store_error(format!("withdraw request {request}"), error))?;
            Ok(withdrawn == 1)
        })
    }
}

/// The flag that pauses a lane: its own before that of its name.
fn pause(connection: &Connection, lane: &ProjectionId) -> rusqlite::Result<Option<Pause>> {
    connection
        .prepare_cached(
            "SELECT key = '', since FROM projectionist_management
             WHERE name = ?1 AND key IN (?2, '') AND paused
             ORDER BY key DESC LIMIT 1",
        )?
        .query_row((lane.name(), lane.key()), |row| {
            Ok(Pause {
                scope: if row.get(0)? {
                    PauseScope::AllLanes
                } else {
                    PauseScope::Lane
                },
                since: Timestamp::from_unix_millis(row.get(1)?),
            })
        })
        .optional()
}

/// The requests to the owner of a lane that have no answer.
fn open_requests(connection: &Connection, lane: &ProjectionId) -> Result<Vec<ManagementRequest>> {
    let failed = |error| read_error(REQUEST, error);
    let mut statement = connection
        .prepare_cached(
            "SELECT id, command, requested_at FROM projectionist_requests
             WHERE name = ?1 AND key = ?2 AND answered_at IS NULL
             ORDER BY id",
        )
        .map_err(failed)?;
    let mut rows = statement.query([lane.name(), lane.key()]).map_err(failed)?;
    let mut requests = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        requests.push(open_request(row)?);
    }
    Ok(requests)
}

/// A request whose id, command and time are in the first columns.
fn open_request(row: &Row<'_>) -> Result<ManagementRequest> {
    let failed = |error| read_error(REQUEST, error);
    let command: String = row.get(1).map_err(failed)?;
    Ok(ManagementRequest {
        id: RequestId(unsigned(REQUEST, row.get(0).map_err(failed)?)?),
        command: ManagementCommand::parse(&command)?,
        requested_at: Timestamp::from_unix_millis(row.get(2).map_err(failed)?),
    })
}

/// The requests of all lanes that have no answer.
pub(crate) fn all_open_requests(
    connection: &Connection,
) -> Result<Vec<(ProjectionId, ManagementRequest)>> {
    let failed = |error| read_error(REQUEST, error);
    let mut statement = connection
        .prepare_cached(
            "SELECT id, command, requested_at, name, key FROM projectionist_requests
             INDEXED BY projectionist_open_requests WHERE answered_at IS NULL",
        )
        .map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut requests = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let (name, key): (String, String) =
            (row.get(3).map_err(failed)?, row.get(4).map_err(failed)?);
        let lane = ProjectionId::new(&name, &key).map_err(|error| Error::Damaged {
            what: REQUEST.to_owned(),
            text: error.to_string(),
        })?;
        requests.push((lane, open_request(row)?));
    }
    // The index knows the few that are open; the order of the ids would be that of all of them.
    requests.sort_unstable_by_key(|(_, request)| request.id);
    Ok(requests)
}

/// All flags that pause something.
pub(crate) fn set_pauses(connection: &Connection) -> Result<Vec<SetPause>> {
    let read = || {
        let mut statement = connection.prepare_cached(
            "SELECT name, key, since FROM projectionist_management WHERE paused ORDER BY name, key",
        )?;
        let pauses = statement.query_map([], |row| {
            let key: String = row.get(1)?;
            Ok(SetPause {
                name: row.get(0)?,
                key: (!key.is_empty()).then_some(key),
                since: Timestamp::from_unix_millis(row.get(2)?),
            })
        })?;
        pauses.collect::<rusqlite::Result<Vec<SetPause>>>()
    };
    read().map_err(|error| read_error("pause flag", error))
}

/// Writes down answers within the open transaction, where they are the first ones to a request of
/// the lane.
pub(crate) fn answer(
    connection: &Connection,
    lane: &ProjectionId,
    answers: &[RequestAnswer],
    now: Timestamp,
) -> Result<()> {
    if answers.is_empty() {
        return Ok(());
    }
    let failed = |error| store_error(format!("answer requests to the owner of {lane}"), error);
    let mut statement = connection
        .prepare_cached(
            "UPDATE projectionist_requests SET answered_at = ?4, refusal = ?5
             WHERE id = ?1 AND name = ?2 AND key = ?3 AND answered_at IS NULL",
        )
        .map_err(failed)?;
    for answer in answers {
        statement
            .execute((
                signed(answer.id.0),
                lane.name(),
                lane.key(),
                now.unix_millis,
                answer.refusal.as_deref(),
            ))
            .map_err(failed)?;
    }
    Ok(())
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
