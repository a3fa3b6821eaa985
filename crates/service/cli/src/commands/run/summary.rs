//! What became of the events, at the end of a run.

use projectionist_core::contract::OffsetStore;
use projectionist_core::{Counters, Offset, ProjectionId};
use projectionist_store_sqlite::SqliteStore;
use serde_json::{Map, Value, json};

use super::plan::Plan;
use crate::args::{Format, RunArguments};
use crate::commands::counts;
use crate::exit::Failure;
use crate::output::TextTable;
use crate::place::{Source, Target};

/// One projection of the run, as its row stands at the end.
struct Line<'a> {
    name: &'a str,
    counters: Counters,
    offset: Option<Offset>,
}

/// Prints the summary; gives the number of dead letters that the run's projections have kept.
pub(super) async fn print(
    store: &SqliteStore,
    plan: &Plan<'_>,
    arguments: &RunArguments,
) -> Result<u64, Failure> {
    let mut lines = Vec::new();
    for name in plan.names() {
        let id = ProjectionId::new(name, plan.key())?;
        let state = store.lane(&id).await?;
        let counters = state
            .as_ref()
            .map(|state| state.counters)
            .unwrap_or_default();
        lines.push(Line {
            name,
            counters,
            offset: state.and_then(|state| state.offset),
        });
    }
    // Every projection reads the same source: the one that is furthest has read most of it.
    let read = lines
        .iter()
        .map(|line| line.counters.read)
        .max()
        .unwrap_or(0);
    let malformed = lines
        .iter()
        .map(|line| line.counters.malformed)
        .max()
        .unwrap_or(0);
    let dead_letters = lines
        .iter()
        .map(|line| line.counters.dead_lettered)
        .sum::<u64>()
        + malformed;
    match arguments.format {
        Format::Text => {
            print!("{}", as_text(&lines));
            println!("{}", last_line(&arguments.from, read, malformed));
            if dead_letters > 0 {
                println!("{}", hint(dead_letters, &arguments.into));
            }
        }
        Format::Json => println!("{}", as_json(&lines, read, malformed)),
    }
    Ok(dead_letters)
}

fn as_text(lines: &[Line<'_>]) -> String {
    let counters: Vec<&Counters> = lines.iter().map(|line| &line.counters).collect();
    let columns = counts::columns(&counters);
    let headings = columns.iter().map(|(heading, _)| *heading);
    let headings = ["PROJECTION"].into_iter().chain(headings).chain(["OFFSET"]);
    let mut table = TextTable::with_headings(headings);
    for line in lines {
        let counts = columns.iter().map(|(_, of)| of(&line.counters).to_string());
        let offset = line
            .offset
            .as_ref()
            .map_or_else(|| "none".to_owned(), ToString::to_string);
        table.push(
            [line.name.to_owned()]
                .into_iter()
                .chain(counts)
                .chain([offset]),
        );
    }
    table.render()
}

fn last_line(source: &Source, read: u64, malformed: u64) -> String {
    match malformed {
        0 => format!("{source}: {read} event(s) so far"),
        _ => format!("{source}: {read} event(s) and {malformed} malformed line(s) so far"),
    }
}

fn hint(dead_letters: u64, target: &Target) -> String {
    let Target::Sqlite(path) = target;
    let path = path.display();
    format!(
        "{dead_letters} dead letter(s): \
         sqlite3 {path} 'SELECT projection, \"offset\", field, value, error \
         FROM projectionist_dead_letters'"
    )
}

fn as_json(lines: &[Line<'_>], read: u64, malformed: u64) -> Value {
    let projections: Map<String, Value> = lines
        .iter()
        .map(|line| (line.name.to_owned(), counts::as_json(&line.counters)))
        .collect();
    json!({ "source": { "read": read, "malformed": malformed }, "projections": projections })
}
