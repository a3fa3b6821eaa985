//! Pauses a projection, and waits until whoever runs it has obeyed.

use projectionist_core::contract::ManagementStore;
use projectionist_core::{OwnerState, SystemClock};
use projectionist_engine::{LaneCondition, LaneOverview, Liveness, Overview, ProjectionManagement};
use projectionist_store_sqlite::SqliteStore;
use tokio::time::{Duration, Instant, sleep};

use super::operating::{self, Outcome, Report, held_by};
use crate::args::operating::{Addressed, PauseArguments};
use crate::exit::Failure;
use crate::output::moment;

/// How often it is looked whether an owner has obeyed.
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(crate) fn execute(arguments: &PauseArguments) -> Result<(), Failure> {
    super::run::blocking_runtime()?.block_on(pause(arguments))
}

async fn pause(arguments: &PauseArguments) -> Result<(), Failure> {
    let PauseArguments {
        addressed,
        asking,
        before_first_run,
    } = arguments;
    let store = operating::open(&addressed.store)?;
    let (name, key) = (addressed.name.as_str(), addressed.key.as_deref());
    let overview = Overview::read(&store, &SystemClock).await?;
    if *before_first_run {
        // A name that cannot be one is refused before anything is stored.
        projectionist_core::ProjectionId::new(name, key.unwrap_or("all"))?;
    } else {
        operating::check_known(&overview, &addressed.store, name, key)?;
    }
    let flag = store
        .pause_flag(name, key)
        .await?
        .filter(|flag| flag.paused);
    let overview = match asking.dry_run {
        true => overview,
        false => {
            let management = ProjectionManagement::new(store.clone());
            management.pause(name, key).await?;
            obeyed(&store, addressed, asking.wait).await?
        }
    };
    let mut outcomes: Vec<Outcome> = overview
        .lanes_of(name, key)
        .map(|lane| outcome(lane, asking.dry_run))
        .collect();
    if outcomes.is_empty() {
        let details = vec!["it has not run; it begins paused".to_owned()];
        let word = if asking.dry_run {
            "would be paused"
        } else {
            "paused"
        };
        outcomes.push(Outcome::done(key, word, details));
    }
    if let (Some(flag), Some(first)) = (flag, outcomes.first_mut()) {
        let since = moment(flag.since);
        first
            .details
            .insert(0, format!("the flag was set already, since {since}"));
    }
    let report = Report {
        command: "pause",
        addressed,
        dry_run: asking.dry_run,
        outcomes,
    };
    report.print()
}

/// Waits until every living owner has obeyed, but no longer than `patience`.
async fn obeyed(
    store: &SqliteStore,
    addressed: &Addressed,
    patience: Duration,
) -> Result<Overview, Failure> {
    let deadline = Instant::now() + patience;
    loop {
        let overview = Overview::read(store, &SystemClock).await?;
        let waits = |lane: &LaneOverview| operating::is_run(lane) && !has_obeyed(lane);
        let mut lanes = overview.lanes_of(&addressed.name, addressed.key.as_deref());
        let is_over = !lanes.any(waits) || Instant::now() >= deadline;
        drop(lanes);
        if is_over {
            return Ok(overview);
        }
        sleep(LOOK_EVERY).await;
    }
}

fn has_obeyed(lane: &LaneOverview) -> bool {
    lane.condition == LaneCondition::Says(OwnerState::Paused) || lane.condition.is_stopped()
}

fn outcome(lane: &LaneOverview, dry_run: bool) -> Outcome {
    let liveness = lane.owner.as_ref().map(|owner| owner.liveness);
    let held = held_by(lane);
    let detail = match liveness {
        Some(Liveness::Alive) if dry_run => format!("{held}, and obeys within a second"),
        Some(Liveness::Alive) if has_obeyed(lane) => format!("{held} and handles nothing more"),
        Some(Liveness::Alive) => format!(
            "{held} and has not obeyed yet: what it is handling takes long. It obeys when that ends"
        ),
        Some(Liveness::Silent) => {
            format!("{held}: the pause holds as soon as it wakes, and for whoever runs it before")
        }
        Some(Liveness::Dead) | None => format!("{held}: the pause holds when it is started"),
    };
    let word = match dry_run {
        true => "would be paused",
        false => "paused",
    };
    Outcome::done(lane.key.as_deref(), word, vec![detail])
}
