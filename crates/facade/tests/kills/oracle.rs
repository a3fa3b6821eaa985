//! What a guarantee allows, told from the events alone.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use projectionist::Counters;

use crate::life::Seen;
use crate::mode::Mode;

/// Judges what each process left of a projection that settles in the order of its source. Events are the numbers from 1, so that everything up to an offset
/// is known without a look at the source.
pub(crate) struct Oracle {
    mode: Mode,
    /// The offset that the process before left.
    offset: u64,
    /// How many lines of the log were judged.
    judged: usize,
    /// Processes that were killed between a save and the next one.
    cut_off: u64,
    /// Of these, the last event that was saved and not handled.
    lost: BTreeSet<u64>,
    repeated: u64,
}

impl Oracle {
    pub(crate) fn of(mode: Mode) -> Self {
        Self {
            mode,
            offset: 0,
            judged: 0,
            cut_off: 0,
            lost: BTreeSet::new(),
            repeated: 0,
        }
    }

    /// Everything up to here is settled.
    pub(crate) fn settled(&self) -> u64 {
        self.offset
    }

    /// How many events were handled more than once.
    pub(crate) fn repeated(&self) -> u64 {
        self.repeated
    }

    /// How many events were not handled.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.len() as u64
    }

    /// Judges what a killed process left.
    pub(crate) fn judge(&mut self, seen: &Seen, what: &str) {
        assert!(seen.offset >= self.offset, "{what}: moved back, {seen:?}");
        let handled = &seen.log[self.judged..];
        match self.mode {
            Mode::AtMostOnce => self.judge_losses(seen, handled, what),
            mode if mode.is_transactional() => self.judge_rows(seen, what),
            _ => self.judge_repeats(seen, handled, what),
        }
        let letters: Vec<u64> = (1..=seen.offset).filter(|e| self.mode.drops(*e)).collect();
        let dropped = letters.len() as u64;
        assert_eq!(seen.letters, letters, "{what}");
        let pending = self.cut_off;
        let expected = Counters {
            read: seen.offset,
            applied: seen.offset - dropped - pending,
            dead_lettered: dropped,
            ..Counters::ZERO
        };
        assert_eq!(seen.counters, expected, "{what}");
        assert_eq!(seen.counters.pending(), pending, "{what}");
        (self.offset, self.judged) = (seen.offset, seen.log.len());
    }

    /// Judges what the process left that came to its end.
    pub(crate) fn judge_the_end(&mut self, seen: &Seen, events: u64, what: &str) {
        let cut_off = self.cut_off;
        if self.mode == Mode::AtMostOnce {
            // Nothing cuts the last one off: all that it handled is counted.
            let rest: Vec<u64> = (self.offset + 1..=events).collect();
            assert_eq!(seen.log[self.judged..], rest, "{what}");
            assert_eq!(seen.counters.pending(), cut_off, "{what}");
            let handled: BTreeSet<u64> = seen.log.iter().copied().collect();
            let lost = (1..=events).filter(|event| !handled.contains(event));
            assert!(lost.eq(self.lost.iter().copied()), "{what}");
        } else {
            self.judge(seen, what);
        }
        assert_eq!(seen.offset, events, "{what}");
        let at_least_once = !self.mode.is_transactional() && self.mode != Mode::AtMostOnce;
        if at_least_once {
            assert_eq!(seen.log.last(), Some(&events), "{what}");
        }
    }

    /// Rows and offset share a transaction: they never differ.
    fn judge_rows(&self, seen: &Seen, what: &str) {
        assert_eq!(seen.rows, numbers(1..=seen.offset), "{what}");
    }

    /// A process goes on behind the offset that it found, in order and without a gap; what it saved
    /// it has handled, and of what it handled no more is unsaved than the bound says.
    fn judge_repeats(&mut self, seen: &Seen, handled: &[u64], what: &str) {
        let furthest = handled.last().copied().unwrap_or(self.offset);
        assert_eq!(
            handled,
            numbers(self.offset + 1..=furthest),
            "{what}: from {}",
            self.offset
        );
        assert!(
            seen.offset <= furthest,
            "{what}: {} is saved, {furthest} handled",
            seen.offset
        );
        let unsaved = furthest - seen.offset;
        let bound = self.mode.repeats_at_most();
        assert!(
            unsaved <= bound,
            "{what}: {unsaved} unsaved, {bound} allowed"
        );
        self.repeated += unsaved;
    }

    /// What a process saved it has handled once, in order, but for the last one at most.
    fn judge_losses(&mut self, seen: &Seen, handled: &[u64], what: &str) {
        let saved = numbers(self.offset + 1..=seen.offset);
        let Some((last, before)) = saved.split_last() else {
            assert_eq!(handled, [0; 0], "{what}: handled before it was saved");
            return;
        };
        // What became of the last one stands in the save that did not come any more.
        self.cut_off += 1;
        if handled.last() == Some(last) {
            assert_eq!(handled, saved, "{what}");
        } else {
            assert_eq!(handled, before, "{what}: only {last} may be lost");
            self.lost.insert(*last);
        }
    }
}

fn numbers(range: RangeInclusive<u64>) -> Vec<u64> {
    range.collect()
}
