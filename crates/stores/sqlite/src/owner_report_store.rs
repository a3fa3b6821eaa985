//! What the owners of lanes said of themselves, and all lanes at once.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::Duration;

use projectionist_core::contract::OwnerReportStore;
use projectionist_core::{
    Claim, Epoch, Error, ErrorClass, FailingEnvelope, Owner, OwnerReport, OwnerState, Pace,
    ProjectionId, ReportedError, Result, StoredOwnerReport, Survey, SurveyedLane, Timestamp,
};
use rusqlite::{CachedStatement, Connection, Row};

use crate::SqliteStore;
use crate::error::{read_error, signed, store_error, unsigned};
use crate::{lane_row, management};

const WHAT: &str = "report of an owner";

/// The columns of a report, in the order in which [`bind`] writes and [`stored`] reads them.
const COLUMNS: [&str; 22] = [
    "name",
    "key",
    "epoch",
    "owner",
    "owner_process",
    "state",
    "reason",
    "since",
    "told_at",
    "lag_events",
    "lag",
    "failing_manifest",
    "failing_offset",
    "failing_attempts",
    "error",
    "error_class",
    "error_since",
    "error_manifest",
    "error_offset",
    "restarts",
    "pace_events",
    "pace_within",
];

/// Writes a report, if the lane has the epoch still.
static KEEP: LazyLock<String> = LazyLock::new(|| {
    let names = COLUMNS.join(", ");
    let values: Vec<String> = (1..=COLUMNS.len()).map(|at| format!("?{at}")).collect();
    let changes = COLUMNS[2..].iter();
    let changes: Vec<String> = changes
        .map(|name| format!("{name} = excluded.{name}"))
        .collect();
    format!(
        "INSERT INTO projectionist_owner_reports ({names})
         SELECT {} FROM projectionist_lanes WHERE name = ?1 AND key = ?2 AND epoch = ?3
         ON CONFLICT (name, key) DO UPDATE SET {}",
        values.join(", "),
        changes.join(", ")
    )
});

static READ_ALL: LazyLock<String> = LazyLock::new(|| {
    let names = COLUMNS.join(", ");
    format!("SELECT {names} FROM projectionist_owner_reports")
});

impl OwnerReportStore for SqliteStore {
    async fn keep_report(&self, claim: &Claim, report: &OwnerReport) -> Result<()> {
        let failed = |error| store_error(format!("keep what is said of {}", claim.lane), error);
        let mut writer = self.file.writer().await;
        writer.transaction(|connection| {
            let mut statement = connection.prepare_cached(&KEEP).map_err(failed)?;
            bind(&mut statement, claim, report).map_err(failed)?;
            if statement.raw_execute().map_err(failed)? == 1 {
                return Ok(());
            }
            let state = lane_row::read(connection, &claim.lane)?;
            Err(lane_row::fenced(claim, state.as_ref()))
        })
    }

    async fn survey(&self) -> Result<Survey> {
        self.file.read(|connection| {
            let failed = |error| store_error("read the state of all lanes", error);
            // One transaction, so that all of it is of one moment. It ends when it is dropped.
            let _snapshot = connection.unchecked_transaction().map_err(failed)?;
            let mut reports = read_all(connection)?;
            let lanes = lane_row::read_all(connection)?;
            let lanes = lanes.into_iter().map(|(id, row)| {
                let report = reports.remove(&id);
                SurveyedLane { id, row, report }
            });
            Ok(Survey {
                lanes: lanes.collect(),
                pauses: management::set_pauses(connection)?,
                requests: management::all_open_requests(connection)?,
            })
        })
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn bind(
    statement: &mut CachedStatement<'_>,
    claim: &Claim,
    report: &OwnerReport,
) -> rusqlite::Result<()> {
    let error = report.last_error.as_ref();
    let at = error.and_then(|error| error.offset.as_ref());
    let failing = report.failing.as_ref();
    let (lane, owner) = (&claim.lane, &claim.owner);
    statement.raw_bind_parameter(1, lane.name())?;
    statement.raw_bind_parameter(2, lane.key())?;
    statement.raw_bind_parameter(3, signed(claim.epoch.0))?;
    statement.raw_bind_parameter(4, &owner.instance)?;
    statement.raw_bind_parameter(5, lane_row::process_text(owner))?;
    statement.raw_bind_parameter(6, report.state.name())?;
    statement.raw_bind_parameter(7, &report.reason)?;
    statement.raw_bind_parameter(8, report.since.unix_millis)?;
    statement.raw_bind_parameter(9, report.told_at.unix_millis)?;
    statement.raw_bind_parameter(10, report.lag_events.map(signed))?;
    statement.raw_bind_parameter(11, report.lag.map(millis))?;
    statement.raw_bind_parameter(12, failing.map(|one| one.offset.manifest.as_ref()))?;
    statement.raw_bind_parameter(13, failing.map(|one| one.offset.text.as_str()))?;
    statement.raw_bind_parameter(14, failing.map(|one| one.attempts))?;
    statement.raw_bind_parameter(15, error.map(|error| error.text.as_str()))?;
    statement.raw_bind_parameter(16, error.map(|error| error.class.name()))?;
    statement.raw_bind_parameter(17, error.map(|error| error.since.unix_millis))?;
    statement.raw_bind_parameter(18, at.map(|at| at.manifest.as_ref()))?;
    statement.raw_bind_parameter(19, at.map(|at| at.text.as_str()))?;
    statement.raw_bind_parameter(20, signed(report.restarts))?;
    statement.raw_bind_parameter(21, report.pace.map(|pace| signed(pace.events)))?;
    statement.raw_bind_parameter(22, report.pace.map(|pace| millis(pace.within)))
}

/// The last report of every lane that has one.
fn read_all(connection: &Connection) -> Result<HashMap<ProjectionId, StoredOwnerReport>> {
    let failed = |error| read_error(WHAT, error);
    let mut statement = connection.prepare_cached(&READ_ALL).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut reports = HashMap::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let name: String = row.get(0).map_err(failed)?;
        let key: String = row.get(1).map_err(failed)?;
        let lane = ProjectionId::new(&name, &key).map_err(|error| damaged(error.to_string()))?;
        reports.insert(lane, stored(row)?);
    }
    Ok(reports)
}

fn damaged(text: impl Into<String>) -> Error {
    Error::Damaged {
        what: WHAT.to_owned(),
        text: text.into(),
    }
}

fn stored(row: &Row<'_>) -> Result<StoredOwnerReport> {
    let failed = |error| read_error(WHAT, error);
    let process: Option<String> = row.get(4).map_err(failed)?;
    let state: String = row.get(5).map_err(failed)?;
    let report = OwnerReport {
        state: OwnerState::from_name(&state).ok_or_else(|| damaged(state))?,
        reason: row.get(6).map_err(failed)?,
        since: moment(row, 7)?,
        told_at: moment(row, 8)?,
        lag_events: number(row, 9)?,
        lag: number(row, 10)?.map(Duration::from_millis),
        failing: failing(row)?,
        last_error: last_error(row)?,
        restarts: number(row, 19)?.unwrap_or_default(),
        pace: number(row, 20)?
            .zip(number(row, 21)?)
            .map(|(events, within)| Pace {
                events,
                within: Duration::from_millis(within),
            }),
    };
    Ok(StoredOwnerReport {
        owner: Owner {
            instance: row.get(3).map_err(failed)?,
            process: process
                .as_deref()
                .map(lane_row::parse_process)
                .transpose()?,
        },
        epoch: Epoch(number(row, 2)?.unwrap_or_default()),
        report,
    })
}

fn moment(row: &Row<'_>, column: usize) -> Result<Timestamp> {
    let millis = row.get(column).map_err(|error| read_error(WHAT, error))?;
    Ok(Timestamp::from_unix_millis(millis))
}

fn number(row: &Row<'_>, column: usize) -> Result<Option<u64>> {
    let number: Option<i64> = row.get(column).map_err(|error| read_error(WHAT, error))?;
    number.map(|number| unsigned(WHAT, number)).transpose()
}

fn failing(row: &Row<'_>) -> Result<Option<FailingEnvelope>> {
    let failed = |error| read_error(WHAT, error);
    let offset = lane_row::stored_offset(row, 11).map_err(failed)?;
    let attempts: Option<u32> = row.get(13).map_err(failed)?;
    let failing = offset.zip(attempts);
    Ok(failing.map(|(offset, attempts)| FailingEnvelope { offset, attempts }))
}

fn last_error(row: &Row<'_>) -> Result<Option<ReportedError>> {
    let failed = |error| read_error(WHAT, error);
    let text: Option<String> = row.get(14).map_err(failed)?;
    let Some(text) = text else { return Ok(None) };
    let class: String = row.get(15).map_err(failed)?;
    Ok(Some(ReportedError {
        text,
        class: ErrorClass::from_name(&class).ok_or_else(|| damaged(class))?,
        offset: lane_row::stored_offset(row, 17).map_err(failed)?,
        since: moment(row, 16)?,
    }))
}
