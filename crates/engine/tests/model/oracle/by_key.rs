//! The part of the model for what settles by key: ahead of what is not settled, or after it was
//! parked.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use projectionist_core::{Ahead, Commit, Counters, Offset};
use projectionist_engine::Recovery;
use tokio::time::Instant;

use super::{Oracle, Settled};
use crate::life::{Life, Outcome};
use crate::script::Settings;
use crate::trace::{Failure, ProcessId};
use crate::written::{Record, key_of};

/// What is parked: by key, in order, the position and the attempts at it.
pub(crate) type ParkedKeys = BTreeMap<String, Vec<(u64, u32)>>;

/// A parked event.
#[derive(Clone, Copy, Debug)]
struct Parked {
    attempts: u32,
    /// Whether the lane had come this far before when it was read.
    replay: bool,
}

/// What the lane's row says beside the offset, and what may have come to pass without it.
#[derive(Debug, Default)]
pub(crate) struct ByKey {
    /// The first and the last position of what is settled ahead.
    pub(crate) ahead: Vec<(u64, u64)>,
    /// What is parked, by position.
    parked: BTreeMap<u64, Parked>,
    /// Events that the lane may have passed, stored or not.
    passed: BTreeSet<u64>,
    /// Events with an attempt that failed: they and those behind them may have been parked.
    failed: BTreeSet<u64>,
}

impl ByKey {
    pub(crate) fn parked(&self) -> ParkedKeys {
        let mut keys = ParkedKeys::new();
        for (position, Parked { attempts, .. }) in &self.parked {
            let key = key_of(*position).to_string();
            keys.entry(key).or_default().push((*position, *attempts));
        }
        keys
    }

    /// Whether the lane had come this far before when `event` was read; `None` unless it is parked.
    pub(super) fn parked_as_replay(&self, event: u64) -> Option<bool> {
        self.parked.get(&event).map(|parked| parked.replay)
    }

    pub(super) fn is_anything_parked(&self) -> bool {
        !self.parked.is_empty()
    }

    /// Whether some run may have passed this event.
    pub(super) fn may_have_passed(&self, event: u64) -> bool {
        let behind_a_failure = |failed: &u64| key_of(*failed) == key_of(event);
        self.passed.contains(&event) || self.failed.range(..=event).any(behind_a_failure)
    }

    pub(super) fn may_be_passed(&mut self, event: u64) {
        self.passed.insert(event);
    }

    fn is_bounded(&self, settings: &Settings) -> bool {
        let most = settings.parking;
        self.parked.len() <= most.max_envelopes && self.parked().len() <= most.max_keys
    }
}

fn position(offset: &Offset) -> u64 {
    offset.text.parse().unwrap()
}

/// The ranges of a row or a commit.
pub(crate) fn ranges(ahead: &Ahead) -> Vec<(u64, u64)> {
    let ranges = ahead.ranges.iter();
    ranges
        .map(|range| (range.first.parse().unwrap(), range.last.parse().unwrap()))
        .collect()
}

/// Everything up to `low`, and what is settled ahead of it.
fn passed(low: u64, ahead: &[(u64, u64)]) -> BTreeSet<u64> {
    let mut passed: BTreeSet<u64> = (1..=low).collect();
    for (first, last) in ahead {
        passed.extend(*first..=*last);
    }
    passed
}

impl Oracle {
    /// What the store holds as settled.
    fn settled_now(&self) -> BTreeSet<u64> {
        let mut settled = passed(self.settled(), &self.by_key.ahead);
        settled.retain(|position| !self.by_key.parked.contains_key(position));
        settled
    }

    fn record(&self, position: u64) -> Record {
        let mut here = self.written.between(position - 1, position);
        here.next().unwrap().1
    }

    /// An attempt at `event` begins: no earlier one of its key may be undone.
    pub(super) fn turn_of(&self, by: ProcessId, event: u64, at: Instant) {
        let life = &self.lives[&by];
        if life.epoch != self.epoch {
            // What it knows of the lane is older than the store.
            return;
        }
        let Settings {
            guarantee, timeout, ..
        } = self.settings;
        let settled = self.settled_now();
        assert!(!settled.contains(&event), "{event} is settled already");
        if !guarantee.is_transactional() {
            let outcome = life.outcomes.get(&event);
            let done = matches!(outcome, Some(Outcome::Handled | Outcome::NotVouchedFor));
            assert!(!done, "{event} is begun again: {outcome:?}");
        }
        for earlier in (1..event).filter(|earlier| key_of(*earlier) == key_of(event)) {
            let is_done = settled.contains(&earlier)
                || self.record(earlier) == Record::Malformed
                || self.skips_asked.contains(&earlier)
                || self.is_done(life, earlier, at);
            assert!(
                is_done,
                "{event} overtakes {earlier} of its key: {:?}",
                life.outcomes.get(&earlier)
            );
        }
        let running = life.running(at, timeout).filter(|other| *other != event);
        let at_once = match guarantee.is_keyed() {
            true => self.settings.keyed.handlers,
            false => 1,
        };
        assert!(running.count() < at_once, "more than {at_once} at once");
    }

    /// Whether the run of `life` is done with an event that the store does not hold as settled.
    fn is_done(&self, life: &Life, event: u64, at: Instant) -> bool {
        let Settings {
            guarantee,
            recovery,
            timeout,
            ..
        } = self.settings;
        match life.outcomes.get(&event) {
            Some(Outcome::NotVouchedFor) => true,
            Some(Outcome::Handled) => !guarantee.is_transactional(),
            Some(Outcome::Failed(_)) => {
                let retries = match recovery {
                    Recovery::Skip => Some(0),
                    Recovery::RetryAndSkip { retries, .. } => Some(retries),
                    _ => None,
                };
                guarantee.is_keyed()
                    && retries.is_some_and(|retries| life.tries(event) > retries)
                    && life.running(at, timeout).all(|running| running != event)
            }
            None => false,
        }
    }

    pub(super) fn failed_by_key(&mut self, by: ProcessId, event: u64, why: Failure) {
        self.life(by).ended_alone(event, Outcome::Failed(why));
    }

    pub(super) fn handled_by_key(&mut self, by: ProcessId, event: u64) {
        self.handled += 1;
        self.life(by).ended_alone(event, Outcome::Handled);
        let life = &self.lives[&by];
        if life.epoch == self.epoch {
            let settled = self.settled_now();
            let handled = life.outcomes.iter();
            let handled = handled.filter(|(_, outcome)| **outcome == Outcome::Handled);
            let unsaved = handled.filter(|(event, _)| !settled.contains(event));
            let unsaved = unsaved.count() as u64;
            let bound = match self.settings.guarantee.is_transactional() {
                true => 1,
                false => self.settings.max_unsaved,
            };
            assert!(unsaved <= bound, "{unsaved} handled and not saved");
        }
        self.may_be_passed(event);
    }

    /// An attempt may fail without saying so.
    pub(super) fn may_fail(&mut self, event: u64) {
        if self.settings.guarantee.parks() {
            self.by_key.failed.insert(event);
        }
    }

    /// Management moves the lane: what is parked behind `to` is let go, and comes again.
    pub(super) fn let_go_behind(&mut self, to: u64, commit: &Commit) -> Counters {
        let ByKey {
            ahead,
            parked,
            passed,
            ..
        } = &mut self.by_key;
        ahead.clear();
        passed.extend(1..=to);
        let behind: Vec<u64> = parked.split_off(&(to + 1)).into_keys().collect();
        let mut let_go: Vec<u64> = commit.unparked.iter().map(position).collect();
        let_go.sort_unstable();
        assert_eq!(let_go, behind, "let go by a move to {to}");
        let let_go = let_go.len() as u64;
        Counters {
            unparked_total: let_go,
            skipped: let_go,
            ..Counters::ZERO
        }
    }

    /// What a commit must hold that settles what it says, parks and lets go.
    pub(super) fn settled_by_key(&mut self, life: &Life, reached: u64, commit: &Commit) -> Settled {
        let ahead = match &commit.ahead {
            Some(ahead) => ranges(ahead),
            None => self.by_key.ahead.clone(),
        };
        let apart = ahead.windows(2).all(|pair| pair[0].1 < pair[1].0);
        assert!(
            apart && ahead.iter().all(|(first, last)| first <= last),
            "{ahead:?}"
        );
        let before = passed(self.settled(), &self.by_key.ahead);
        let after = passed(reached, &ahead);
        assert!(
            before.is_subset(&after),
            "not settled any more: {:?} after {before:?}: {commit:?}",
            after
        );
        let mut settled = Settled::default();
        let mut parked = self.parked_by(life, &after, commit);
        for position in after.difference(&before) {
            match self.record(*position) {
                Record::Malformed => settled.malformed(*position),
                Record::Event if parked.contains_key(position) => {
                    settled.counters.read += 1;
                    settled.counters.parked_total += 1;
                }
                Record::Event => {
                    settled.counters.read += 1;
                    self.settle_one(life, *position, &mut settled);
                }
            }
        }
        for offset in &commit.unparked {
            let event = position(offset);
            let was = self.by_key.parked.remove(&event);
            assert!(was.is_some(), "{event} is let go and was not parked");
            assert!(!parked.contains_key(&event), "{commit:?}");
            settled.counters.unparked_total += 1;
            self.settle_one(life, event, &mut settled);
        }
        self.by_key.parked.append(&mut parked);
        self.by_key.passed.extend(&after);
        self.by_key.ahead = ahead;
        assert!(self.by_key.is_bounded(&self.settings), "{:?}", self.by_key);
        settled
    }

    /// Counts what became of an event that is neither parked nor behind another one.
    fn settle_one(&self, life: &Life, event: u64, settled: &mut Settled) {
        let outcome = life.outcomes.get(&event);
        if outcome == Some(&Outcome::Handled) {
            return settled.applied(event);
        }
        let parks = self.settings.guarantee.parks();
        let failed = matches!(outcome, Some(Outcome::Failed(_)));
        assert!(!(parks && failed), "{event} failed and was passed over");
        settled.passed_over(event, self.keeps(event, outcome));
        if !failed {
            settled.unattempted.push(event);
        }
    }

    /// What a commit parks, for the first time or again: by position, the attempts.
    fn parked_by(
        &self,
        life: &Life,
        passed: &BTreeSet<u64>,
        commit: &Commit,
    ) -> BTreeMap<u64, Parked> {
        let mut parked = BTreeMap::new();
        for envelope in &commit.parked {
            let (event, attempts) = (position(&envelope.offset), envelope.attempts);
            let replay = envelope.replay;
            let what = || format!("{event}, tried {attempts} times: {life:?}");
            assert_eq!(envelope.key, key_of(event).to_string(), "{}", what());
            assert!(passed.contains(&event), "parked and not passed: {}", what());
            assert!(
                parked.insert(event, Parked { attempts, replay }).is_none(),
                "parked twice: {}",
                what()
            );
            assert_eq!(envelope.tried_at.is_some(), attempts > 0, "{}", what());
            assert_eq!(envelope.error.is_some(), attempts > 0, "{}", what());
            let tried = life.tries(event);
            let reads_again = self.replay_until.is_some_and(|until| event <= until);
            let as_replay = self.by_key.parked_as_replay(event);
            assert_eq!(replay, as_replay.unwrap_or(reads_again), "{}", what());
            if let Some(Parked {
                attempts: before, ..
            }) = self.by_key.parked.get(&event)
            {
                assert!(
                    (*before..=before + tried).contains(&attempts),
                    "parked again after {before}: {}",
                    what()
                );
            } else if attempts > 0 {
                assert!(
                    attempts == tried && attempts > self.settings.parking.retries,
                    "{}",
                    what()
                );
            } else {
                let behind = self.by_key.parked.keys().chain(parked.keys());
                let mut behind = behind.filter(|other| key_of(**other) == key_of(event));
                assert!(
                    behind.any(|other| *other < event),
                    "behind nothing: {}",
                    what()
                );
                assert_eq!(tried, 0, "{}", what());
            }
            if attempts > 0 {
                let outcome = life.outcomes.get(&event);
                let failed = matches!(outcome, Some(Outcome::Failed(_)));
                assert!(failed, "parked as failed: {}", what());
            }
        }
        parked
    }
}

impl Life {
    /// How many attempts at `event` were begun in this run.
    pub(super) fn tries(&self, event: u64) -> u32 {
        self.begun.get(&event).map_or(0, |begun| begun.tries)
    }

    /// The events at which an attempt is not over.
    fn running(&self, at: Instant, timeout: Option<Duration>) -> impl Iterator<Item = u64> {
        let running = self.begun.iter().filter(move |(_, begun)| {
            begun.running && timeout.is_none_or(|timeout| at - begun.at < timeout)
        });
        running.map(|(event, _)| *event)
    }

    /// The attempt at `event` ends, and no other one.
    fn ended_alone(&mut self, event: u64, outcome: Outcome) {
        if let Some(begun) = self.begun.get_mut(&event) {
            begun.running = false;
        }
        self.is_over(event);
        self.outcomes.insert(event, outcome);
    }
}
