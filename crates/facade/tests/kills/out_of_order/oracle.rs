//! What a guarantee allows that settles in any order, told from the events alone.

use std::collections::{BTreeMap, BTreeSet};

use projectionist::Counters;

use crate::life::Seen;
use crate::mode::{MAX_PARKED, MAX_PARKED_KEYS, Mode, key_of};

/// Judges what each process left. What is settled is everything up to the offset and in the ranges
/// above it, but for what is parked.
pub(crate) struct SettledOracle {
    mode: Mode,
    /// What the process before left settled.
    settled: BTreeSet<u64>,
    /// Everything that was handled so far.
    handled: BTreeSet<u64>,
    /// How many lines of the log were judged.
    judged: usize,
    repeated: u64,
    /// Processes that left something settled ahead, or parked.
    left_out_of_order: u64,
}

impl SettledOracle {
    pub(crate) fn of(mode: Mode) -> Self {
        Self {
            mode,
            settled: BTreeSet::new(),
            handled: BTreeSet::new(),
            judged: 0,
            repeated: 0,
            left_out_of_order: 0,
        }
    }

    /// How many events are settled.
    pub(crate) fn settled(&self) -> u64 {
        self.settled.len() as u64
    }

    /// How many events were handled more than once.
    pub(crate) fn repeated(&self) -> u64 {
        self.repeated
    }

    /// How many processes left something settled ahead of what was not, or parked.
    pub(crate) fn left_out_of_order(&self) -> u64 {
        self.left_out_of_order
    }

    /// Judges what a process left, killed or not.
    pub(crate) fn judge(&mut self, seen: &Seen, what: &str) {
        let mut settled: BTreeSet<u64> = (1..=seen.offset).collect();
        settled.extend(seen.ahead.iter().cloned().flatten());
        let read = settled.len() as u64;
        for event in parked(seen) {
            assert!(settled.remove(&event), "{what}: {event} is parked unread");
        }
        let back: Vec<_> = self.settled.difference(&settled).collect();
        assert!(
            back.is_empty(),
            "{what}: settled before, and not any more: {back:?}"
        );
        if self.mode.is_transactional() {
            Self::judge_rows(seen, &settled, what);
        } else {
            self.judge_log(seen, &settled, what);
        }
        if self.mode.orders_keys() {
            judge_order(&settled, what);
        }
        self.judge_parked(seen, what);
        self.judge_counters(seen, read, &settled, what);
        self.left_out_of_order += u64::from(settled.len() as u64 != seen.offset);
        (self.settled, self.judged) = (settled, seen.log.len());
    }

    /// Judges what the last process left; nothing is parked any more.
    pub(crate) fn judge_the_end(&mut self, seen: &Seen, events: u64, what: &str) {
        self.judge(seen, what);
        assert!(self.settled.iter().copied().eq(1..=events), "{what}");
        assert_eq!(
            (seen.offset, seen.ahead.len()),
            (events, 0),
            "{what}: {seen:?}"
        );
    }

    /// Each settled event stands in the table once, and nothing else does, in the order of its key.
    fn judge_rows(seen: &Seen, settled: &BTreeSet<u64>, what: &str) {
        let mut rows = seen.rows.clone();
        rows.sort_unstable();
        assert!(
            rows.iter().eq(settled),
            "{what}: {rows:?} is there, {settled:?} is settled"
        );
        for rows in by_key(seen.rows.iter().copied()).values() {
            assert!(rows.is_sorted(), "{what}: {rows:?}");
        }
    }

    /// A process goes on with what it found unsettled; what it saved was handled, and of what it
    /// handled no more is unsaved than the bound says.
    fn judge_log(&mut self, seen: &Seen, settled: &BTreeSet<u64>, what: &str) {
        let mode = self.mode;
        let handled = &seen.log[self.judged..];
        if mode.orders_keys() {
            let furthest = handled.iter().max().copied().unwrap_or(0);
            let expected = (1..=furthest).filter(|event| !self.settled.contains(event));
            let expected = by_key(expected);
            for (key, handled) in by_key(handled.iter().copied()) {
                let expected = expected.get(&key).map_or(&[][..], Vec::as_slice);
                assert!(
                    expected.starts_with(&handled),
                    "{what}: key {key}: {handled:?} was handled, and it was the turn of {expected:?}"
                );
            }
        } else {
            let mut once = BTreeSet::new();
            let wrong = |event: &&u64| self.settled.contains(event) || !once.insert(**event);
            let wrong: Vec<_> = handled.iter().filter(wrong).collect();
            assert!(wrong.is_empty(), "{what}: handled once more: {wrong:?}");
        }
        self.handled.extend(handled);
        let lost: Vec<_> = settled
            .iter()
            .filter(|event| !mode.filters(**event) && !self.handled.contains(event))
            .collect();
        assert!(lost.is_empty(), "{what}: settled and not handled: {lost:?}");
        let unsaved = handled.iter().filter(|event| !settled.contains(event));
        let (unsaved, bound) = (unsaved.count() as u64, mode.repeats_at_most());
        assert!(
            unsaved <= bound,
            "{what}: {unsaved} unsaved, {bound} allowed"
        );
        self.repeated += unsaved;
    }

    /// What is parked stands in order under its key; only the first one was tried, and no more is
    /// there than the bounds say.
    fn judge_parked(&self, seen: &Seen, what: &str) {
        let (keys, envelopes) = (seen.parked.len(), parked(seen).count());
        assert!(
            keys <= MAX_PARKED_KEYS && envelopes <= MAX_PARKED,
            "{what}: {:?}",
            seen.parked
        );
        for (key, envelopes) in &seen.parked {
            let events = envelopes.iter().map(|(event, _)| *event);
            assert!(events.clone().is_sorted(), "{what}: {:?}", seen.parked);
            for event in events {
                assert_eq!(key_of(event).to_string(), *key, "{what}");
            }
            let attempts: Vec<u32> = envelopes.iter().map(|(_, attempts)| *attempts).collect();
            let (first, behind) = (envelopes[0].0, &attempts[1..]);
            assert!(
                attempts[0] <= self.mode.failures(first) && behind.iter().all(|tried| *tried == 0),
                "{what}: {:?}",
                seen.parked
            );
        }
    }

    fn judge_counters(&self, seen: &Seen, read: u64, settled: &BTreeSet<u64>, what: &str) {
        let filtered = settled.iter().filter(|event| self.mode.filters(**event));
        let filtered = filtered.count() as u64;
        let Counters {
            parked_total,
            unparked_total,
            ..
        } = seen.counters;
        let expected = Counters {
            read,
            applied: settled.len() as u64 - filtered,
            filtered,
            parked_total,
            unparked_total,
            ..Counters::ZERO
        };
        assert_eq!(seen.counters, expected, "{what}");
        let parked = parked(seen).count() as u64;
        assert_eq!(parked_total - unparked_total, parked, "{what}");
        assert_eq!(seen.letters, [0; 0], "{what}");
    }
}

/// Nothing of a key overtakes another one that is not settled.
fn judge_order(settled: &BTreeSet<u64>, what: &str) {
    let furthest = settled.last().copied().unwrap_or(0);
    for (key, events) in by_key(1..=furthest) {
        let ahead = events.iter().skip_while(|event| settled.contains(event));
        let ahead: Vec<_> = ahead.filter(|event| settled.contains(event)).collect();
        assert!(ahead.is_empty(), "{what}: key {key}: {ahead:?} overtook");
    }
}

fn by_key(events: impl Iterator<Item = u64>) -> BTreeMap<u64, Vec<u64>> {
    let mut keys = BTreeMap::<u64, Vec<u64>>::new();
    events.for_each(|event| keys.entry(key_of(event)).or_default().push(event));
    keys
}

/// The events that are parked.
fn parked(seen: &Seen) -> impl Iterator<Item = u64> {
    seen.parked.values().flatten().map(|(event, _)| *event)
}
