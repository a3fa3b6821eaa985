//! What a source does: its items, and the faults that are planned.

use std::collections::VecDeque;

use projectionist_core::contract::Mode;

use super::{Item, position_of};
use crate::TestPosition;

/// What a source does.
#[derive(Debug)]
pub(super) struct Script<E> {
    pub(super) items: Vec<Item<E>>,
    pub(super) completed: bool,
    pub(super) open_faults: VecDeque<OpenFault>,
    /// Each strikes once, in the stream that stands behind its position.
    pub(super) stream_faults: Vec<(u64, StreamFault)>,
    pub(super) opened_behind: Vec<Option<u64>>,
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
        }
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

    /// What a stream finds whose next item has the index `next`.
    pub(super) fn find(&mut self, next: usize, mode: Mode) -> Found<E> {
        let behind = match next.checked_sub(1) {
            Some(last) => self.items.get(last).map_or(0, |item| position_of(item).0),
            None => 0,
        };
        let fault = self.stream_faults.iter().position(|(at, _)| *at == behind);
        if let Some(fault) = fault {
            return Found::Fault(self.stream_faults.remove(fault).1);
        }
        match self.items.get(next) {
            Some(item) => Found::Item(item.clone()),
            None if self.completed || mode == Mode::Current => Found::End,
            None => Found::Nothing,
        }
    }
}
