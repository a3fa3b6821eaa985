//! Two processes, one store, one source, and the people who manage them.

use std::sync::Arc;

use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, OffsetStore, ParkedStore};
use projectionist_core::{Counters, Offset};
use projectionist_engine::{ProjectionHandle, ProjectionRuntime, ProjectionStatus, WhenHeld};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{TestClock, TestSource, pass};

use crate::asked::{self, Asked, UnderWay};
use crate::blueprint::Parts;
use crate::common::model::Tables;
use crate::common::store::Verb;
use crate::common::{SteeredStore, id, millis, secs};
use crate::oracle::{Oracle, ParkedKeys, ranges};
use crate::script::{Asker, Script, Slot, Step, Wish};
use crate::subject::{Faults, Subject};
use crate::trace::{ProcessId, Trace};
use crate::traced_source::TracedSource;
use crate::written::Record;

/// The one who manages through the store.
const MANAGER: ProcessId = 0;

/// What a script came to.
pub(crate) struct Outcome {
    pub(crate) handled: usize,
    pub(crate) commits: usize,
    pub(crate) answers: usize,
}

/// A process: an owner of lanes with a connection to the store.
struct Process {
    number: ProcessId,
    runtime: ProjectionRuntime,
    store: SteeredStore,
    handle: Option<Arc<ProjectionHandle>>,
}

pub(crate) struct World {
    clock: TestClock,
    store: MemoryStore,
    manager: SteeredStore,
    source: TestSource<u64>,
    faults: Faults,
    trace: Trace,
    slots: [Process; 2],
    last_number: ProcessId,
    under_way: Vec<UnderWay>,
    oracle: Oracle,
    answers: usize,
}

impl Process {
    fn born(number: ProcessId, store: &MemoryStore, trace: &Trace) -> Self {
        Self {
            number,
            runtime: ProjectionRuntime::new(),
            store: SteeredStore::over(store.clone()).heard_by(trace.ear(number)),
            handle: None,
        }
    }
}

impl World {
    pub(crate) fn new(script: &Script) -> Self {
        let clock = TestClock::new();
        let store = MemoryStore::with_clock(Arc::new(clock.clone()));
        let trace = Trace::default();
        let mut source = TestSource::of([]);
        if script.settings.inclusive {
            source = source.inclusive();
        }
        if script.settings.verifies {
            source = source.verifying();
        }
        Self {
            slots: [1, 2].map(|number| Process::born(number, &store, &trace)),
            last_number: 2,
            manager: SteeredStore::over(store.clone()).heard_by(trace.ear(MANAGER)),
            clock,
            store,
            source,
            faults: Faults::default(),
            trace,
            under_way: Vec::new(),
            oracle: Oracle::of(script.settings),
            answers: 0,
        }
    }

    pub(crate) async fn take(&mut self, step: &Step) {
        let last = self.oracle.written.last();
        match *step {
            Step::Push(events) => (0..events).for_each(|_| self.push()),
            Step::PushMalformed => {
                self.source.push_malformed("no JSON", b"{");
                self.oracle.written.push(Record::Malformed);
            }
            Step::Meet {
                ahead,
                fault,
                times,
            } => self.faults.plan(last + ahead, fault, times),
            Step::Refuse { ahead } => self.faults.refuse(last + ahead),
            Step::NotVouchedFor { ahead } => self.source.refuse(last + ahead),
            Step::VerificationFails => self.source.fail_next_verification("away"),
            Step::SourceFails => self.source.fail_behind(last, "away"),
            Step::SourcePanics => self.source.panic_behind(last),
            Step::OpenFails => self.source.fail_next_open("away"),
            Step::StoreFails(slot, verb, fault) => {
                self.oracle.looks_spoilt += u32::from(verb == Verb::Manage);
                self.slots[slot].store.plan(verb, fault);
            }
            Step::SlowCommits(slot, delay) => {
                let store = &self.slots[slot].store;
                store.slow_down(Verb::Commit, millis(delay));
            }
            Step::Stop(slot) => self.stop(slot).await,
            Step::Spawn(slot) => self.spawn(slot, WhenHeld::Wait).await,
            Step::Steal(slot) => {
                self.stop(slot).await;
                self.spawn(slot, WhenHeld::Steal).await;
            }
            Step::Crash(slot) => self.crash(slot),
            Step::ClaimsExpire => self.clock.jump(secs(11)),
            Step::Pass(duration) => pass(millis(duration)).await,
            Step::Ask(asker, wish) => self.ask(asker, wish),
        }
    }

    fn push(&mut self) {
        self.source.push(self.oracle.written.last() + 1);
        self.oracle.written.push(Record::Event);
    }

    async fn stop(&mut self, slot: Slot) {
        if let Some(handle) = self.slots[slot].handle.take() {
            // How it ended is no matter here: it may have failed before.
            let _ended = tokio::time::timeout(secs(300), handle.stop_and_wait())
                .await
                .expect("a stop ends");
        }
    }

    async fn spawn(&mut self, slot: Slot, when_held: WhenHeld) {
        let ended = |handle: &Arc<ProjectionHandle>| handle.status().is_terminal();
        if self.slots[slot].handle.as_ref().is_some_and(ended) {
            self.stop(slot).await;
        }
        let Process {
            number,
            runtime,
            store,
            handle,
        } = &mut self.slots[slot];
        if handle.is_some() {
            return;
        }
        let (by, trace, source) = (*number, self.trace.clone(), self.source.clone());
        let parts = Parts {
            runtime,
            source: TracedSource {
                source: source.clone(),
                trace: trace.clone(),
                by,
            },
            subject: Subject {
                faults: self.faults.clone(),
                trace,
                by,
                source,
                store: store.clone(),
            },
            when_held,
        };
        let spawned = self.oracle.settings.spawn(parts);
        *handle = Some(Arc::new(spawned.unwrap()));
    }

    fn crash(&mut self, slot: Slot) {
        self.last_number += 1;
        let next = Process::born(self.last_number, &self.store, &self.trace);
        let dead = std::mem::replace(&mut self.slots[slot], next);
        dead.store.die();
        let asked_it = |call: &mut UnderWay| call.by == Some(dead.number);
        let asked_it = self.under_way.extract_if(.., asked_it);
        asked_it.for_each(UnderWay::forget);
    }

    fn ask(&mut self, asker: Asker, wish: Wish) {
        let last = self.oracle.written.last();
        let asked = Asked::of(asker, wish, last, self.oracle.low);
        let call = match asker {
            Asker::Store => {
                asked::of_store(&self.manager, wish, asked.clone(), last, self.trace.clone())
            }
            Asker::Handle(slot) => {
                let Process { number, handle, .. } = &self.slots[slot];
                let Some(handle) = handle.clone() else { return };
                let trace = self.trace.clone();
                asked::of_handle(handle, *number, wish, asked.clone(), last, trace)
            }
        };
        self.oracle.asked(&asked);
        self.under_way.push(call);
    }

    /// Judges what happened, and compares what is in the store with it.
    pub(crate) async fn check(&mut self) {
        for process in &self.slots {
            let stopped = |handle: &Arc<ProjectionHandle>| {
                matches!(handle.status(), ProjectionStatus::Stopped)
            };
            let by_itself = process.handle.as_ref().is_some_and(stopped);
            assert!(!by_itself, "it stopped, and nobody asked it to");
        }
        loop {
            self.judge().await;
            if self.faults.hold_a_transaction() {
                return;
            }
            let Some(seen) = Seen::in_store(&self.store).await else {
                return;
            };
            if !self.trace.is_empty() {
                // Something happened between two of the reads.
                continue;
            }
            return self.compare(&seen);
        }
    }

    async fn judge(&mut self) {
        loop {
            for entry in self.trace.take() {
                self.oracle.judge(entry);
            }
            let is_answered = |call: &mut UnderWay| call.is_answered();
            let answered: Vec<UnderWay> = self.under_way.extract_if(.., is_answered).collect();
            if answered.is_empty() {
                return;
            }
            for call in answered {
                let asked = call.asked.clone();
                let answer = call.answer().await;
                self.answers += 1;
                for entry in self.trace.take() {
                    self.oracle.judge(entry);
                }
                self.oracle.answered(&asked, &answer);
            }
        }
    }

    fn compare(&self, seen: &Seen) {
        let oracle = &self.oracle;
        assert_eq!(seen.offset, oracle.low);
        assert_eq!(seen.replay_until, oracle.replay_until, "replay until");
        assert_eq!(seen.counters, oracle.counters);
        assert_eq!(seen.letters, oracle.letters, "letters");
        assert_eq!(seen.source_letters, oracle.source_letters, "source letters");
        assert_eq!(seen.ahead, oracle.by_key.ahead, "ahead");
        assert_eq!(seen.parked, oracle.by_key.parked(), "parked");
        if oracle.settings.guarantee.is_transactional() {
            assert_eq!(seen.tables, oracle.tables, "at {:?}", oracle.low);
        }
    }

    /// Lets everything that is written be handled and everyone be answered.
    pub(crate) async fn finish(mut self) -> Outcome {
        self.faults.heal();
        for process in &self.slots {
            process.store.heal();
        }
        // Whoever waits for the next record.
        self.push();
        self.spawn(0, WhenHeld::Wait).await;
        self.until_all_is_done().await;
        for slot in [0, 1] {
            self.stop(slot).await;
        }
        self.check().await;
        assert!(self.oracle.is_all_settled());
        Outcome {
            handled: self.oracle.handled,
            commits: self.oracle.commits,
            answers: self.answers,
        }
    }

    /// Waits until everything is settled and everyone is answered.
    async fn until_all_is_done(&mut self) {
        for look in 1..=1_200 {
            self.check().await;
            if self.oracle.is_all_settled() && self.under_way.is_empty() {
                return;
            }
            if look % 10 == 0 {
                // A fault that was met before may have ended the projection for good, and someone
                // whose turn came late may have paused the lane once more.
                self.spawn(0, WhenHeld::Wait).await;
                if self.oracle.is_paused() {
                    self.ask(Asker::Store, Wish::Resume);
                    self.ask(Asker::Store, Wish::ResumeAll);
                }
            }
            pass(millis(100)).await;
        }
        let handles = self.slots.each_ref().map(|process| process.handle.as_ref());
        panic!(
            "not done within two minutes: settled {} of {}; {:?}; {:?}",
            self.oracle.settled(),
            self.oracle.written.last(),
            self.under_way,
            handles.map(|handle| handle.map(|handle| handle.status())),
        );
    }
}

/// What the store holds at one moment.
struct Seen {
    offset: Option<u64>,
    replay_until: Option<u64>,
    counters: Counters,
    tables: Tables,
    letters: Vec<u64>,
    source_letters: Vec<u64>,
    ahead: Vec<(u64, u64)>,
    parked: ParkedKeys,
}

impl Seen {
    async fn in_store(store: &MemoryStore) -> Option<Self> {
        let lane = store.lane(&id()).await.unwrap()?;
        Some(Self {
            offset: position(lane.offset.as_ref()),
            replay_until: position(lane.replay_until.as_ref()),
            counters: lane.counters,
            tables: Tables::of(store).await,
            letters: letters(store, id().name()).await,
            source_letters: letters(store, "").await,
            ahead: ranges(&lane.ahead),
            parked: parked(store).await,
        })
    }
}

fn position(offset: Option<&Offset>) -> Option<u64> {
    offset.map(|offset| offset.text.parse().unwrap())
}

async fn parked(store: &MemoryStore) -> ParkedKeys {
    let mut parked = ParkedKeys::new();
    for key in store.parked_keys(&id(), usize::MAX).await.unwrap() {
        let key = key.first.key;
        let envelopes = store.parked(&id(), &key, usize::MAX).await.unwrap();
        let envelopes = envelopes.iter();
        let envelopes = envelopes.map(|one| (one.offset.text.parse().unwrap(), one.attempts));
        parked.insert(key, envelopes.collect());
    }
    parked
}

/// The offsets of the letters of a projection.
async fn letters(store: &MemoryStore, projection: &str) -> Vec<u64> {
    let filter = DeadLetterFilter {
        projection: Some(projection.to_owned()),
        limit: usize::MAX,
        ..DeadLetterFilter::default()
    };
    let letters = store.dead_letters(&filter).await.unwrap();
    let offsets = letters
        .iter()
        .map(|stored| stored.letter.offset.text.parse().unwrap());
    offsets.collect()
}
