//! Tells where every projection of a target stands.

use std::collections::BTreeMap;

use projectionist_core::contract::{DeclarationStore, OffsetStore};
use projectionist_core::{Clock, Counters, LaneState, ProjectionId, SystemClock, Timestamp};
use projectionist_engine::claim::process;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};
use serde_json::{Value, json};

use crate::args::{Format, StatusArguments};
use crate::commands::counts;
use crate::exit::Failure;
use crate::output::{TextTable, print, print_line};
use crate::place::Target;

pub(crate) fn execute(arguments: &StatusArguments) -> Result<(), Failure> {
    let Target::Sqlite(path) = &arguments.store;
    let store = SqliteStore::open_existing(path, SqliteOptions::default())?;
    let lanes = super::run::blocking_runtime()?.block_on(read(&store))?;
    match arguments.format {
        Format::Text if lanes.is_empty() => print_line("no projection has run into this target"),
        Format::Text => print(as_text(&lanes)),
        Format::Json => print_line(as_json(&lanes)),
    }
}

/// What is told of one lane.
struct Lane {
    id: ProjectionId,
    state: LaneState,
    /// What it does, and who does it.
    activity: String,
}

async fn read(store: &SqliteStore) -> Result<Vec<Lane>, Failure> {
    let now = SystemClock.now();
    let declarations = store.declarations().await?;
    let mut lanes = Vec::new();
    for (id, state) in store.lanes().await? {
        let withdrawn = declarations
            .iter()
            .any(|kept| kept.withdrawn && kept.declaration.projection == id.name());
        let activity = match withdrawn && state.holder.is_none() {
            true => "not declared".to_owned(),
            false => activity(&state, now),
        };
        lanes.push(Lane {
            id,
            state,
            activity,
        });
    }
    Ok(lanes)
}

/// What a lane does, as far as its row and this machine tell.
fn activity(state: &LaneState, now: Timestamp) -> String {
    let Some(holder) = &state.holder else {
        return "stopped".to_owned();
    };
    let label = holder.owner.label();
    if holder.owner.process.as_ref().is_some_and(process::is_dead) {
        return format!("stopped ({label} died)");
    }
    if holder.expires_at <= now {
        return format!("lost ({label} is silent)");
    }
    format!("running ({label})")
}

fn as_text(lanes: &[Lane]) -> String {
    let counters: Vec<&Counters> = lanes.iter().map(|lane| &lane.state.counters).collect();
    let columns = counts::columns(&counters);
    let headings = columns.iter().map(|(heading, _)| *heading);
    let headings = ["PROJECTION", "KEY", "STATE"]
        .into_iter()
        .chain(headings)
        .chain(["OFFSET"]);
    let mut table = TextTable::with_headings(headings);
    for Lane {
        id,
        state,
        activity,
    } in lanes
    {
        let counts = columns
            .iter()
            .map(|(_, of)| of(&state.counters).to_string());
        let offset = state
            .offset
            .as_ref()
            .map_or_else(|| "none".to_owned(), ToString::to_string);
        let identity = [id.name().to_owned(), id.key().to_owned(), activity.clone()];
        table.push(identity.into_iter().chain(counts).chain([offset]));
    }
    table.render()
}

fn as_json(lanes: &[Lane]) -> Value {
    let mut projections: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for Lane {
        id,
        state,
        activity,
    } in lanes
    {
        projections.entry(id.name()).or_default().push(json!({
            "key": id.key(),
            "state": activity,
            "epoch": state.epoch.0,
            "offset": state.offset.as_ref().map(|offset| &offset.text),
            "manifest": state.offset.as_ref().map(|offset| &offset.manifest),
            "updated_at": state.updated_at.map(|at| at.unix_millis),
            "counters": counts::as_json(&state.counters),
            "malformed": state.counters.malformed,
        }));
    }
    json!({ "projections": projections })
}
