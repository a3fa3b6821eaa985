//! Looks at dead letters, replays and discards them.

pub(crate) mod admin;
mod declaration;
mod discard;
mod list;
mod order;
mod outcome;
mod replay;
mod report;
mod select;
mod show;
mod shown;

use std::time::Duration;

use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use crate::args::dead_letters::{DeadLetters, Selection};
use crate::exit::Failure;
use crate::place::Target;

/// How long a letter waits for other writers: a run that catches up writes nearly all the time.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn execute(arguments: &DeadLetters) -> Result<(), Failure> {
    super::run::blocking_runtime()?.block_on(async {
        match arguments {
            DeadLetters::List(list) => list::execute(list).await,
            DeadLetters::Show(show) => show::execute(show).await,
            DeadLetters::Replay(replay) => replay::execute(replay).await,
            DeadLetters::Discard(discard) => discard::execute(discard).await,
        }
    })
}

/// The target that is meant, which must be there.
fn open(selection: &Selection) -> Result<SqliteStore, Failure> {
    let Target::Sqlite(path) = &selection.store;
    let options = SqliteOptions::default().with_busy_timeout(BUSY_TIMEOUT);
    Ok(SqliteStore::open_existing(path, options)?)
}
