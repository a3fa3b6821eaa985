//! One run of the events of a case.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use projectionist_apply::{ApplyOptions, DeclaredCodec, DeclaredProjection};
use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, Mode, OffsetStore};
use projectionist_core::row::{OwnedCell, TableName};
use projectionist_core::{Counters, ProjectionId, SystemClock};
use projectionist_engine::{
    GroupConfig, Projection, ProjectionHandle, ProjectionRuntime, RestartBackoff,
};
use projectionist_language::Program;
use projectionist_source_file::StreamSource;
use projectionist_store_memory::MemoryStore;

use crate::exit::Failure;

/// The key of the lanes.
const KEY: &str = "all";

/// More dead letters than a file of cases has events.
const ALL_LETTERS: usize = 10_000_000;

/// How the events are grouped, and so which of them share a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grouping {
    Together,
    OneByOne,
}

/// A dead letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Letter {
    /// The number of its event; the first is 1.
    pub(super) event: u64,
    /// The projection; empty for a record that is no envelope.
    pub(super) projection: String,
    pub(super) field: Option<String>,
    pub(super) error: String,
}

/// The rows of a table, ordered by key.
pub(super) type Rows = Vec<Vec<OwnedCell>>;

/// What a run of the events left behind.
#[derive(Debug, Default)]
pub(super) struct Trial {
    pub(super) tables: BTreeMap<TableName, Rows>,
    /// By event, then by projection.
    pub(super) letters: Vec<Letter>,
    /// Of every projection of the program, in its order.
    pub(super) counters: Vec<Counters>,
}

impl Trial {
    /// Runs every projection of the program over `records`, from an empty store.
    pub(super) async fn run(
        program: &Arc<Program>,
        records: Vec<&str>,
        grouping: Grouping,
    ) -> Result<Self, Failure> {
        let store = MemoryStore::new();
        let mut lines = records.join("\n");
        if !records.is_empty() {
            lines.push('\n');
        }
        let lines: Arc<[u8]> = lines.into_bytes().into();
        let runtime = ProjectionRuntime::new();
        let codec = DeclaredCodec::new(program);
        let mut handles = Vec::with_capacity(program.projections.len());
        for index in 0..program.projections.len() {
            let options = ApplyOptions::default();
            let declared = DeclaredProjection::new(program, index, &codec, options)?;
            let id = ProjectionId::new(declared.name(), KEY)?;
            let reader = Cursor::new(Arc::clone(&lines));
            let source = StreamSource::new("the events", reader, codec.clone(), &SystemClock);
            let rows = store.clone();
            let handler = move || declared.handler(rows.clone());
            let projection = Projection::grouped_exactly_once(id, source, store.clone(), handler)
                .with_group(group(grouping))
                .isolating_data_errors()
                .with_mode(Mode::Current)
                .with_restart(never_again());
            handles.push(runtime.spawn(projection)?);
        }
        for handle in &handles {
            ended(handle).await?;
        }
        Self::read(&store, program).await
    }

    async fn read(store: &MemoryStore, program: &Program) -> Result<Self, Failure> {
        let mut trial = Self::default();
        for name in store.table_names().await {
            let rows = store.rows(&name).await;
            trial.tables.insert(name, rows);
        }
        for projection in &program.projections {
            let id = ProjectionId::new(&projection.name, KEY)?;
            let lane = store.lane(&id).await?;
            let counters = lane.map(|lane| lane.counters).unwrap_or_default();
            trial.counters.push(counters);
        }
        let filter = DeadLetterFilter {
            limit: ALL_LETTERS,
            ..DeadLetterFilter::default()
        };
        for stored in store.dead_letters(&filter).await? {
            trial.letters.push(Letter {
                event: number_of(&stored.letter.offset.text),
                projection: stored.projection,
                field: stored.letter.defect.field,
                error: stored.letter.defect.error,
            });
        }
        let by_event = |letter: &Letter| (letter.event, letter.projection.clone());
        trial.letters.sort_by_key(by_event);
        // Every projection reads a stream of its own, and keeps what is no envelope in it.
        trial.letters.dedup_by_key(|letter| by_event(letter));
        Ok(trial)
    }

    /// The rows of a table; none when no event made it.
    pub(super) fn rows(&self, table: &TableName) -> &[Vec<OwnedCell>] {
        self.tables.get(table).map_or(&[], Vec::as_slice)
    }
}

fn group(grouping: Grouping) -> GroupConfig {
    GroupConfig {
        max_envelopes: match grouping {
            Grouping::Together => 20_000,
            Grouping::OneByOne => 1,
        },
        max_bytes: 16 << 20,
        max_delay: Duration::from_secs(3_600),
        linger: Duration::from_secs(3_600),
    }
}

/// A stream of events can be read once only, and nothing here gets better by waiting.
fn never_again() -> RestartBackoff {
    RestartBackoff {
        max_restarts: Some(0),
        ..RestartBackoff::default()
    }
}

async fn ended(handle: &ProjectionHandle) -> Result<(), Failure> {
    match handle.wait().await {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::of_projection(handle.id().name(), &error)),
    }
}

/// The number of the event that a position is behind: its line, because every event is one.
fn number_of(position: &str) -> u64 {
    let line = position.rsplit(':').next();
    line.and_then(|line| line.parse().ok()).unwrap_or(0)
}
