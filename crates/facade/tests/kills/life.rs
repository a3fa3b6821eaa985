//! Starts processes one after the other on the same files, kills them, and looks what they left.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::ops::RangeInclusive;
use std::process::{Child, ChildStdout, Command, Stdio};

use projectionist::Counters;
use projectionist::contract::{DeadLetterFilter, DeadLetterStore, OffsetStore, ParkedStore};
use projectionist::sqlite::rusqlite::{Connection, OptionalExtension};
use projectionist::sqlite::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

use crate::child::{DONE, EVENTS, KILL, LOG, PLACE, VIEWS, id};
use crate::mode::Mode;
use crate::points::{Kill, Point};
use crate::source::Numbered;

/// The files that every process finds.
pub(crate) struct Place(TempDir);

/// What a process left.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Everything up to here is settled, as the store says.
    pub(crate) offset: u64,
    pub(crate) counters: Counters,
    /// The events whose letters are kept, in their order.
    pub(crate) letters: Vec<u64>,
    /// The events of the log, over all processes.
    pub(crate) log: Vec<u64>,
    /// The events of the table, in the order in which they came there.
    pub(crate) rows: Vec<u64>,
    /// What is settled above the offset, as the store says.
    pub(crate) ahead: Vec<RangeInclusive<u64>>,
    /// What is parked: by key, in order, the event and the attempts at it.
    pub(crate) parked: BTreeMap<String, Vec<(u64, u32)>>,
}

impl Place {
    pub(crate) fn with_events(events: u64) -> Self {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join(EVENTS), Numbered::content(events)).unwrap();
        Self(place)
    }

    /// Runs a process until it has come to `kill`.
    pub(crate) fn live_until(&self, mode: Mode, kill: &Kill) {
        let mut process = self.start(mode, Some(kill));
        let mut reached = 0;
        let found = process.lines(|line| {
            reached += u64::from(Point::told_by(line) == Some(kill.point));
            reached == kill.count
        });
        assert!(found, "{mode:?} ended by itself before {kill:?}");
        drop(process);
    }

    /// Runs a process that nobody kills.
    pub(crate) fn live_to_the_end(&self, mode: Mode) {
        let mut process = self.start(mode, None);
        let done = process.lines(|line| line == DONE);
        assert!(done, "{mode:?} did not come to its end");
        assert!(process.child.wait().unwrap().success());
    }

    fn start(&self, mode: Mode, kill: Option<&Kill>) -> Process {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", mode.name(), "--nocapture"])
            .env(PLACE, self.0.path())
            .env_remove(KILL)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if let Some(kill) = kill {
            command.env(KILL, kill.text());
        }
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Process { child, output }
    }

    /// What is there after the last process.
    pub(crate) fn seen(&self) -> Seen {
        let path = |name| self.0.path().join(name);
        let mut seen = Seen {
            log: numbers(&std::fs::read_to_string(path(LOG)).unwrap_or_default()),
            ..Seen::default()
        };
        if !path(VIEWS).exists() {
            return seen;
        }
        let store = SqliteStore::open(path(VIEWS), SqliteOptions::default()).unwrap();
        if let Some(lane) = block_on(store.lane(&id())).unwrap() {
            let offset = lane.offset.map(|offset| offset.text.parse().unwrap());
            seen.offset = offset.unwrap_or_default();
            seen.counters = lane.counters;
            let position = |text: &String| text.parse::<u64>().unwrap();
            let ahead = lane.ahead.ranges.iter();
            seen.ahead = ahead
                .map(|range| position(&range.first)..=position(&range.last))
                .collect();
        }
        let filter = DeadLetterFilter {
            projection: Some(id().name().to_owned()),
            limit: usize::MAX,
            ..DeadLetterFilter::default()
        };
        let letters = block_on(store.dead_letters(&filter)).unwrap();
        let letters = letters.iter();
        seen.letters = letters
            .map(|kept| kept.letter.offset.text.parse().unwrap())
            .collect();
        seen.parked = block_on(parked(&store));
        seen.rows = rows(&Connection::open(path(VIEWS)).unwrap());
        seen
    }
}

/// The store works in place: a runtime has nothing to do beside it.
fn block_on<T>(call: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(call)
}

fn numbers(text: &str) -> Vec<u64> {
    text.lines().map(|line| line.parse().unwrap()).collect()
}

async fn parked(store: &SqliteStore) -> BTreeMap<String, Vec<(u64, u32)>> {
    let mut parked = BTreeMap::new();
    for key in store.parked_keys(&id(), usize::MAX).await.unwrap() {
        let key = key.first.key;
        let envelopes = store.parked(&id(), &key, usize::MAX).await.unwrap();
        let envelopes = envelopes.iter();
        let envelopes = envelopes.map(|one| (one.offset.text.parse().unwrap(), one.attempts));
        parked.insert(key, envelopes.collect());
    }
    parked
}

/// The table of the handlers in a transaction.
fn rows(client: &Connection) -> Vec<u64> {
    let there = "SELECT 1 FROM sqlite_schema WHERE name = 'seen'";
    let there = client.query_row(there, [], |_| Ok(())).optional();
    if there.unwrap().is_none() {
        return Vec::new();
    }
    let mut rows = client
        .prepare("SELECT event FROM seen ORDER BY place")
        .unwrap();
    let rows = rows.query_map([], |row| row.get::<_, i64>(0)).unwrap();
    rows.map(|event| u64::try_from(event.unwrap()).unwrap())
        .collect()
}

/// A process. Dropping it kills it with SIGKILL, and collects it: a dead owner is told by that.
struct Process {
    child: Child,
    /// Open until it is dead: whoever cannot say where he is panics, and does more than he said.
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Reads what it says until a line is the one; `false` when it ends before that.
    fn lines(&mut self, mut is_it: impl FnMut(&str) -> bool) -> bool {
        let mut lines = (&mut self.output).lines();
        lines.any(|line| is_it(&line.unwrap()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        self.child.wait().unwrap();
    }
}
