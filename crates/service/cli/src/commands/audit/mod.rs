//! Compares the tables of a projection with what its events make.
//!
//! [`replay`] applies the events in memory, [`compare`] looks for rows that differ, [`sample`] finds
//! the events that wrote them; [`report`] is what a person gets to see.

pub(crate) mod arguments;
mod compare;
mod replay;
mod report;
mod sample;

use std::collections::BTreeSet;

use projectionist_apply::{check_tenant, plain_table};
use projectionist_core::row::TableName;
use projectionist_language::model::Projection;
use projectionist_store_memory::MemoryStore;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore, SqliteView};

pub(crate) use self::arguments::AuditArguments;
use self::compare::Compared;
use self::replay::Replayed;
use self::sample::Sampled;
use super::explain::past::{self, Past};
use super::explain::values::stored_row;
use super::explain::waiting::Waiting;
use crate::args::Format;
use crate::exit::Failure;
use crate::output::{print, print_line, tell};
use crate::place::Target;

/// What an audit found.
struct Findings<'a> {
    past: &'a Past,
    projection: &'a Projection,
    compared: Vec<Compared>,
    sampled: Vec<Sampled>,
    /// How many events were applied in memory, or passed over as in a run.
    events: u64,
}

impl Findings<'_> {
    /// How many rows are not as the events make them.
    fn wrong(&self) -> u64 {
        self.compared.iter().map(Compared::wrong).sum()
    }
}

pub(crate) fn execute(arguments: &AuditArguments) -> Result<(), Failure> {
    let Target::Sqlite(path) = &arguments.store;
    let store = SqliteStore::open_existing(path, SqliteOptions::default())?;
    let runtime = super::run::blocking_runtime()?;
    runtime.block_on(audit(&store, arguments))
}

async fn audit(store: &SqliteStore, arguments: &AuditArguments) -> Result<(), Failure> {
    let tenant = arguments.tenant.as_deref();
    if let Some(tenant) = tenant.filter(|tenant| !tenant.is_empty()) {
        check_tenant(tenant).map_err(|defect| Failure::usage(defect.error))?;
    }
    // Open until the rows are compared: offset, letters and rows are those of one moment.
    let view = store.view()?;
    let declared = past::named(past::declared(&view)?, &arguments.name, &arguments.store)?;
    let mut past = past::find(&view, declared, arguments.from.as_ref()).await?;
    if let Some(projection) = past.projection() {
        store.check_tables(&plain_table(projection))?;
    }
    let waiting = Waiting::start(arguments.format, "applying the events in memory");
    let replayed = replay::replay(&past, tenant).await?;
    note_letters(&mut past, &replayed);
    let Some(projection) = past.projection() else {
        return Ok(());
    };
    let compared = tables(&view, &replayed.store, projection, arguments).await?;
    drop(view);
    let sampled = sample::histories(&past, projection, &compared).await?;
    drop(waiting);
    let findings = Findings {
        past: &past,
        projection,
        compared,
        sampled,
        events: replayed.counters.read,
    };
    match arguments.format {
        Format::Json => print_line(report::as_json(&findings, arguments))?,
        Format::Text => {
            for note in &past.notes {
                tell(format_args!("note: {note}"));
            }
            print(report::as_text(&findings, arguments))?;
        }
    }
    match findings.wrong() {
        0 => Ok(()),
        wrong => Err(Failure::at_run_time(format!(
            "{wrong} row(s) of projection {} are not as its events make them",
            projection.name
        ))),
    }
}

/// Notes what became of events that cannot be applied.
fn note_letters(past: &mut Past, replayed: &Replayed) {
    let kept = past.letters.len();
    if kept > 0 {
        past.notes.push(format!(
            "{kept} event(s) of which the target keeps a dead letter are left out"
        ));
    }
    let without = replayed.without_letter;
    if without > 0 && past.until.is_some() {
        past.notes.push(format!(
            "{without} event(s) cannot be applied and have no dead letter in the target: they were \
             replayed or given up since; what a replay did to a row is not known here"
        ));
    }
}

/// Compares every table of the projection, or that of one tenant.
async fn tables(
    view: &SqliteView,
    memory: &MemoryStore,
    projection: &Projection,
    arguments: &AuditArguments,
) -> Result<Vec<Compared>, Failure> {
    let mut table = plain_table(projection);
    let mut names: BTreeSet<TableName> = view.tables(&projection.table)?.into_iter().collect();
    names.extend(memory.table_names().await);
    if let Some(asked) = &arguments.tenant {
        names.retain(|name| name.tenant.as_deref().unwrap_or_default() == asked);
    }
    let mut compared = Vec::new();
    let mut left = arguments.sample;
    for name in names {
        let rows = memory.rows(&name).await;
        let expected = rows.iter().map(|row| stored_row(row)).collect();
        table.name = name;
        let one = compare::compare(view, &table, expected, left)?;
        left -= one.sample.len();
        compared.push(one);
    }
    Ok(compared)
}
