//! The row of a lane: read, checked and moved.

use std::borrow::Cow;
use std::sync::LazyLock;

use projectionist_core::counters::COUNTER_NAMES;
use projectionist_core::{
    Claim, Commit, Counters, Epoch, Error, Holder, LaneState, Offset, Owner, ProcessIdentity,
    ProjectionId, Result, Timestamp,
};
use rusqlite::{CachedStatement, Connection, Row};

use crate::error::{read_error, signed, store_error};

const WHAT: &str = "row of a lane";

/// The columns that [`state`] reads, in its order.
static COLUMNS: LazyLock<String> = LazyLock::new(|| {
    let mut columns =
        r#"manifest, "offset", epoch, owner, expires_at, updated_at, owner_process"#.to_owned();
    for name in COUNTER_NAMES {
        columns.push_str(&format!(r#", "{name}""#));
    }
    columns
});

static READ: LazyLock<String> = LazyLock::new(|| {
    let columns = &*COLUMNS;
    format!("SELECT {columns} FROM projectionist_lanes WHERE name = ?1 AND key = ?2")
});

static READ_ALL: LazyLock<String> = LazyLock::new(|| {
    let columns = &*COLUMNS;
    format!("SELECT {columns}, name, key FROM projectionist_lanes ORDER BY name, key")
});

/// The parameters of [`MOVE`] before the counters.
const MOVE_PARAMETERS: usize = 8;

/// Moves a row under its two conditions. A count that has reached the largest integer stays there.
static MOVE: LazyLock<String> = LazyLock::new(|| {
    let mut text = r#"UPDATE projectionist_lanes SET
        manifest = coalesce(?6, manifest),
        "offset" = coalesce(?7, "offset"),
        updated_at = coalesce(?8, updated_at)"#
        .to_owned();
    for (index, name) in COUNTER_NAMES.iter().enumerate() {
        let parameter = MOVE_PARAMETERS + 1 + index;
        let most = i64::MAX;
        text.push_str(&format!(
            r#", "{name}" = min("{name}", {most} - ?{parameter}) + ?{parameter}"#
        ));
    }
    text.push_str(
        r#" WHERE name = ?1 AND key = ?2 AND epoch = ?3 AND manifest IS ?4 AND "offset" IS ?5"#,
    );
    text
});

/// The row of `lane`; `None` when it was never claimed.
pub(crate) fn read(connection: &Connection, lane: &ProjectionId) -> Result<Option<LaneState>> {
    let failed = |error| read_error(WHAT, error);
    let mut statement = connection.prepare_cached(&READ).map_err(failed)?;
    let mut rows = statement.query([lane.name(), lane.key()]).map_err(failed)?;
    rows.next().map_err(failed)?.map(state).transpose()
}

/// All rows, ordered by name and key.
pub(crate) fn read_all(connection: &Connection) -> Result<Vec<(ProjectionId, LaneState)>> {
    let failed = |error| read_error(WHAT, error);
    let mut statement = connection.prepare_cached(&READ_ALL).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut lanes = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let name: String = row.get("name").map_err(failed)?;
        let key: String = row.get("key").map_err(failed)?;
        let lane = ProjectionId::new(&name, &key).map_err(|error| Error::Damaged {
            what: WHAT.to_owned(),
            text: error.to_string(),
        })?;
        lanes.push((lane, state(row)?));
    }
    Ok(lanes)
}

fn state(row: &Row<'_>) -> Result<LaneState> {
    let failed = |error| read_error(WHAT, error);
    let manifest: Option<String> = row.get(0).map_err(failed)?;
    let text: Option<String> = row.get(1).map_err(failed)?;
    let owner: Option<String> = row.get(3).map_err(failed)?;
    let expires_at: Option<i64> = row.get(4).map_err(failed)?;
    let updated_at: Option<i64> = row.get(5).map_err(failed)?;
    let process: Option<String> = row.get(6).map_err(failed)?;
    let mut counts = [0; COUNTER_NAMES.len()];
    for (index, count) in counts.iter_mut().enumerate() {
        *count = unsigned(row.get(7 + index).map_err(failed)?)?;
    }
    Ok(LaneState {
        offset: manifest.zip(text).map(|(manifest, text)| Offset {
            manifest: Cow::Owned(manifest),
            text,
        }),
        counters: Counters::from_values(counts),
        epoch: Epoch(unsigned(row.get(2).map_err(failed)?)?),
        holder: match owner.zip(expires_at) {
            Some((instance, expires_at)) => Some(Holder {
                owner: Owner {
                    instance,
                    process: process.as_deref().map(parse_process).transpose()?,
                },
                expires_at: Timestamp::from_unix_millis(expires_at),
            }),
            None => None,
        },
        updated_at: updated_at.map(Timestamp::from_unix_millis),
    })
}

fn unsigned(number: i64) -> Result<u64> {
    u64::try_from(number).map_err(|_| Error::Damaged {
        what: WHAT.to_owned(),
        text: number.to_string(),
    })
}

/// The process of an owner as it is stored. The instance has a column of its own: it may be any
/// text, also one with spaces.
pub(crate) fn process_text(owner: &Owner) -> Option<String> {
    let process = owner.process.as_ref()?;
    Some(format!(
        "{} {} {} {}",
        process.boot_id, process.pid_namespace, process.pid, process.start_ticks
    ))
}

fn parse_process(text: &str) -> Result<ProcessIdentity> {
    let damaged = || Error::Damaged {
        what: "process of an owner".to_owned(),
        text: text.to_owned(),
    };
    let parts: Vec<&str> = text.split(' ').collect();
    let [boot_id, pid_namespace, pid, start_ticks] = parts[..] else {
        return Err(damaged());
    };
    Ok(ProcessIdentity {
        boot_id: boot_id.to_owned(),
        pid_namespace: pid_namespace.to_owned(),
        pid: pid.parse().map_err(|_| damaged())?,
        start_ticks: start_ticks.parse().map_err(|_| damaged())?,
    })
}

/// Compares the row with the claim's epoch and the expected offset, without keeping it.
pub(crate) fn check(
    connection: &Connection,
    claim: &Claim,
    expected: Option<&Offset>,
) -> Result<()> {
    let failed = |error| read_error(WHAT, error);
    let mut statement = connection
        .prepare_cached(
            r#"SELECT 1 FROM projectionist_lanes
               WHERE name = ?1 AND key = ?2 AND epoch = ?3 AND manifest IS ?4 AND "offset" IS ?5"#,
        )
        .map_err(failed)?;
    bind_conditions(&mut statement, claim, expected).map_err(failed)?;
    let found = statement.raw_query().next().map_err(failed)?.is_some();
    if found {
        Ok(())
    } else {
        Err(mismatch(connection, claim, expected))
    }
}

/// Writes everything of `commit` but ends no transaction. Nothing is written unless the row has
/// the claim's epoch and the expected offset.
pub(crate) fn advance(
    connection: &Connection,
    claim: &Claim,
    commit: &Commit,
    now: Timestamp,
) -> Result<()> {
    let failed = |error| store_error(format!("move {}", claim.lane), error);
    let mut statement = connection.prepare_cached(&MOVE).map_err(failed)?;
    bind_conditions(&mut statement, claim, commit.expected.as_ref()).map_err(failed)?;
    bind_change(&mut statement, commit, now).map_err(failed)?;
    if statement.raw_execute().map_err(failed)? == 1 {
        crate::dead_letter_store::keep(connection, &claim.lane, &commit.dead_letters)
    } else {
        Err(mismatch(connection, claim, commit.expected.as_ref()))
    }
}

/// Binds the first five parameters: the lane, the epoch and the expected offset.
fn bind_conditions(
    statement: &mut CachedStatement<'_>,
    claim: &Claim,
    expected: Option<&Offset>,
) -> rusqlite::Result<()> {
    statement.raw_bind_parameter(1, claim.lane.name())?;
    statement.raw_bind_parameter(2, claim.lane.key())?;
    statement.raw_bind_parameter(3, signed(claim.epoch.0))?;
    statement.raw_bind_parameter(4, expected.map(|offset| offset.manifest.as_ref()))?;
    statement.raw_bind_parameter(5, expected.map(|offset| offset.text.as_str()))
}

fn bind_change(
    statement: &mut CachedStatement<'_>,
    commit: &Commit,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let offset = commit.offset.as_ref();
    let moves = offset.is_some() || !commit.counters.is_zero();
    statement.raw_bind_parameter(6, offset.map(|offset| offset.manifest.as_ref()))?;
    statement.raw_bind_parameter(7, offset.map(|offset| offset.text.as_str()))?;
    statement.raw_bind_parameter(8, moves.then_some(now.unix_millis))?;
    for (index, count) in commit.counters.values().into_iter().enumerate() {
        statement.raw_bind_parameter(MOVE_PARAMETERS + 1 + index, signed(count))?;
    }
    Ok(())
}

/// Why the row did not match.
fn mismatch(connection: &Connection, claim: &Claim, expected: Option<&Offset>) -> Error {
    match read(connection, &claim.lane) {
        Ok(Some(state)) if state.epoch == claim.epoch => Error::UnexpectedOffset {
            lane: claim.lane.clone(),
            expected: expected.map(|offset| offset.text.clone()),
            found: state.offset.map(|offset| offset.text),
        },
        Ok(state) => fenced(claim, state.as_ref()),
        Err(error) => error,
    }
}

/// The claim is not the lane's last one.
pub(crate) fn fenced(claim: &Claim, state: Option<&LaneState>) -> Error {
    Error::Fenced {
        lane: claim.lane.clone(),
        epoch: claim.epoch,
        current: state.map(|state| state.epoch).unwrap_or_default(),
    }
}
