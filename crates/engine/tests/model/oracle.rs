//! What must hold, told from what was written alone.

use std::collections::BTreeSet;

use projectionist_core::Counters;

use crate::common::model::Tables;

/// A record of the source; its position is its place, from 1. An event is its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    Event,
    Malformed,
}

/// What was written to the source.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) records: Vec<Record>,
    /// Events that can never be applied.
    pub(crate) refused: BTreeSet<u64>,
}

impl Written {
    pub(crate) fn last(&self) -> u64 {
        self.records.len() as u64
    }

    fn positions(&self, of: Record, upto: u64) -> impl Iterator<Item = u64> {
        let numbered = (1..=upto).zip(&self.records);
        numbered
            .filter(move |(_, record)| **record == of)
            .map(|(position, _)| position)
    }

    /// The events up to a position that can be applied.
    pub(crate) fn good(&self, upto: u64) -> Vec<u64> {
        let events = self.positions(Record::Event, upto);
        events
            .filter(|event| !self.refused.contains(event))
            .collect()
    }

    pub(crate) fn bad(&self, upto: u64) -> Vec<u64> {
        let events = self.positions(Record::Event, upto);
        events
            .filter(|event| self.refused.contains(event))
            .collect()
    }

    pub(crate) fn malformed(&self, upto: u64) -> Vec<u64> {
        self.positions(Record::Malformed, upto).collect()
    }

    /// The tables when the lane is settled up to a position.
    pub(crate) fn tables(&self, upto: u64) -> Tables {
        Tables::fold(self.good(upto))
    }

    /// The counters when the lane is settled up to a position.
    pub(crate) fn counters(&self, upto: u64) -> Counters {
        let (good, bad) = (self.good(upto).len() as u64, self.bad(upto).len() as u64);
        Counters {
            read: good + bad,
            applied: good,
            dead_lettered: bad,
            malformed: self.malformed(upto).len() as u64,
            ..Counters::ZERO
        }
    }
}
