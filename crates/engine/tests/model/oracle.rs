//! The naive model: what may be in the store, told from what was written and from what happened.

mod by_key;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use projectionist_core::{Commit, Counters, DeadLetterOrigin};
use tokio::time::Instant;

use by_key::ByKey;
pub(crate) use by_key::{ParkedKeys, ranges};

use crate::asked::{Answer, Asked};
use crate::common::model::Tables;
use crate::guarantee::Guarantee;
use crate::life::{Life, Outcome};
use crate::script::Settings;
use crate::trace::{Entry, Failure, ProcessId};
use crate::written::{Record, Written};

/// How long an owner may take to see a flag that another process has set, and then once more so
/// long for each look that fails.
const SEES_A_FLAG_WITHIN: Duration = Duration::from_millis(1_000);

/// What may be in the store.
#[derive(Debug)]
pub(crate) struct Oracle {
    pub(crate) settings: Settings,
    pub(crate) written: Written,
    /// Everything up to here is settled; `None` before the first commit and after a clear.
    pub(crate) low: Option<u64>,
    /// The furthest that the lane ever was, stored or not.
    furthest: u64,
    pub(crate) replay_until: Option<u64>,
    pub(crate) counters: Counters,
    /// Events that were read and whose outcome is not stored.
    pending: u64,
    /// The letters of the projection and of its source, in the order of keeping.
    pub(crate) letters: Vec<u64>,
    pub(crate) source_letters: Vec<u64>,
    pub(crate) tables: Tables,
    epoch: u64,
    lives: BTreeMap<ProcessId, Life>,
    moves: Moves,
    /// Positions that someone asked to pass over.
    skips_asked: BTreeSet<u64>,
    /// Positions that were passed over without an attempt.
    passed_unattempted: BTreeSet<u64>,
    paused: [Option<Instant>; 2],
    /// Looks for flags that a fault may have spoilt.
    pub(crate) looks_spoilt: u32,
    pub(crate) handled: usize,
    pub(crate) commits: usize,
    /// For what settles by key.
    pub(crate) by_key: ByKey,
}

/// Where the lane was asked to be moved.
#[derive(Debug, Default)]
struct Moves {
    asked: Vec<(Option<Option<u64>>, Option<u64>)>,
    done: Vec<Option<u64>>,
    told: Vec<Option<u64>>,
}

impl Oracle {
    pub(crate) fn of(settings: Settings) -> Self {
        Self {
            settings,
            written: Written::default(),
            low: None,
            furthest: 0,
            replay_until: None,
            counters: Counters::ZERO,
            pending: 0,
            letters: Vec::new(),
            source_letters: Vec::new(),
            tables: Tables::default(),
            epoch: 0,
            lives: BTreeMap::new(),
            moves: Moves::default(),
            skips_asked: BTreeSet::new(),
            passed_unattempted: BTreeSet::new(),
            paused: [None; 2],
            looks_spoilt: 0,
            handled: 0,
            commits: 0,
            by_key: ByKey::default(),
        }
    }

    /// The position of `low`; 0 for the beginning.
    pub(crate) fn settled(&self) -> u64 {
        self.low.unwrap_or(0)
    }

    /// Someone asks for something.
    pub(crate) fn asked(&mut self, asked: &Asked) {
        if let Asked::Move { expected, to } = asked {
            self.moves.asked.push((*expected, *to));
        }
    }

    /// Someone was answered.
    pub(crate) fn answered(&mut self, asked: &Asked, answer: &Answer) {
        let Ok(named) = answer else { return };
        match asked {
            Asked::Move { to, .. } => {
                self.moves.told.push(*to);
                let count = |list: &[Option<u64>]| list.iter().filter(|one| *one == to).count();
                assert!(
                    count(&self.moves.told) <= count(&self.moves.done),
                    "told that the lane was moved to {to:?}, and it was not"
                );
            }
            Asked::Skip => {
                let at = named.unwrap();
                assert!(
                    self.passed_unattempted.contains(&at),
                    "told that {at} was passed over, and it was not"
                );
            }
            Asked::WaitUntil(position) => {
                let by_key = self.settings.guarantee.settles_by_key();
                let furthest = if by_key { 0 } else { self.furthest };
                let events = self.written.between(furthest, *position);
                let left: Vec<u64> = events
                    .filter(|(_, record)| *record == Record::Event)
                    .map(|(position, _)| position)
                    .filter(|event| !by_key || !self.may_have_passed(*event))
                    .collect();
                assert_eq!(left, [0; 0], "told that {position} is processed");
            }
            Asked::Other => {}
        }
    }

    /// Judges what happened.
    pub(crate) fn judge(&mut self, entry: Entry) {
        match entry {
            Entry::Claimed { by, epoch } => {
                assert_eq!(epoch, self.epoch + 1, "the epoch of a grant");
                self.epoch = epoch;
                self.life(by).epoch = epoch;
            }
            Entry::Opened { by, behind } => self.opened(by, behind),
            Entry::NotVouchedFor { by, position } => {
                let outcomes = &mut self.life(by).outcomes;
                outcomes.insert(position, Outcome::NotVouchedFor);
                self.may_be_passed(position);
            }
            Entry::Began {
                by,
                events,
                replay,
                at,
            } => self.began(by, events, replay, at),
            Entry::Handled { by, last } if self.settings.guarantee.settles_by_key() => {
                self.handled_by_key(by, last);
            }
            Entry::Failed { by, last, why } if self.settings.guarantee.settles_by_key() => {
                self.failed_by_key(by, last, why);
            }
            Entry::Handled { by, .. } => self.handled(by),
            Entry::Failed { by, why, .. } => {
                let last = self.life(by).last_begun();
                self.life(by).ended(Outcome::Failed(why));
                if why == Failure::Dropped {
                    self.may_be_passed(last);
                }
            }
            Entry::CommitAsked { by, at } => {
                let timeout = self.settings.timeout;
                self.life(by).commit_asked(at, timeout);
            }
            Entry::Committed { by, epoch, commit } => {
                self.commits += 1;
                assert_eq!(epoch, self.epoch, "a superseded claim of {by} committed");
                if commit.reset {
                    self.moved(&commit);
                } else {
                    self.committed(by, &commit);
                }
            }
            Entry::Flagged {
                all_lanes,
                paused,
                at,
            } => {
                let flag = &mut self.paused[usize::from(all_lanes)];
                *flag = paused.then(|| flag.unwrap_or(at));
                if !paused {
                    let lives = self.lives.values_mut();
                    lives.for_each(|life| life.paused_here = false);
                }
            }
            Entry::SkipAsked { position } => {
                self.skips_asked.insert(position);
            }
            Entry::PausedHere { by } => {
                self.life(by).paused_here = self.is_paused();
            }
        }
    }

    fn life(&mut self, by: ProcessId) -> &mut Life {
        self.lives.entry(by).or_default()
    }

    fn opened(&mut self, by: ProcessId, behind: Option<u64>) {
        let (low, epoch, replay_until) = (self.low, self.epoch, self.replay_until);
        let life = self.life(by);
        if life.epoch == epoch {
            assert_eq!(behind, low, "the source is opened behind what is settled");
        }
        life.opened(behind, replay_until);
    }

    fn began(&mut self, by: ProcessId, events: Vec<u64>, replay: bool, at: Instant) {
        let guarantee = self.settings.guarantee;
        let patience = SEES_A_FLAG_WITHIN * (1 + self.looks_spoilt);
        let paused = self.paused.iter().flatten().min().copied();
        let epoch = self.epoch;
        if guarantee.settles_by_key() {
            self.turn_of(by, events[0], at);
        }
        let was_parked = self.by_key.parked_as_replay(events[0]);
        let life = self.life(by);
        let (first, last) = (events[0], events[events.len() - 1]);
        if guarantee.is_transactional() {
            assert_eq!(life.epoch, epoch, "a transaction of a superseded claim");
        }
        let mut in_flight_since = at;
        if guarantee == Guarantee::AtMostOnce {
            let (may_handle, asked_at) = life.may_handle.take().unzip();
            assert_eq!(
                may_handle,
                Some(first),
                "handled before it was saved, or twice"
            );
            // What is saved first is in flight from its save on: it is handled, or it is lost.
            in_flight_since = asked_at.unwrap_or(at);
        } else if !guarantee.settles_by_key() {
            assert!(first > life.saved, "{first} is settled already");
        }
        for event in [first, last] {
            let expected = life.until.is_some_and(|until| event <= until);
            let expected = was_parked.unwrap_or(expected);
            assert_eq!(replay, expected, "the replay flag of {event}");
        }
        let is_new = match guarantee.settles_by_key() {
            true => life.tries(first) == 0,
            false => first > life.furthest_begun,
        };
        if is_new {
            assert!(
                !life.paused_here || in_flight_since < at,
                "{first} was begun after the pause"
            );
            assert!(
                paused.is_none_or(|since| in_flight_since < since + patience),
                "{first} was begun {:?} after the lane was paused",
                paused.map(|since| in_flight_since - since)
            );
        }
        life.began(events, at);
        self.may_fail(last);
        if self.settings.recovery.skips() {
            self.may_be_passed(last);
        }
    }

    /// Whether some run may have passed this event, by itself or because someone asked for it.
    fn may_have_passed(&self, event: u64) -> bool {
        self.by_key.may_have_passed(event) || self.skips_asked.contains(&event)
    }

    /// The lane may have passed this event without having stored that.
    fn may_be_passed(&mut self, event: u64) {
        if !self.settings.guarantee.is_transactional() {
            self.furthest = self.furthest.max(event);
            self.by_key.may_be_passed(event);
        }
    }

    fn handled(&mut self, by: ProcessId) {
        let Settings {
            guarantee,
            max_unsaved,
            group,
            ..
        } = self.settings;
        let life = self.lives.entry(by).or_default();
        let last = life.last_begun();
        life.ended(Outcome::Handled);
        let unsaved = last - life.saved;
        let bound = match guarantee {
            Guarantee::GroupedAtLeastOnce | Guarantee::GroupedExactlyOnce => group,
            Guarantee::ExactlyOnce => u64::MAX,
            Guarantee::AtMostOnce => 0,
            _ => max_unsaved,
        };
        assert!(unsaved <= bound, "{unsaved} handled and not saved");
        self.may_be_passed(last);
        self.handled += 1;
    }

    /// Management has moved the lane.
    fn moved(&mut self, commit: &Commit) {
        let to: Option<u64> = commit.offset.as_ref().map(|to| to.text.parse().unwrap());
        let let_go = self.let_go_behind(to.unwrap_or(0), commit);
        assert_eq!(commit.counters, let_go, "{commit:?}");
        self.counters.add(&let_go);
        let held = self.low;
        let fits = |(expected, wanted): &&(Option<Option<u64>>, Option<u64>)| {
            *wanted == to && expected.is_none_or(|expected| expected == held)
        };
        let asked = self.moves.asked.iter().filter(fits).count();
        self.moves.done.push(to);
        let same_target = self.moves.asked.iter().filter(|(_, wanted)| *wanted == to);
        let done = self.moves.done.iter().filter(|done| **done == to).count();
        assert!(
            asked > 0 && done <= same_target.count(),
            "moved from {held:?} to {to:?} more often than someone asked"
        );
        self.replay_until = self.replay_until.or(held);
        self.low = to;
        self.furthest = self.furthest.max(self.settled());
    }

    /// A process has moved the lane.
    fn committed(&mut self, by: ProcessId, commit: &Commit) {
        let to = commit.offset.as_ref().map(|to| to.text.parse().unwrap());
        let reached: u64 = to.unwrap_or(self.settled());
        assert!(reached >= self.settled(), "back to {reached}: {commit:?}");
        if self.settings.guarantee == Guarantee::AtMostOnce
            && commit.offset.is_none()
            && commit.counters.is_zero()
        {
            // It answers requests, between two runs.
            assert!(commit.dead_letters.is_empty(), "{commit:?}");
            return;
        }
        let mut life = self.lives.remove(&by).unwrap_or_default();
        let records: Vec<(u64, Record)> = self.written.between(self.settled(), reached).collect();
        let by_key = self.settings.guarantee.settles_by_key();
        let mut expected = if by_key {
            self.settled_by_key(&life, reached, commit)
        } else if self.settings.guarantee == Guarantee::AtMostOnce {
            self.saved_first(&mut life, &records, commit)
        } else {
            self.settled_all(&life, &records)
        };
        assert_eq!(
            commit.counters, expected.counters,
            "behind {:?}: {commit:?}",
            self.low
        );
        let letters = commit.dead_letters.iter();
        let letters: Vec<(bool, u64)> = letters
            .map(|letter| {
                let of_source = letter.origin == DeadLetterOrigin::Source;
                (of_source, letter.offset.text.parse().unwrap())
            })
            .collect();
        if by_key {
            // They are kept in the order in which they were passed over.
            expected
                .letters
                .sort_by_key(|letter| letters.iter().position(|one| one == letter));
        }
        assert_eq!(
            letters, expected.letters,
            "behind {:?}: {commit:?}",
            self.low
        );
        let passes_replay = self.replay_until.is_some_and(|until| reached >= until);
        if to.is_some() {
            assert_eq!(commit.replay_passed, passes_replay, "{commit:?}");
            self.low = to;
        }
        if commit.replay_passed {
            self.replay_until = None;
        }
        self.furthest = self.furthest.max(reached);
        self.take_over(expected);
        life.saved = reached;
        self.lives.insert(by, life);
    }

    fn take_over(&mut self, settled: Settled) {
        self.counters.add(&settled.counters);
        for (of_source, position) in settled.letters {
            let letters = if of_source {
                &mut self.source_letters
            } else {
                &mut self.letters
            };
            if !letters.contains(&position) {
                letters.push(position);
            }
        }
        settled
            .applied
            .into_iter()
            .for_each(|event| self.tables.take(event));
        self.passed_unattempted.extend(settled.unattempted);
        assert_eq!(self.counters.pending(), self.pending);
    }

    /// What a commit must hold that settles these records.
    fn settled_all(&self, life: &Life, records: &[(u64, Record)]) -> Settled {
        let mut settled = Settled::default();
        for (position, record) in records {
            match (record, life.outcomes.get(position)) {
                (Record::Malformed, _) => settled.malformed(*position),
                (Record::Event, Some(Outcome::Handled)) => {
                    settled.counters.read += 1;
                    settled.applied(*position);
                }
                (Record::Event, outcome) => {
                    settled.counters.read += 1;
                    settled.passed_over(*position, self.keeps(*position, outcome));
                    if !matches!(outcome, Some(Outcome::Failed(_))) {
                        settled.unattempted.push(*position);
                    }
                }
            }
        }
        settled
    }

    /// Whether an event that is passed over is kept as a letter, if it may be passed over at all.
    fn keeps(&self, event: u64, outcome: Option<&Outcome>) -> bool {
        let Settings {
            guarantee,
            recovery,
            isolates,
            letters,
            ..
        } = self.settings;
        let settles = guarantee == Guarantee::SettledAtLeastOnce;
        match outcome {
            Some(Outcome::Failed(Failure::Data)) if isolates => return true,
            Some(Outcome::Failed(Failure::Dropped)) if settles => {}
            Some(Outcome::Failed(_)) => {
                assert!(recovery.skips(), "{event} failed and was passed over");
            }
            Some(Outcome::NotVouchedFor) => {}
            Some(Outcome::Handled) | None => assert!(
                self.skips_asked.contains(&event),
                "{event} was passed and never handled"
            ),
        }
        letters
    }

    /// What a commit of at-most-once must hold: one record, and what became of the one before.
    fn saved_first(
        &mut self,
        life: &mut Life,
        records: &[(u64, Record)],
        commit: &Commit,
    ) -> Settled {
        let letters = self.settings.letters;
        let mut settled = Settled::default();
        assert!(records.len() <= 1, "saved together: {records:?}");
        if let Some((event, outcome)) = life.in_flight.take() {
            self.pending -= 1;
            match outcome {
                Outcome::Handled => settled.applied(event),
                _ => settled.passed_over(event, letters),
            }
        }
        match records {
            [(position, Record::Malformed)] => settled.malformed(*position),
            [(event, Record::Event)] => {
                settled.counters.read += 1;
                let refused = life.outcomes.get(event) == Some(&Outcome::NotVouchedFor);
                let commanded = self.skips_asked.contains(event);
                if refused || (commanded && commit.counters != settled.counters) {
                    settled.passed_over(*event, letters);
                    settled.unattempted.push(*event);
                } else {
                    self.pending += 1;
                    life.may_handle = life.asked_at.map(|at| (*event, at));
                }
            }
            _ => {}
        }
        settled
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.paused.iter().any(Option::is_some)
    }

    pub(crate) fn is_all_settled(&self) -> bool {
        self.settled() == self.written.last() && !self.by_key.is_anything_parked()
    }
}

/// What a commit settles.
#[derive(Debug, Default)]
struct Settled {
    counters: Counters,
    /// Whether the letter is one of the source, and its position.
    letters: Vec<(bool, u64)>,
    applied: Vec<u64>,
    unattempted: Vec<u64>,
}

impl Settled {
    fn malformed(&mut self, position: u64) {
        self.counters.malformed += 1;
        self.letters.push((true, position));
    }

    fn applied(&mut self, event: u64) {
        self.counters.applied += 1;
        self.applied.push(event);
    }

    fn passed_over(&mut self, event: u64, keep: bool) {
        if keep {
            self.counters.dead_lettered += 1;
            self.letters.push((false, event));
        } else {
            self.counters.skipped += 1;
        }
    }
}
