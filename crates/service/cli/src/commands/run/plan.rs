//! Which projections run, and how.

use std::sync::Arc;

use projectionist_apply::{ApplyOptions, DeclaredCodec, DeclaredEvent, DeclaredProjection};
use projectionist_core::contract::{Mode, OffsetStore, SourceProvider, StartPosition};
use projectionist_core::{Clock, ProjectionId};
use projectionist_engine::{ClaimConfig, ProjectionHandle, ProjectionRuntime};
use projectionist_language::{Program, Retries, declaration_hash, model};
use projectionist_source_file::StreamSource;
use projectionist_store_sqlite::SqliteStore;

use super::as_declared::AsDeclared;
use super::progress::Progress;
use super::standard_input::{self, InputError};
use crate::args::{RunArguments, Start};
use crate::commands::blueprint::blueprint;
use crate::commands::files::file_source;
use crate::exit::Failure;
use crate::output::tell;
use crate::place::Source;

/// What runs.
pub(super) struct Plan<'a> {
    pub(super) program: Arc<Program>,
    /// Indexes into the projections of the program.
    pub(super) chosen: Vec<usize>,
    pub(super) store: SqliteStore,
    pub(super) arguments: &'a RunArguments,
    pub(super) progress: Progress,
    pub(super) input_error: InputError,
}

/// The projections that `--only` and `--except` leave.
pub(super) fn choose(program: &Program, arguments: &RunArguments) -> Result<Vec<usize>, Failure> {
    let RunArguments { only, except, .. } = arguments;
    let is_declared = |name: &&String| program.projections.iter().any(|p| *p.name == ***name);
    if let Some(unknown) = only.iter().chain(except).find(|name| !is_declared(name)) {
        let names: Vec<&str> = program.projections.iter().map(|p| &*p.name).collect();
        let names = names.join(", ");
        let message = format!("the file declares no projection `{unknown}`; it has {names}");
        return Err(Failure::usage(message));
    }
    let runs = |name: &str| {
        (only.is_empty() || only.iter().any(|n| n == name)) && !except.iter().any(|n| n == name)
    };
    let all = program.projections.iter().enumerate();
    let chosen: Vec<usize> = all
        .filter(|(_, p)| runs(&p.name))
        .map(|(index, _)| index)
        .collect();
    if chosen.is_empty() {
        return Err(Failure::usage("no projection is left to run"));
    }
    Ok(chosen)
}

impl Plan<'_> {
    /// The names of the projections that run.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.chosen
            .iter()
            .filter_map(|index| self.program.projections.get(*index))
            .map(|p| &*p.name)
    }

    /// The key of the lanes. Standard input is a new stream each run and never resumed, so its
    /// lanes are not those of a file.
    pub(super) fn key(&self) -> &'static str {
        match self.arguments.from {
            Source::File(_) | Source::Files(_) => "all",
            Source::StandardInput => "stdin",
        }
    }

    /// Tells for which projections `--start` does not hold: those that go on where they stand.
    pub(super) async fn tell_ignored_start(&self) -> Result<(), Failure> {
        // A stream is a new one each run, whatever was read of the one before.
        if self.arguments.start.is_none() || self.arguments.from == Source::StandardInput {
            return Ok(());
        }
        for name in self.names() {
            let lane = self
                .store
                .lane(&ProjectionId::new(name, self.key())?)
                .await?;
            if let Some(offset) = lane.and_then(|lane| lane.offset) {
                tell(format_args!(
                    "--start is ignored for projection {name}: it goes on behind {offset}"
                ));
            }
        }
        Ok(())
    }

    /// Starts every projection.
    pub(super) fn spawn(
        &self,
        runtime: &ProjectionRuntime,
        clock: &impl Clock,
    ) -> Result<Vec<ProjectionHandle>, Failure> {
        let codec = DeclaredCodec::new(&self.program);
        match &self.arguments.from {
            Source::StandardInput => {
                let readers = standard_input::copies(self.chosen.len(), &self.input_error);
                let source =
                    |reader| StreamSource::new("standard input", reader, codec.clone(), clock);
                self.spawn_with(runtime, &codec, readers.into_iter().map(source))
            }
            files => {
                let source = |_| file_source(files, codec.clone());
                let sources: Vec<_> = self.chosen.iter().map(source).collect::<Result<_, _>>()?;
                self.spawn_with(runtime, &codec, sources.into_iter())
            }
        }
    }

    fn spawn_with<P>(
        &self,
        runtime: &ProjectionRuntime,
        codec: &DeclaredCodec,
        sources: impl Iterator<Item = P>,
    ) -> Result<Vec<ProjectionHandle>, Failure>
    where
        P: SourceProvider<Envelope: AsRef<DeclaredEvent>>,
    {
        let mut handles = Vec::with_capacity(self.chosen.len());
        for (index, source) in self.chosen.iter().copied().zip(sources) {
            let options = self.options();
            let retries = self.retries(index);
            let declared = DeclaredProjection::new(&self.program, index, codec, options)?;
            let id = ProjectionId::new(declared.name(), self.key())?;
            let store = self.store.clone();
            let hash = self.hash(index);
            let handler = move || AsDeclared {
                handler: declared.handler(store.clone()),
                store: store.clone(),
                name: declared.name().to_owned(),
                hash: hash.clone(),
            };
            let store = self.store.clone();
            let rules = (retries, self.arguments.max_batch as usize);
            let projection = blueprint(id, source, store, handler, rules)
                .with_mode(self.mode())
                .with_start(self.start(index))
                .with_claim(self.claim())
                .with_observer(self.progress.observer());
            handles.push(runtime.spawn(projection)?);
        }
        Ok(handles)
    }

    fn options(&self) -> ApplyOptions {
        ApplyOptions {
            max_tenants: self.arguments.max_tenants,
            ..ApplyOptions::default()
        }
    }

    fn retries(&self, index: usize) -> Retries {
        let declared = self.program.projections.get(index);
        declared
            .map(|declared| declared.retries)
            .unwrap_or_default()
    }

    /// The hash of what the projection at `index` is declared as.
    fn hash(&self, index: usize) -> String {
        let declared = self.program.projections.get(index);
        declared
            .map(|declared| declaration_hash(&self.program, declared))
            .unwrap_or_default()
    }

    /// Standard input is read to its end in both cases.
    fn mode(&self) -> Mode {
        match self.arguments.from {
            Source::File(_) | Source::Files(_) if !self.arguments.once => Mode::Live,
            _ => Mode::Current,
        }
    }

    /// Where the projection at `index` begins that has not run: what the command says, else what the
    /// file does.
    fn start(&self, index: usize) -> StartPosition {
        let declared = self.program.projections.get(index).map(|one| one.start);
        match (self.arguments.start, declared) {
            (Some(Start::Latest), _) | (None, Some(model::Start::Latest)) => StartPosition::Latest,
            _ => StartPosition::Earliest,
        }
    }

    /// A run to the end waits for another owner no longer than it takes to tell that it lives.
    fn claim(&self) -> ClaimConfig {
        let ttl = self.arguments.claim_ttl;
        let wait_at_most = self.arguments.once.then_some(2 * ttl);
        ClaimConfig {
            ttl,
            wait_at_most,
            ..ClaimConfig::default()
        }
    }
}
