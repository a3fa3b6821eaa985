//! Tells what a change asks of the tables that are there.

use std::path::Path;

use clap::Args;
use projectionist_language::diff::{Class, diff_all};
use projectionist_language::{Change, Program};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use super::deployment::deployed_programs;
use crate::exit::Failure;
use crate::output::print_line;
use crate::place::Target;

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// The declarations before: a file, a compiled file, or a target for what is deployed there
    old: String,
    /// The declarations after, likewise
    new: String,
}

pub(crate) fn execute(arguments: &DiffArguments) -> Result<(), Failure> {
    let (old, new) = (programs(&arguments.old)?, programs(&arguments.new)?);
    let changes = diff_all(&old, &new);
    for change in &changes {
        print_line(change)?;
    }
    let class = changes.iter().map(|change| change.class).max();
    print_line(class.map_or_else(|| "none".to_owned(), |class| class.to_string()))?;
    match class {
        None | Some(Class::Additive) => Ok(()),
        Some(Class::NeedsRebuild) => Err(Failure::needs_rebuild("")),
        Some(Class::Incompatible) => Err(Failure::incompatible("")),
    }
}

/// The declarations of a file or a target.
fn programs(place: &str) -> Result<Vec<Program>, Failure> {
    if !place.starts_with("sqlite:") {
        return Ok(vec![super::load(Path::new(place))?]);
    }
    let Target::Sqlite(path) = place.parse().map_err(Failure::usage)?;
    let store = SqliteStore::open_existing(path, SqliteOptions::default())?;
    let programs = super::run::blocking_runtime()?.block_on(deployed_programs(&store))?;
    Ok(programs)
}

/// As [`refusal`], of what no rebuild could mend.
pub(super) fn refusal_of(incompatible: &[Change]) -> Option<Failure> {
    refusal(incompatible, true)
}

/// The changes as lines that say what is wrong with them, where they are more than additions; with
/// `from_now_on` where they are more than what a rebuild could mend.
pub(super) fn refusal(changes: &[Change], from_now_on: bool) -> Option<Failure> {
    let taken = if from_now_on {
        Class::NeedsRebuild
    } else {
        Class::Additive
    };
    let class = changes.iter().map(|change| change.class).max()?;
    if class <= taken {
        return None;
    }
    let wrong = changes
        .iter()
        .filter(|change| change.class > Class::Additive);
    let lines: Vec<String> = wrong
        .map(|change| {
            let Change {
                projection,
                what,
                class,
                why,
            } = change;
            let remedy = match class {
                Class::Incompatible => "",
                _ => {
                    "; build it anew with `projectionist rebuild NAME --ir FILE`, use a new target, \
                     or keep the rows as they are and let it hold for what follows, where the \
                     table keeps its shape: `deploy --from-now-on`"
                }
            };
            format!("nothing was done: projection {projection}: {what}: {class}: {why}{remedy}")
        })
        .collect();
    match class {
        Class::Additive => None,
        Class::NeedsRebuild => Some(Failure::needs_rebuild(lines.join("\n"))),
        Class::Incompatible => Some(Failure::incompatible(lines.join("\n"))),
    }
}
