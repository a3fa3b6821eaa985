//! Two processes, one store, one source, and what is expected of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, OffsetStore};
use projectionist_engine::{
    ClaimConfig, GroupConfig, Projection, ProjectionHandle, ProjectionRuntime, Recovery,
    RestartBackoff, RetryDelay, SaveConfig, WhenHeld,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, TestClock, TestSource, eventually, pass};

use crate::common::model::{Model, Tables};
use crate::common::store::{Fault, Verb};
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
                // A claim may end before a renewal is tried again.
                self.disruptions += u64::from(verb == Verb::Renew || fault == Fault::AnswerLost);
                self.owners[process].store.plan(verb, fault);
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
        let inner = self.owners[0].store.inner.clone();
        let Some(lane) = inner.lane(&id()).await.unwrap() else {
            return;
        };
        let offset = lane.offset.map_or(0, |offset| offset.text.parse().unwrap());
        assert!(
            offset >= self.settled,
            "moved back from {} to {offset}",
            self.settled
        );
        self.settled = offset;
        let written = &self.written;
        assert_eq!(
            lane.counters,
            written.counters(offset),
            "counters at {offset}"
        );
        assert_eq!(letters(&inner, "").await, written.malformed(offset));
        assert_eq!(letters(&inner, "orders").await, written.bad(offset));
        match self.guarantee {
            Guarantee::GroupedExactlyOnce => {
                assert_eq!(
                    Tables::of(&inner).await,
                    written.tables(offset),
                    "at {offset}"
                );
            }
            Guarantee::AtLeastOnce => {
                let handled: BTreeSet<u64> = self.recorder.handled().into_iter().collect();
                let lost = written
                    .good(offset)
                    .into_iter()
                    .find(|event| !handled.contains(event));
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
        self.spawn(0, WhenHeld::Steal).await;
        self.disruptions += 1;
        let inner = self.owners[0].store.inner.clone();
        eventually("everything is settled", async || {
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
