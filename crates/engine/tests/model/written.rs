//! What was written to the source.

use crate::common::random::Random;

/// A record of the source; its position is its place, from 1. An event is its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    Event,
    Malformed,
}

/// How many keys the events have.
const KEYS: u64 = 4;

/// The key of an event. Keys follow no pattern.
pub(crate) fn key_of(event: u64) -> u64 {
    Random::seeded(event).within(0..=KEYS - 1)
}

/// What was written to the source.
#[derive(Debug, Default)]
pub(crate) struct Written(Vec<Record>);

impl Written {
    pub(crate) fn push(&mut self, record: Record) {
        self.0.push(record);
    }

    /// The position of the last record; 0 where there is none.
    pub(crate) fn last(&self) -> u64 {
        self.0.len() as u64
    }

    /// The records behind a position, up to another one.
    pub(crate) fn between(&self, behind: u64, upto: u64) -> impl Iterator<Item = (u64, Record)> {
        let records = (1..=upto).zip(self.0.iter().copied());
        records.skip(usize::try_from(behind).unwrap())
    }
}
