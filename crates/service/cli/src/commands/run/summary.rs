//! What became of the events, at the end of a run.

use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, OffsetStore};
use projectionist_core::{Counters, Offset, ProjectionId};
use projectionist_store_sqlite::SqliteStore;
use serde_json::{Map, Value, json};

use super::plan::Plan;
use crate::args::{Format, RunArguments};
use crate::commands::counts;
use crate::exit::Failure;
use crate::output::{TextTable, print, print_line, shell_word};
use crate::place::{Source, Target};

/// One projection of the run, as its row stands at the end.
struct Line<'a> {
    name: &'a str,
    counters: Counters,
    offset: Option<Offset>,
}

/// What became of the events so far.
pub(super) struct Summary<'a> {
    lines: Vec<Line<'a>>,
    /// Whether letters of malformed records are kept still: their count stays when they go.
    keeps_malformed: bool,
}

impl<'a> Summary<'a> {
    /// Reads the rows of the run's projections.
    pub(super) async fn read(store: &SqliteStore, plan: &'a Plan<'_>) -> Result<Self, Failure> {
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
        let malformed = DeadLetterFilter {
            projection: Some(String::new()),
            limit: 1,
            ..DeadLetterFilter::default()
        };
        Ok(Self {
            lines,
            keeps_malformed: !store.dead_letters(&malformed).await?.is_empty(),
        })
    }

    /// About how many dead letters there are to look at.
    fn dead_letters_now(&self) -> u64 {
        match self.keeps_malformed {
            true => self.dead_letters(),
            false => self.dead_letters() - self.most(|counters| counters.malformed),
        }
    }

    /// How many dead letters the projections have kept, in this run and earlier ones.
    pub(super) fn dead_letters(&self) -> u64 {
        let kept: u64 = self
            .lines
            .iter()
            .map(|line| line.counters.dead_lettered)
            .sum();
        kept + self.most(|counters| counters.malformed)
    }

    /// The count of the projection that has most of it. Every projection reads the same source, so
    /// that one is furthest.
    fn most(&self, of: fn(&Counters) -> u64) -> u64 {
        self.lines
            .iter()
            .map(|line| of(&line.counters))
            .max()
            .unwrap_or(0)
    }

    /// Prints it.
    pub(super) fn print(&self, arguments: &RunArguments) -> Result<(), Failure> {
        let (read, malformed) = (self.most(|c| c.read), self.most(|c| c.malformed));
        match arguments.format {
            Format::Text => {
                print(as_text(&self.lines))?;
                print_line(last_line(&arguments.from, read, malformed))?;
                match self.dead_letters_now() {
                    0 => Ok(()),
                    dead_letters => print_line(hint(dead_letters, &arguments.into)),
                }
            }
            Format::Json => print_line(as_json(&self.lines, read, malformed)),
        }
    }
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
    let path = shell_word(&path.display().to_string());
    format!("{dead_letters} dead letter(s): projectionist dead-letters list --store sqlite:{path}")
}

fn as_json(lines: &[Line<'_>], read: u64, malformed: u64) -> Value {
    let projections: Map<String, Value> = lines
        .iter()
        .map(|line| (line.name.to_owned(), counts::as_json(&line.counters)))
        .collect();
    json!({ "source": { "read": read, "malformed": malformed }, "projections": projections })
}
