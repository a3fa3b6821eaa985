//! Which projections are rebuilt, as what, and from what.

use std::sync::Arc;

use projectionist_apply::plain_table;
use projectionist_core::contract::{Declaration, DeclarationStore, OffsetStore, StoredDeclaration};
use projectionist_core::rebuild::{Beside, Rebuild, RebuildPhase};
use projectionist_core::{Clock, LaneState, ProjectionId, SystemClock};
use projectionist_language::diff::{Class, diff_all};
use projectionist_language::ir::COMPILER;
use projectionist_language::model::{Projection, Start};
use projectionist_language::{Program, declaration_hash, declaration_text, did_you_mean};
use projectionist_store_sqlite::SqliteStore;

use super::arguments::RebuildArguments;
use super::driver::Job;
use crate::commands::deployment::{absolute, programs};
use crate::commands::diff::refusal_of;
use crate::commands::files::{from_anywhere, kept_source, refuse_rotated};
use crate::commands::load;
use crate::exit::Failure;
use crate::place::Source;

/// The key of the lanes that read files.
pub(super) const KEY: &str = "all";

/// What there is to rebuild, one a name, in their order.
pub(super) async fn jobs(
    store: &SqliteStore,
    names: &[String],
    arguments: &RebuildArguments,
) -> Result<Vec<Job>, Failure> {
    let kept = store.declarations().await?;
    let old = programs(&kept)?;
    let new = match &arguments.ir {
        Some(file) => Some((load(file)?, absolute(file))),
        None => None,
    };
    if let Some((new, _)) = &new {
        let mut changes = diff_all(&old, std::slice::from_ref(new));
        changes.retain(|change| change.class == Class::Incompatible);
        if let Some(refused) = refusal_of(&changes) {
            return Err(refused);
        }
    }
    let lanes = store.lanes().await?;
    let planning = Planning {
        kept: &kept,
        old: &old,
        new: new
            .as_ref()
            .map(|(program, origin)| (program, origin.as_str())),
        lanes: &lanes,
        arguments,
    };
    let mut jobs = Vec::new();
    for name in names {
        // Without a name, a projection that the given file does not declare stays as it is.
        if arguments.name.is_none() && new.is_some() && planning.declared(name).is_none() {
            continue;
        }
        jobs.push(planning.job(name)?);
    }
    Ok(jobs)
}

/// What jobs are made from.
struct Planning<'a> {
    kept: &'a [StoredDeclaration],
    /// The declarations that are kept, each a program of its own.
    old: &'a [Program],
    /// The file that is to be built, with its path.
    new: Option<(&'a Program, &'a str)>,
    lanes: &'a [(ProjectionId, LaneState)],
    arguments: &'a RebuildArguments,
}

impl<'a> Planning<'a> {
    fn job(&self, name: &str) -> Result<Job, Failure> {
        let (program, projection) = self.declared(name).ok_or_else(|| self.unknown(name))?;
        let kept = self.stored(name);
        let declaration = match (self.new, kept) {
            (None, Some(kept)) => kept.declaration.clone(),
            (new, _) => Declaration {
                projection: name.to_owned(),
                text: declaration_text(program, projection),
                hash: declaration_hash(program, projection),
                version: COMPILER.to_owned(),
                origin: new.map_or(String::new(), |(_, origin)| origin.to_owned()),
            },
        };
        let source = self.source(name, kept)?;
        let live = find(self.old, name).map(|(_, old)| plain_table(old));
        let built = beside(projection);
        let shadow = plain_table(&built);
        let now = SystemClock.now();
        let rebuild = Rebuild {
            declaration,
            replaces: kept.map(|kept| kept.declaration.hash.clone()),
            live_table: live.as_ref().map(|live| Arc::clone(&live.name.name)),
            table: Arc::clone(&projection.table),
            source: source.to_string(),
            key: KEY.to_owned(),
            phase: RebuildPhase::default(),
            source_bytes: source.bytes(),
            began_at: now,
            resumed_at: now,
            resumed_read: 0,
        };
        // In place the projection itself is run, under its own name.
        let runs = match self.arguments.in_place {
            true => projection.clone(),
            false => built,
        };
        Ok(Job {
            rebuild,
            program: Arc::new(Program {
                envelope: program.envelope.clone(),
                projections: vec![runs],
            }),
            source,
            live,
            shadow,
            max_tenants: self.arguments.max_tenants,
        })
    }

    /// What the projection is built as.
    fn declared(&self, name: &str) -> Option<(&'a Program, &'a Projection)> {
        match self.new {
            Some((new, _)) => find(std::slice::from_ref(new), name),
            None => find(self.old, name),
        }
    }

    fn stored(&self, name: &str) -> Option<&'a StoredDeclaration> {
        let mut kept = self.kept.iter();
        kept.find(|kept| kept.declaration.projection == name)
    }

    fn unknown(&self, name: &str) -> Failure {
        let (holder, programs) = match self.new {
            Some((new, origin)) => (origin.to_owned(), std::slice::from_ref(new)),
            None => (self.arguments.store.to_string(), self.old),
        };
        let names = || {
            let projections = programs.iter().flat_map(|program| &program.projections);
            projections.map(|projection| &*projection.name)
        };
        let known: Vec<&str> = names().collect();
        let known = match &known[..] {
            [] => "none; name the file that does with --ir FILE".to_owned(),
            names => names.join(", "),
        };
        let suggestion = did_you_mean(name, names());
        Failure::usage(format!(
            "{holder} declares no projection `{name}`; it has {known}{suggestion}"
        ))
    }

    /// The files that hold all events of the projection.
    fn source(&self, name: &str, kept: Option<&StoredDeclaration>) -> Result<Source, Failure> {
        match &self.arguments.from {
            Some(Source::StandardInput) => return Err(Failure::usage(STANDARD_INPUT)),
            Some(source) => return Ok(from_anywhere(source)),
            None => {}
        }
        let others = self.lanes.iter().find(|(lane, state)| {
            lane.name() == name && lane.key() != KEY && state.counters.read > 0
        });
        if let Some((lane, state)) = others {
            return Err(Failure::usage(format!(
                "projection {name} has read {} event(s) under the key `{}`, which are not in one file \
                 with the others; name a file that holds all of them with --from FILE",
                state.counters.read,
                lane.key(),
            )));
        }
        let mut own = self.lanes.iter().filter(|(lane, _)| lane.name() == name);
        own.try_for_each(|(_, state)| refuse_rotated(name, state))?;
        match kept.and_then(|kept| kept.source.as_deref()) {
            Some("-") => Err(Failure::usage(format!(
                "projection {name} was first run from standard input; {STANDARD_INPUT}"
            ))),
            Some(source) => kept_source(source),
            None => Err(Failure::usage(format!(
                "the target does not tell what projection {name} was run from; name it with \
                 --from FILE"
            ))),
        }
    }
}

const STANDARD_INPUT: &str = "standard input cannot be read again from its beginning; write the \
                              events into a file and name that with --from FILE";

fn find<'p>(programs: &'p [Program], name: &str) -> Option<(&'p Program, &'p Projection)> {
    programs.iter().find_map(|program| {
        let mut projections = program.projections.iter();
        let found = projections.find(|projection| *projection.name == *name)?;
        Some((program, found))
    })
}

/// The projection under the names that it is built under. It begins with the first event, whatever
/// it began with when it was new.
fn beside(projection: &Projection) -> Projection {
    Projection {
        name: Beside::Shadow.projection(&projection.name).into(),
        table: Beside::Shadow.table(&projection.table),
        start: Start::Earliest,
        ..projection.clone()
    }
}
