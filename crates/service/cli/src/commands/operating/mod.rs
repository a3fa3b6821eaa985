//! What the commands share that operate projections through their store.

mod effect;
mod moving;
mod report;

pub(super) use moving::{Move, carry_out, not_answered};
pub(super) use report::{Outcome, Report};

use std::collections::BTreeSet;
use std::time::Duration;

use projectionist_core::ProjectionId;
use projectionist_engine::{LaneOverview, Liveness, Overview};
use projectionist_language::did_you_mean;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use crate::args::operating::Addressed;
use crate::exit::Failure;
use crate::output::moment;
use crate::place::Target;

/// How long a command waits for other writers: a run that catches up writes nearly all the time.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// The target that is meant, which must be there.
pub(super) fn open(target: &Target) -> Result<SqliteStore, Failure> {
    let Target::Sqlite(path) = target;
    let options = SqliteOptions::default().with_busy_timeout(BUSY_TIMEOUT);
    Ok(SqliteStore::open_existing(path, options)?)
}

/// A lane for people: its name, with its key where it has one.
pub(super) fn address_of(lane: &LaneOverview) -> String {
    address(&lane.name, lane.key.as_deref())
}

/// As [`address_of`].
pub(super) fn address(name: &str, key: Option<&str>) -> String {
    key.map_or_else(|| name.to_owned(), |key| format!("{name}/{key}"))
}

/// Refuses a name or a key of which the target knows nothing: a slip of the hand must not look like
/// something that was done.
pub(super) fn check_known(
    overview: &Overview,
    target: &Target,
    name: &str,
    key: Option<&str>,
) -> Result<(), Failure> {
    let names: BTreeSet<&str> = overview
        .lanes
        .iter()
        .map(|lane| lane.name.as_str())
        .collect();
    if !names.contains(name) {
        let suggestion = did_you_mean(name, names.iter().copied());
        let known = match names.is_empty() {
            true => "no projection has run into it".to_owned(),
            false => format!("it has {}", Vec::from_iter(names).join(", ")),
        };
        let message = format!("{target} knows no projection `{name}`; {known}{suggestion}");
        return Err(Failure::usage(message));
    }
    let Some(key) = key else { return Ok(()) };
    let keys = || {
        overview
            .lanes_of(name, None)
            .filter_map(|lane| lane.key.as_deref())
    };
    if keys().any(|known| known == key) {
        return Ok(());
    }
    let suggestion = did_you_mean(key, keys());
    let known: Vec<&str> = keys().collect();
    let known = match known.is_empty() {
        true => "it has not run".to_owned(),
        false => format!("its lanes have the key(s) {}", known.join(", ")),
    };
    let message =
        format!("projection {name} has no lane with the key `{key}`; {known}{suggestion}");
    Err(Failure::usage(message))
}

/// The one lane that is meant.
pub(super) fn one_lane(
    overview: &Overview,
    addressed: &Addressed,
) -> Result<LaneOverview, Failure> {
    let Addressed {
        name, key, store, ..
    } = addressed;
    check_known(overview, store, name, key.as_deref())?;
    let mut lanes = overview.lanes_of(name, key.as_deref());
    match (lanes.next(), lanes.next()) {
        (Some(lane), None) if lane.key.is_some() => Ok(lane.clone()),
        (Some(_), Some(_)) => {
            let keys = overview
                .lanes_of(name, None)
                .filter_map(|lane| lane.key.as_deref());
            let keys = keys.collect::<Vec<_>>().join(", ");
            Err(Failure::usage(format!(
                "projection {name} has several lanes; name one with --key: {keys}"
            )))
        }
        _ => Err(Failure::at_run_time(format!(
            "projection {name} has no lane: it has not run into this target yet"
        ))),
    }
}

/// The identity of a lane that has a key.
pub(super) fn identity(lane: &LaneOverview) -> Result<ProjectionId, Failure> {
    let key = lane.key.as_deref().unwrap_or_default();
    Ok(ProjectionId::new(&lane.name, key)?)
}

/// Whether a process is there that runs the lane.
pub(super) fn is_run(lane: &LaneOverview) -> bool {
    let owner = lane.owner.as_ref();
    owner.is_some_and(|owner| owner.liveness == Liveness::Alive)
}

/// Who holds a lane, until when, and what of it.
pub(super) fn held_by(lane: &LaneOverview) -> String {
    let Some(owner) = &lane.owner else {
        return "nobody runs it".to_owned();
    };
    let until = owner.expires_at;
    let until = until.map_or_else(String::new, |at| format!(" until {}", moment(at)));
    match owner.liveness {
        Liveness::Alive => format!("{} holds it{until}", owner.label),
        Liveness::Silent => format!("{} holds it{until} and is silent", owner.label),
        Liveness::Dead => format!("{} ran it and died", owner.label),
    }
}
