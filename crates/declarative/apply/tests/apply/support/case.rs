//! A random program with its events, and what happens to them: drawn from a seed, and made small
//! when it fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

use projectionist_language::model::Sequence;

use super::program::{EVENT_TYPES, ProgramSeed};
use super::random::Random;
use super::records::RecordSeed;

/// A program with its events, and what happens to them.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) program: ProgramSeed,
    pub(crate) records: Vec<RecordSeed>,
    /// The size of each group, and what happens to it; used again from the first to the end of the
    /// records.
    pub(crate) groups: Vec<(usize, Fate)>,
    /// How many entities the guard remembers.
    pub(crate) cache: usize,
}

/// What happens to a group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// It is handled and committed.
    Committed,
    /// It is rolled back behind its last write, and tried again.
    RolledBack,
    /// The process dies behind its last write; another one begins anew.
    Killed,
    /// The process ends, and another one handles the group.
    Restarted,
}

impl Case {
    /// The case of a seed, with at most so many records.
    pub(crate) fn drawn(sequence: Sequence, seed: u64, most_records: usize) -> Self {
        let mut random = Random::seeded(seed);
        let mutations = (0..EVENT_TYPES).map(|_| (random.next().to_le_bytes()[0], random.next()));
        let program = ProgramSeed {
            mutations: mutations.collect(),
            table: random.next(),
            sequence,
        };
        let records = (0..=random.below(most_records)).map(|_| RecordSeed {
            envelope: random.next(),
            payload: [random.next(), random.next(), random.next()],
        });
        let records = records.collect();
        let groups = (0..=random.below(6)).map(|_| {
            let fate = match random.below(12) {
                0 => Fate::RolledBack,
                1 => Fate::Killed,
                2 => Fate::Restarted,
                _ => Fate::Committed,
            };
            (1 + random.below(19), fate)
        });
        Self {
            program,
            records,
            groups: groups.collect(),
            cache: [0, 4, 1_000][random.below(3)],
        }
    }

    /// Leaves out what the failure does not need. Slow, and only met when a test fails.
    pub(crate) fn shrunk(mut self, check: impl Fn(&Self)) -> Self {
        let fails = |case: &Self| catch_unwind(AssertUnwindSafe(|| check(case))).is_err();
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let one_group = Self {
            groups: vec![(self.records.len(), Fate::Committed)],
            ..self.clone()
        };
        if fails(&one_group) {
            self = one_group;
        }
        let mut at = 0;
        while at < self.records.len() {
            let mut less = self.clone();
            less.records.remove(at);
            if fails(&less) {
                self = less;
            } else {
                at += 1;
            }
        }
        std::panic::set_hook(told);
        self
    }
}
