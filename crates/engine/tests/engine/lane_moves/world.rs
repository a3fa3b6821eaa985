//! Three processes, one store, five lanes, and what is expected of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{LaneState, ProjectionId};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Handover, Recorder, TestClock, TestLaneGroup, eventually, pass};

use crate::common::model::Tables;
use crate::common::random::Random;
use crate::common::{applied, millis, secs};
use crate::lane_moves::ledger::Ledger;
use crate::lane_moves::process::{Guarantee, MAX_UNSAVED, Process, Recorders};

const LANES: [&str; 5] = ["a", "b", "c", "d", "e"];
const PROCESSES: usize = 3;

/// Events of lane `n` are numbered from `n * PART + 1` on: so each event is of one lane.
const PART: u64 = 100_000;

/// What the moves came to.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) events: usize,
    pub(crate) repeats: usize,
    pub(crate) kills: usize,
    pub(crate) freezes: usize,
    pub(crate) overdue: usize,
}

pub(crate) struct World {
    guarantee: Guarantee,
    random: Random,
    store: MemoryStore,
    group: TestLaneGroup<u64>,
    recorders: Recorders,
    ledger: Ledger,
    processes: Vec<Process>,
    pushed: BTreeMap<String, u64>,
    /// What may have made someone handle events of a lane again that were not saved.
    disruptions: BTreeMap<String, u64>,
    moved: usize,
    outcome: Outcome,
}

impl World {
    pub(crate) fn new(guarantee: Guarantee, seed: u64) -> Self {
        let store = MemoryStore::with_clock(Arc::new(TestClock::new()));
        let group = TestLaneGroup::new(PROCESSES, LANES);
        let recorders = LANES.map(|key| (key.to_owned(), Recorder::default()));
        let recorders: Recorders = Arc::new(recorders.into_iter().collect());
        let ledger = Ledger::default();
        let start =
            |member| Process::start(guarantee, group.member(member), &store, &recorders, &ledger);
        Self {
            guarantee,
            random: Random::seeded(seed),
            processes: (0..PROCESSES).map(start).collect(),
            store,
            group,
            recorders,
            ledger,
            pushed: BTreeMap::new(),
            disruptions: BTreeMap::new(),
            moved: 0,
            outcome: Outcome::default(),
        }
    }

    pub(crate) fn moved(&self) -> usize {
        self.moved
    }

    pub(crate) async fn step(&mut self) {
        for _ in 0..self.random.within(1..=4) {
            let key = self.lane();
            let events = self.random.within(1..=12);
            self.push(&key, events);
        }
        let key = self.lane();
        let to = self.process();
        match self.random.within(0..=9) {
            0..=5 => self.revoke(&key, to).await,
            6 => self.take_over(&key, to),
            7 => self.freeze(to),
            8 => self.thaw_all(),
            _ => self.kill(to).await,
        }
        pass(millis(self.random.within(0..=1_500))).await;
        self.check().await;
    }

    fn lane(&mut self) -> String {
        let index = self.random.within(0..=LANES.len() as u64 - 1);
        LANES[usize::try_from(index).unwrap()].to_owned()
    }

    fn process(&mut self) -> usize {
        usize::try_from(self.random.within(0..=PROCESSES as u64 - 1)).unwrap()
    }

    fn push(&mut self, key: &str, events: u64) {
        let index = LANES.iter().position(|lane| *lane == key).unwrap() as u64;
        let pushed = self.pushed.entry(key.to_owned()).or_default();
        for _ in 0..events {
            *pushed += 1;
            self.group.lane(key).push(index * PART + *pushed);
        }
    }

    fn disrupt(&mut self, key: &str) {
        *self.disruptions.entry(key.to_owned()).or_default() += 1;
    }

    /// Disrupts all lanes of a process.
    fn disrupt_all(&mut self, process: usize) {
        for key in LANES {
            if self.group.holder(key) == Some(process) {
                self.disrupt(key);
            }
        }
    }

    async fn revoke(&mut self, key: &str, to: usize) {
        if self.group.holder(key) == Some(to) {
            return;
        }
        self.moved += 1;
        let handover = self.group.move_lane(key, to, secs(5)).await;
        if handover == Handover::DeadlinePassed {
            self.outcome.overdue += 1;
            self.disrupt(key);
        }
    }

    fn take_over(&mut self, key: &str, to: usize) {
        if self.group.holder(key) != Some(to) {
            self.moved += 1;
            self.group.take_over(key, to);
            self.disrupt(key);
        }
    }

    fn freeze(&mut self, process: usize) {
        if !self.processes[process].is_frozen {
            self.outcome.freezes += 1;
            self.processes[process].freeze();
        }
    }

    /// Claims that ended meanwhile are asked for again, and what was not saved is repeated.
    fn thaw_all(&mut self) {
        for process in 0..PROCESSES {
            if self.processes[process].is_frozen {
                self.disrupt_all(process);
                self.processes[process].thaw();
            }
        }
    }

    /// A process dies at its next commit, and another one takes its place.
    async fn kill(&mut self, process: usize) {
        let keys = LANES.into_iter();
        let mut held = keys.filter(|key| self.group.holder(key) == Some(process));
        let Some(key) = held.next() else { return };
        if self.processes[process].is_frozen {
            return;
        }
        self.outcome.kills += 1;
        self.disrupt_all(process);
        let draw = self.random.next();
        self.processes[process].plan_death(draw);
        for _ in 0..200 {
            self.push(key, 4);
            pass(millis(300)).await;
            if self.processes[process].is_dead() {
                break;
            }
        }
        assert!(self.processes[process].is_dead(), "it came to no commit");
        let member = self.group.member(process);
        self.processes[process] = Process::start(
            self.guarantee,
            member,
            &self.store,
            &self.recorders,
            &self.ledger,
        );
    }

    async fn row(&self, key: &str) -> LaneState {
        let lane = ProjectionId::new("orders", key).unwrap();
        let row = self.store.lane(&lane).await.unwrap();
        row.unwrap_or_default()
    }

    /// What must hold at any moment.
    async fn check(&self) {
        self.ledger.check();
        let tables = Tables::of(&self.store).await;
        for (index, key) in LANES.into_iter().enumerate() {
            let row = self.row(key).await;
            let settled = row.offset.map_or(0, |offset| offset.text.parse().unwrap());
            assert_eq!(row.counters, applied(settled), "{key}");
            let events = |last| (1..=last).map(move |number| index as u64 * PART + number);
            match self.guarantee {
                Guarantee::AtLeastOnce => {
                    let handled: BTreeSet<u64> =
                        self.recorders[key].handled().into_iter().collect();
                    let lost = events(settled).find(|event| !handled.contains(event));
                    assert_eq!(lost, None, "{key} passed it and never handled it");
                }
                Guarantee::GroupedExactlyOnce => {
                    let lost = events(settled).find(|event| tables.seen.get(event) != Some(&1));
                    assert_eq!(lost, None, "{key} did not apply it once");
                }
            }
        }
    }

    /// Lets everything be handled, and checks what came out.
    pub(crate) async fn finish(mut self) -> Outcome {
        self.thaw_all();
        for key in LANES {
            let last = self.pushed.get(key).copied().unwrap_or_default();
            eventually("everything is settled", async || {
                pass(millis(100)).await;
                self.row(key).await.counters == applied(last)
            })
            .await;
        }
        for process in std::mem::take(&mut self.processes) {
            process.stop().await;
        }
        self.check().await;
        let all = || {
            LANES
                .into_iter()
                .enumerate()
                .map(|(index, key)| (index as u64, key))
        };
        let mut events = Vec::new();
        for (index, key) in all() {
            let last = self.pushed.get(key).copied().unwrap_or_default();
            let expected: Vec<u64> = (1..=last).map(|number| index * PART + number).collect();
            if self.guarantee == Guarantee::AtLeastOnce {
                self.outcome.repeats += self.check_repeats(key, &expected);
            }
            events.extend(expected);
        }
        self.outcome.events = events.len();
        if self.guarantee == Guarantee::GroupedExactlyOnce {
            assert_eq!(Tables::of(&self.store).await, Tables::fold(events));
        }
        self.outcome
    }

    /// Events are handled first in their order, and again only what a disruption left unsaved.
    fn check_repeats(&self, key: &str, expected: &[u64]) -> usize {
        let handled = self.recorders[key].handled();
        let mut furthest = 0;
        let firsts = handled.iter().filter(|event| {
            let is_first = **event > furthest;
            furthest = furthest.max(**event);
            is_first
        });
        let firsts: Vec<u64> = firsts.copied().collect();
        assert_eq!(firsts, expected, "first in order: {key}");
        let repeats = handled.len() - expected.len();
        let disruptions = self.disruptions.get(key).copied().unwrap_or_default();
        assert!(
            repeats as u64 <= MAX_UNSAVED * disruptions,
            "{repeats} repeated of {key}; {disruptions} disruptions"
        );
        repeats
    }
}
