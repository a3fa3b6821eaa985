//! Lets a paused projection go on.

use projectionist_core::contract::ManagementStore;
use projectionist_core::{PauseScope, SystemClock};
use projectionist_engine::{LaneOverview, Liveness, Overview, ProjectionManagement};

use super::operating::{self, Outcome, Report, held_by};
use crate::args::operating::ResumeArguments;
use crate::exit::Failure;
use crate::output::moment;

pub(crate) fn execute(arguments: &ResumeArguments) -> Result<(), Failure> {
    super::run::blocking_runtime()?.block_on(resume(arguments))
}

async fn resume(arguments: &ResumeArguments) -> Result<(), Failure> {
    let ResumeArguments { addressed, asking } = arguments;
    let store = operating::open(&addressed.store)?;
    let (name, key) = (addressed.name.as_str(), addressed.key.as_deref());
    let overview = Overview::read(&store, &SystemClock).await?;
    operating::check_known(&overview, &addressed.store, name, key)?;
    let was_paused = store
        .pause_flag(name, key)
        .await?
        .is_some_and(|flag| flag.paused);
    // The flags of a name and of its lanes are apart: the other one may be set too.
    let mut stays = Vec::new();
    for lane in overview.lanes_of(name, key) {
        let flag = match (key, lane.key.as_deref()) {
            (Some(_), _) => store.pause_flag(name, None).await?,
            (None, Some(own)) => store.pause_flag(name, Some(own)).await?,
            (None, None) => None,
        };
        stays.push(flag.filter(|flag| flag.paused).map(|flag| flag.since));
    }
    if !asking.dry_run {
        ProjectionManagement::new(store).resume(name, key).await?;
    }
    let lanes = overview.lanes_of(name, key).zip(stays);
    let outcomes = lanes.map(|(lane, stays)| match stays {
        Some(since) => {
            let scope = match key {
                None => PauseScope::Lane,
                Some(_) => PauseScope::AllLanes,
            };
            stays_paused(lane, scope, &moment(since))
        }
        None => goes_on(lane, was_paused, asking.dry_run),
    });
    let report = Report {
        command: "resume",
        addressed,
        dry_run: asking.dry_run,
        outcomes: outcomes.collect(),
    };
    report.print()
}

fn goes_on(lane: &LaneOverview, was_paused: bool, dry_run: bool) -> Outcome {
    let held = held_by(lane);
    let word = match (was_paused, dry_run) {
        (false, _) => "was not paused",
        (true, true) => "would be resumed",
        (true, false) => "resumed",
    };
    let detail = match lane.owner.as_ref().map(|owner| owner.liveness) {
        Some(Liveness::Alive) => format!("{held} and goes on within a second"),
        Some(Liveness::Silent) => format!("{held}: it goes on as soon as it wakes"),
        Some(Liveness::Dead) | None => format!("{held}: it goes on when it is started"),
    };
    let details = if was_paused { vec![detail] } else { Vec::new() };
    Outcome::done(lane.key.as_deref(), word, details)
}

fn stays_paused(lane: &LaneOverview, scope: PauseScope, since: &str) -> Outcome {
    let name = &lane.name;
    let reason = match scope {
        PauseScope::Lane => {
            let key = lane.key.as_deref().unwrap_or_default();
            format!(
                "it stays paused by its own flag, set {since}: projectionist resume {name} --key \
                 {key}"
            )
        }
        PauseScope::AllLanes => format!(
            "it stays paused by the flag of all lanes, set {since}: projectionist resume {name}"
        ),
    };
    Outcome::refused(lane.key.as_deref(), reason)
}
