//! Tells which events made a row, and what each of them did.
//!
//! [`past`] is what the projection has read, [`retelling`] applies it again and tells what becomes
//! of a few rows, [`verdict`] compares the end with the table; the other files are what a person
//! asks for and gets to see.

pub(crate) mod arguments;
pub(in crate::commands) mod json;
pub(in crate::commands) mod key;
pub(in crate::commands) mod past;
pub(in crate::commands) mod retelling;
mod subject;
pub(in crate::commands) mod text;
pub(in crate::commands) mod values;
pub(in crate::commands) mod verdict;
pub(in crate::commands) mod waiting;

use projectionist_core::row::{OwnedCell, Table};
use projectionist_language::model::Projection;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore, SqliteView};

pub(crate) use self::arguments::ExplainArguments;
use self::past::Past;
use self::retelling::{Book, retell};
use self::subject::Subject;
use self::values::{Row, stored_row, text_of};
use self::verdict::Verdict;
use self::waiting::Waiting;
use crate::args::Format;
use crate::exit::Failure;
use crate::output::{print, print_line, tell};
use crate::place::Target;

/// What is told of a row.
struct Story<'a> {
    past: &'a Past,
    projection: &'a Projection,
    table: &'a Table,
    key: Vec<String>,
    book: &'a Book,
    verdict: Verdict<'a>,
}

impl Story<'_> {
    /// The values of the key, in its order.
    fn key(&self) -> &[String] {
        &self.key
    }
}

pub(crate) fn execute(arguments: &ExplainArguments) -> Result<(), Failure> {
    let Target::Sqlite(path) = &arguments.store;
    let store = SqliteStore::open_existing(path, SqliteOptions::default())?;
    let runtime = super::run::blocking_runtime()?;
    runtime.block_on(explain(&store, arguments))
}

async fn explain(store: &SqliteStore, arguments: &ExplainArguments) -> Result<(), Failure> {
    // Closed before the events are read: of the target nothing more is needed.
    let view = store.view()?;
    let Subject {
        declared,
        table,
        row,
    } = subject::find(past::declared(&view)?, arguments)?;
    let mut past = past::find(&view, declared, arguments.from.as_ref()).await?;
    let actual = row_of(&view, store, &table, &row.key)?;
    drop(view);
    let mut books = [Book::new(actual, arguments.limit)];
    let waiting = Waiting::start(arguments.format, "reading the events");
    let unplaced = retell(&past, std::slice::from_ref(&row), &mut books).await?;
    drop(waiting);
    if unplaced > 0 {
        past.notes.push(format!(
            "{unplaced} event(s) of the same entities cannot be applied and do not tell whose row \
             they are about"
        ));
    }
    let [book] = &books;
    let Some(projection) = past.projection() else {
        return Ok(());
    };
    let story = Story {
        key: stored_row(&row.key).iter().map(text_of).collect(),
        verdict: Verdict::of(projection, book),
        past: &past,
        projection,
        table: &table,
        book,
    };
    match arguments.format {
        Format::Json => print_line(json::render(&story))?,
        Format::Text => {
            for note in &past.notes {
                tell(format_args!("note: {note}"));
            }
            print(text::render(&story))?;
        }
    }
    match story.verdict.is_equal() {
        true => Ok(()),
        false => Err(Failure::at_run_time("the row is not as its events make it")),
    }
}

/// The row as it stands; `None` where there is none, or no table.
fn row_of(
    view: &SqliteView,
    store: &SqliteStore,
    table: &Table,
    key: &[OwnedCell],
) -> Result<Option<Row>, Failure> {
    if !view.tables(&table.name.name)?.contains(&table.name) {
        return Ok(None);
    }
    store.check_tables(table)?;
    Ok(view.row(table, key)?)
}
