//! What one watcher of lanes holds, and what it is still to be told.

use std::collections::VecDeque;

use projectionist_core::contract::{LaneEvent, Mode};

use super::shared::{Lane, SharedLanes};
use crate::TestSource;

/// What one watcher of lanes holds, and what it is still to be told.
#[derive(Debug)]
pub(super) struct Roster<E> {
    assigned: Vec<Assignment>,
    queue: VecDeque<Told<E>>,
    /// The number of the watch that is open.
    open: Option<usize>,
    pub(super) watched: usize,
    pub(super) watch_faults: VecDeque<String>,
    pub(super) completed: bool,
}

#[derive(Clone, Debug)]
struct Assignment {
    key: String,
    term: u64,
    is_ended: bool,
}

/// What a watch delivers.
#[derive(Debug)]
pub(super) enum Told<E> {
    Event(LaneEvent<TestSource<E>>),
    Fault(String),
}

/// What a watch finds.
pub(super) enum Next<E> {
    Told(Told<E>),
    /// A later watch was opened.
    Replaced,
    End,
    Nothing,
}

impl<E> Roster<E> {
    pub(super) fn empty() -> Self {
        Self {
            assigned: Vec::new(),
            queue: VecDeque::new(),
            open: None,
            watched: 0,
            watch_faults: VecDeque::new(),
            completed: false,
        }
    }

    /// The keys that are held, in the order of their assignment.
    pub(super) fn keys(&self) -> Vec<String> {
        let keys = self.assigned.iter().map(|one| &one.key);
        keys.cloned().collect()
    }

    /// Opens a watch, which is told at first what is held; gives its number.
    pub(super) fn watch(&mut self, lanes: &SharedLanes<E>) -> usize {
        self.watched += 1;
        self.open = Some(self.watched);
        let forgotten = self.queue.drain(..);
        let planned = forgotten.filter(|told| matches!(told, Told::Fault(_)));
        let planned: Vec<_> = planned.collect();
        for one in self.assigned.clone() {
            let key = one.key;
            self.tell_assigned(key.clone(), &lanes.lane(&key), one.term);
            if one.is_ended {
                self.tell(LaneEvent::Ended { key });
            }
        }
        self.queue.extend(planned);
        self.watched
    }

    /// Closes a watch: what it was not told is forgotten.
    pub(super) fn close(&mut self, watch: usize) {
        if self.open == Some(watch) {
            self.open = None;
            self.queue.clear();
        }
    }

    pub(super) fn next(&mut self, watch: usize, mode: Mode) -> Next<E> {
        if self.open != Some(watch) {
            return Next::Replaced;
        }
        match self.queue.pop_front() {
            Some(told) => Next::Told(told),
            None if self.completed || mode == Mode::Current => Next::End,
            None => Next::Nothing,
        }
    }

    /// Whether a lane is held that has not ended.
    pub(super) fn reads(&self, key: &str) -> bool {
        let mut assigned = self.assigned.iter();
        assigned.any(|one| one.key == key && !one.is_ended)
    }

    /// Whether a lane is held, also one that has ended.
    pub(super) fn holds(&self, key: &str) -> bool {
        self.assigned.iter().any(|one| one.key == key)
    }

    pub(super) fn assign(&mut self, key: &str, lane: &Lane<E>) {
        let (key, term) = (key.to_owned(), lane.begin());
        self.assigned.retain(|one| one.key != key);
        self.tell_assigned(key.clone(), lane, term);
        self.assigned.push(Assignment {
            key,
            term,
            is_ended: false,
        });
    }

    /// Takes a lane away; gives the term in which it was read, or `None` when it was not held.
    pub(super) fn take(&mut self, key: &str) -> Option<u64> {
        let index = self.assigned.iter().position(|one| one.key == key)?;
        Some(self.assigned.remove(index).term)
    }

    /// Notes that a lane has ended; `false` when it is not read.
    pub(super) fn end(&mut self, key: &str) -> bool {
        let mut assigned = self.assigned.iter_mut();
        let Some(one) = assigned.find(|one| one.key == key && !one.is_ended) else {
            return false;
        };
        one.is_ended = true;
        true
    }

    /// Tells the open watch. Without one nobody is told.
    pub(super) fn tell(&mut self, event: LaneEvent<TestSource<E>>) {
        if self.open.is_some() {
            self.queue.push_back(Told::Event(event));
        }
    }

    /// Lets the open watch fail behind what it is still to be told, or the next one.
    pub(super) fn fail(&mut self, reason: &str) {
        self.queue.push_back(Told::Fault(reason.to_owned()));
    }

    fn tell_assigned(&mut self, key: String, lane: &Lane<E>, term: u64) {
        let provider = lane.reader(&key, term);
        self.tell(LaneEvent::Assigned { key, provider });
    }
}
