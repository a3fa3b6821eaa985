//! Two processes, one store, one source, and what is expected of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, OffsetStore};
use projectionist_core::{Counters, Offset};
use projectionist_engine::{
    ClaimConfig, GroupConfig, Projection, ProjectionHandle, ProjectionRuntime, Recovery,
    RestartBackoff, RetryDelay, SaveConfig, WhenHeld,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, TestClock, TestSource, eventually, pass};

use crate::common::model::{Model, Tables};
use crate::common::store::Verb;
use crate::common::{SteeredStore, id, millis, secs};
use crate::oracle::{Record, Written};
use crate::script::{Process, Script, Step};

/// Which guarantee is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guarantee {
    AtLeastOnce,
    GroupedExactlyOnce,
}

/// What a script came to.
pub(crate) struct Outcome {
    pub(crate) events: usize,
    pub(crate) repeats: usize,
    pub(crate) failures: usize,
}

/// A process: an owner of lanes with a connection to the store.
struct Owner {
    runtime: ProjectionRuntime,
    store: SteeredStore,
    handle: Option<ProjectionHandle>,
}

pub(crate) struct World {
    guarantee: Guarantee,
    script: Script,
    clock: TestClock,
    source: TestSource<u64>,
    recorder: Recorder<u64>,
    owners: [Owner; 2],
    written: Written,
    /// The furthest that the lane was seen.
    settled: u64,
    /// What may have made someone handle events again that were not saved.
    disruptions: u64,
}

impl World {
    pub(crate) fn new(guarantee: Guarantee, script: &Script) -> Self {
        let clock = TestClock::new();
        let inner = MemoryStore::with_clock(Arc::new(clock.clone()));
        let owner = || Owner {
            runtime: ProjectionRuntime::new(),
            store: SteeredStore::over(inner.clone()),
            handle: None,
        };
        let source = TestSource::of([]);
        Self {
            guarantee,
            script: script.clone(),
            clock,
            source: if script.inclusive {
                source.inclusive()
            } else {
                source
            },
            recorder: Recorder::default(),
            owners: [owner(), owner()],
            written: Written::default(),
            settled: 0,
            disruptions: 0,
        }
    }

    pub(crate) async fn take(&mut self, step: &Step) {
        match *step {
            Step::Push(events) => (0..events).for_each(|_| self.push()),
            Step::PushMalformed => {
                self.source.push_malformed("no JSON", b"{");
                self.written.records.push(Record::Malformed);
            }
            Step::Fail { ahead, times } => {
                self.recorder.fail_at(self.written.last() + ahead, times)
            }
            Step::Panic { ahead } => self.recorder.panic_at(self.written.last() + ahead),
            Step::Refuse { ahead } => {
                let position = self.written.last() + ahead;
                self.recorder.refuse(position);
                self.written.refused.insert(position);
            }
            Step::SourceFails => self.source.fail_behind(self.written.last(), "away"),
            Step::StoreFails(process, verb, fault) => {
                // A claim may end before its renewal is tried again. A save that fails is tried
                // once more before the restart, and that one may be the next to fail.
                self.disruptions += u64::from(matches!(verb, Verb::Renew | Verb::Commit));
                self.owners[process].store.plan(verb, fault);
            }
            Step::SlowCommits(process, delay) => {
                let store = &self.owners[process].store;
                store.slow_down(Verb::Commit, millis(delay));
            }
            Step::Stop(process) => self.stop(process).await,
            Step::Spawn(process) => self.spawn(process, WhenHeld::Wait).await,
            Step::Steal(process) => {
                self.disruptions += 1;
                self.stop(process).await;
                self.spawn(process, WhenHeld::Steal).await;
            }
            Step::ClaimsExpire => {
                self.disruptions += 1;
                self.clock.jump(secs(11));
            }
            Step::Pass(duration) => pass(millis(duration)).await,
        }
    }

    fn push(&mut self) {
        self.source.push(self.written.last() + 1);
        self.written.records.push(Record::Event);
    }

    async fn stop(&mut self, process: Process) {
        if let Some(handle) = self.owners[process].handle.take() {
            // How it ended is no matter here: it may have failed before.
            let _ended = tokio::time::timeout(secs(300), handle.stop_and_wait())
                .await
                .expect("a stop ends");
        }
    }

    async fn spawn(&mut self, process: Process, when_held: WhenHeld) {
        let ended = |handle: &ProjectionHandle| handle.status().is_terminal();
        if self.owners[process].handle.as_ref().is_some_and(ended) {
            self.stop(process).await;
        }
        if self.owners[process].handle.is_some() {
            return;
        }
        let handle = match self.guarantee {
            Guarantee::AtLeastOnce => self.spawn_singles(process, when_held),
            Guarantee::GroupedExactlyOnce => self.spawn_groups(process, when_held),
        };
        self.owners[process].handle = Some(handle);
    }

    fn spawn_singles(&self, process: Process, when_held: WhenHeld) -> ProjectionHandle {
        let Owner { runtime, store, .. } = &self.owners[process];
        let recorder = self.recorder.clone();
        let factory = move || recorder.handler();
        let projection =
            Projection::at_least_once(id(), self.source.clone(), store.clone(), factory)
                .with_save(SaveConfig {
                    after_envelopes: self.script.save_after,
                    max_unsaved: self.script.max_unsaved,
                    ..SaveConfig::default()
                })
                .with_claim(claim(when_held))
                .with_recovery(self.recovery())
                .with_restart(restarts())
                .with_observer(self.recorder.observer());
        runtime.spawn(projection).unwrap()
    }

    fn spawn_groups(&self, process: Process, when_held: WhenHeld) -> ProjectionHandle {
        let Owner { runtime, store, .. } = &self.owners[process];
        let recorder = self.recorder.clone();
        let factory = move || Model::of(&recorder);
        let projection =
            Projection::grouped_exactly_once(id(), self.source.clone(), store.clone(), factory)
                .with_group(GroupConfig {
                    max_envelopes: self.script.group,
                    ..GroupConfig::default()
                })
                .isolating_data_errors()
                .with_claim(claim(when_held))
                .with_recovery(self.recovery())
                .with_restart(restarts())
                .with_observer(self.recorder.observer());
        runtime.spawn(projection).unwrap()
    }

    fn recovery(&self) -> Recovery {
        Recovery::RetryAndFail {
            retries: self.script.retries,
            delay: RetryDelay::Fixed(millis(50)),
        }
    }

    /// What must hold at any moment.
    pub(crate) async fn check(&mut self) {
        let Some(seen) = Seen::in_store(&self.owners[0].store.inner).await else {
            return;
        };
        let offset = seen.offset;
        assert!(
            offset >= self.settled,
            "moved back from {} to {offset}",
            self.settled
        );
        self.settled = offset;
        let written = &self.written;
        assert_eq!(seen.counters, written.counters(offset), "at {offset}");
        assert_eq!(seen.source_letters, written.malformed(offset));
        assert_eq!(seen.letters, written.bad(offset));
        match self.guarantee {
            Guarantee::GroupedExactlyOnce => {
                assert_eq!(seen.tables, written.tables(offset), "at {offset}");
            }
            Guarantee::AtLeastOnce => {
                let handled: BTreeSet<u64> = self.recorder.handled().into_iter().collect();
                let mut good = written.good(offset).into_iter();
                let lost = good.find(|event| !handled.contains(event));
                assert_eq!(lost, None, "passed at {offset} and never handled");
            }
        }
    }

    /// Lets everything that is written be handled, and checks what came out.
    pub(crate) async fn finish(mut self) -> Outcome {
        for process in [0, 1] {
            self.stop(process).await;
        }
        let last = self.written.last();
        // Every event may take a commit of its own; the end shall not take minutes.
        self.owners[0].store.slow_down(Verb::Commit, millis(0));
        self.spawn(0, WhenHeld::Steal).await;
        self.disruptions += 1;
        let inner = self.owners[0].store.inner.clone();
        eventually("everything is settled", async || {
            pass(millis(50)).await;
            crate::common::stored(&inner).await.unwrap_or(0) >= last
        })
        .await;
        self.stop(0).await;
        self.check().await;
        assert_eq!(self.settled, last, "everything is settled");
        let handled = self.recorder.handled();
        let repeats = handled.len() - handled.iter().collect::<BTreeSet<_>>().len();
        if self.guarantee == Guarantee::AtLeastOnce {
            self.check_repeats(&handled, repeats);
        }
        Outcome {
            events: self.written.good(last).len(),
            repeats,
            failures: self.recorder.count("observer.failed"),
        }
    }

    /// At-least-once handles events first in their order, and again only what a disruption left
    /// unsaved.
    fn check_repeats(&self, handled: &[u64], repeats: usize) {
        let mut furthest = 0;
        let firsts = handled.iter().filter(|event| {
            let is_first = **event > furthest;
            furthest = furthest.max(**event);
            is_first
        });
        let firsts: Vec<u64> = firsts.copied().collect();
        assert_eq!(
            firsts,
            self.written.good(self.written.last()),
            "first in order"
        );
        let bound = self.script.max_unsaved * self.disruptions;
        assert!(
            repeats as u64 <= bound,
            "{repeats} repeated; {} disruptions allow {bound}",
            self.disruptions
        );
    }
}

fn claim(when_held: WhenHeld) -> ClaimConfig {
    ClaimConfig {
        when_held,
        ..ClaimConfig::default()
    }
}

fn restarts() -> RestartBackoff {
    RestartBackoff {
        min_backoff: millis(100),
        max_backoff: secs(1),
        random_factor: 0.0,
        ..RestartBackoff::default()
    }
}

/// What the store holds at one moment.
struct Seen {
    offset: u64,
    counters: Counters,
    tables: Tables,
    letters: Vec<u64>,
    source_letters: Vec<u64>,
}

impl Seen {
    async fn in_store(store: &MemoryStore) -> Option<Self> {
        loop {
            let lane = store.lane(&id()).await.unwrap()?;
            let seen = Self {
                offset: position(lane.offset.as_ref()),
                counters: lane.counters,
                tables: Tables::of(store).await,
                letters: letters(store, "orders").await,
                source_letters: letters(store, "").await,
            };
            // A commit between two of the reads would show a moment that never was.
            let after = store.lane(&id()).await.unwrap()?;
            if position(after.offset.as_ref()) == seen.offset {
                return Some(seen);
            }
        }
    }
}

fn position(offset: Option<&Offset>) -> u64 {
    offset.map_or(0, |offset| offset.text.parse().unwrap())
}

/// The offsets of the letters of a projection.
async fn letters(store: &MemoryStore, projection: &str) -> Vec<u64> {
    let filter = DeadLetterFilter {
        projection: Some(projection.to_owned()),
        limit: usize::MAX,
    };
    let letters = store.dead_letters(&filter).await.unwrap();
    let offsets = letters
        .iter()
        .map(|stored| stored.letter.offset.text.parse().unwrap());
    offsets.collect()
}
