//! What a source does: its items, and the faults that are planned.

use std::collections::VecDeque;

use projectionist_core::contract::Mode;
use projectionist_core::{SourceItem, Timestamp};

use super::verification::Verification;
use super::{Item, PaceProbe, position_of};
use crate::{Recorder, TestEnvelope, TestPosition};

/// What a source does.
#[derive(Debug)]
pub(super) struct Script<E> {
    pub(super) items: Vec<Item<E>>,
    pub(super) completed: bool,
    pub(super) open_faults: VecDeque<OpenFault>,
    /// Each strikes once, in the stream that stands behind its position.
    pub(super) stream_faults: Vec<(u64, StreamFault)>,
    pub(super) opened_behind: Vec<Option<u64>>,
    pub(super) verification: Verification,
    /// Who is told the calls.
    pub(super) recorder: Option<Recorder<E>>,
    /// When an event that was pushed happened.
    pub(super) created_at: Option<fn(&E) -> Timestamp>,
}

#[derive(Debug)]
pub(super) enum OpenFault {
    Fail { reason: String, retryable: bool },
    Hang,
}

#[derive(Debug)]
pub(super) enum StreamFault {
    Fail(String),
    Panic,
}

/// What a stream finds at its place.
pub(super) enum Found<E> {
    Item(Item<E>),
    Fault(StreamFault),
    End,
    Nothing,
}

impl<E> Default for Script<E> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            completed: false,
            open_faults: VecDeque::new(),
            stream_faults: Vec::new(),
            opened_behind: Vec::new(),
            verification: Verification::default(),
            recorder: None,
            created_at: None,
        }
    }
}

impl<E> Script<E> {
    /// The position of the last item; 0 where there is none.
    pub(super) fn last(&self) -> u64 {
        self.items.last().map_or(0, |last| position_of(last).0)
    }

    pub(super) fn envelopes(&self) -> impl Iterator<Item = &TestEnvelope<E>> {
        self.items.iter().filter_map(|item| match item {
            SourceItem::Envelope(envelope) => Some(envelope),
            SourceItem::Malformed(_) => None,
        })
    }

    /// The highest sequence number of an entity; 0 where it has no event.
    pub(super) fn last_number(&self, persistence_id: &str) -> u64 {
        let of_entity = self
            .envelopes()
            .filter(|envelope| envelope.persistence_id == persistence_id);
        of_entity
            .map(|envelope| envelope.sequence_number)
            .max()
            .unwrap_or_default()
    }

    /// The position of the item before the first event of `time` or later; `None` when that event
    /// is the first item. Without such an event the position of the last item.
    pub(super) fn before(&self, time: Timestamp) -> Option<TestPosition> {
        let is_then = |item: &Item<E>| match item {
            SourceItem::Envelope(envelope) => envelope.created_at >= Some(time),
            SourceItem::Malformed(_) => false,
        };
        let first = self.items.iter().position(is_then);
        let before = first.unwrap_or(self.items.len()).checked_sub(1)?;
        self.items.get(before).map(position_of)
    }

    /// How many items stand behind `low`.
    pub(super) fn remaining(&self, low: Option<&TestPosition>) -> usize {
        let is_behind = |item: &&Item<E>| low.is_none_or(|low| position_of(item) > *low);
        self.items.iter().filter(is_behind).count()
    }
}

impl<E: Clone> Script<E> {
    /// The index of the first item of a stream.
    pub(super) fn first(&self, from: Option<TestPosition>, inclusive: bool) -> usize {
        let is_before = |item: &Item<E>| match from {
            Some(from) if inclusive => position_of(item) < from,
            Some(from) => position_of(item) <= from,
            None => false,
        };
        let first = self.items.iter().position(|item| !is_before(item));
        first.unwrap_or(self.items.len())
    }

    /// What a stream finds whose next item has the index `next`. An item that is found uses up
    /// its demand.
    pub(super) fn find(&mut self, next: usize, mode: Mode, pace: &PaceProbe) -> Found<E> {
        let behind = match next.checked_sub(1) {
            Some(last) => self.items.get(last).map_or(0, |item| position_of(item).0),
            None => 0,
        };
        let fault = self.stream_faults.iter().position(|(at, _)| *at == behind);
        if let Some(fault) = fault {
            return Found::Fault(self.stream_faults.remove(fault).1);
        }
        match self.items.get(next) {
            Some(item) if pace.take() => Found::Item(item.clone()),
            Some(_) => Found::Nothing,
            None if self.completed || mode == Mode::Current => Found::End,
            None => Found::Nothing,
        }
    }
}
