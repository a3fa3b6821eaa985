//! The row of a lane: read and checked.

use std::borrow::Cow;
use std::sync::LazyLock;

use projectionist_core::counters::COUNTER_NAMES;
use projectionist_core::{
    Ahead, Claim, Counters, Epoch, Error, Holder, LaneState, Offset, Owner, ProcessIdentity,
    ProjectionId, Result, Timestamp,
};
use rusqlite::{CachedStatement, Connection, Row};

use crate::error::{read_error, signed, unsigned};

const WHAT: &str = "row of a lane";

/// The columns that [`state`] reads, in its order.
static COLUMNS: LazyLock<String> = LazyLock::new(|| {
    let mut columns = r#"manifest, "offset", epoch, owner, expires_at, updated_at, owner_process,
        ahead, replay_manifest, replay_offset"#
        .to_owned();
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
    let ahead: Option<String> = row.get(7).map_err(failed)?;
    let updated_at: Option<i64> = row.get(5).map_err(failed)?;
    let mut counts = [0; COUNTER_NAMES.len()];
    for (index, count) in counts.iter_mut().enumerate() {
        *count = unsigned(WHAT, row.get(10 + index).map_err(failed)?)?;
    }
    Ok(LaneState {
        offset: stored_offset(row, 0).map_err(failed)?,
        ahead: ahead
            .as_deref()
            .map_or(Ok(Ahead::default()), Ahead::parse)?,
        replay_until: stored_offset(row, 8).map_err(failed)?,
        counters: Counters::from_values(counts),
        epoch: Epoch(unsigned(WHAT, row.get(2).map_err(failed)?)?),
        holder: holder(row)?,
        updated_at: updated_at.map(Timestamp::from_unix_millis),
    })
}

/// The offset whose manifest is in the column `first`, and whose text in the next one.
pub(crate) fn stored_offset(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Offset>> {
    let manifest: Option<String> = row.get(first)?;
    let text: Option<String> = row.get(first + 1)?;
    Ok(manifest.zip(text).map(|(manifest, text)| Offset {
        manifest: Cow::Owned(manifest),
        text,
    }))
}

fn holder(row: &Row<'_>) -> Result<Option<Holder>> {
    let failed = |error| read_error(WHAT, error);
    let owner: Option<String> = row.get(3).map_err(failed)?;
    let expires_at: Option<i64> = row.get(4).map_err(failed)?;
    let process: Option<String> = row.get(6).map_err(failed)?;
    let Some((instance, expires_at)) = owner.zip(expires_at) else {
        return Ok(None);
    };
    Ok(Some(Holder {
        owner: Owner {
            instance,
            process: process.as_deref().map(parse_process).transpose()?,
        },
        expires_at: Timestamp::from_unix_millis(expires_at),
    }))
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

pub(crate) fn parse_process(text: &str) -> Result<ProcessIdentity> {
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

/// Binds the first five parameters: the lane, the epoch and the expected offset.
pub(crate) fn bind_conditions(
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

/// Why the row did not match.
pub(crate) fn mismatch(connection: &Connection, claim: &Claim, expected: Option<&Offset>) -> Error {
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
