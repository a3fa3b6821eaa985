//! What the projections are whose letters are looked at.

use std::path::Path;

use projectionist_language::{Envelope, Program, did_you_mean};
use projectionist_store_sqlite::SqliteStore;

use crate::commands::deployment::deployed_programs;
use crate::commands::load;
use crate::exit::Failure;

/// The declaration of the projection `name`, or of all: in `file`, else as the target keeps them.
pub(super) async fn declaration_of(
    store: &SqliteStore,
    name: Option<&str>,
    file: Option<&Path>,
) -> Result<Program, Failure> {
    let (program, holder) = match file {
        Some(file) => (load(file)?, file.display().to_string()),
        None => (kept(store, name).await?, store.path().display().to_string()),
    };
    if let Some(name) = name
        && !program.projections.iter().any(|p| *p.name == *name)
    {
        let names = || program.projections.iter().map(|p| &*p.name);
        let suggestion = did_you_mean(name, names());
        let known: Vec<&str> = names().collect();
        let known = match &known[..] {
            [] => "no declarations yet; name the file with --file FILE".to_owned(),
            names => names.join(", "),
        };
        return Err(Failure::usage(format!(
            "{holder} declares no projection `{name}`; it has {known}{suggestion}"
        )));
    }
    Ok(program)
}

/// What the target keeps, as one program.
async fn kept(store: &SqliteStore, name: Option<&str>) -> Result<Program, Failure> {
    let mut programs = deployed_programs(store).await?;
    let declares = |program: &Program, name: &str| {
        let mut projections = program.projections.iter();
        projections.any(|projection| *projection.name == *name)
    };
    if let Some(at) = name.and_then(|name| programs.iter().position(|one| declares(one, name))) {
        return Ok(programs.swap_remove(at));
    }
    let mut programs = programs.into_iter();
    let mut all = programs.next().unwrap_or_else(nothing);
    for program in programs {
        if program.envelope != all.envelope {
            return Err(Failure::usage(
                "the projections of this target read events in different envelopes; name one of \
                 them, or the file that declares them with --file FILE",
            ));
        }
        all.projections.extend(program.projections);
    }
    Ok(all)
}

/// What events are read by where no projection needs to be known: the envelope of `file`, else of
/// what the target keeps, or the usual one.
pub(super) async fn envelope_of(
    store: &SqliteStore,
    name: Option<&str>,
    file: Option<&Path>,
) -> Result<Program, Failure> {
    match file {
        Some(file) => load(file),
        None => kept(store, name).await,
    }
}

/// A program without projections.
fn nothing() -> Program {
    Program {
        envelope: Envelope::default(),
        projections: Vec::new(),
    }
}
