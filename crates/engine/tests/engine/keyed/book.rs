//! What handlers did, and what they should have done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use projectionist_core::contract::{Context, Handler, HandlerResult};
use projectionist_testkit::TestEnvelope;

/// The key of an event, where there are so many keys.
pub(crate) fn key_of(event: u64, keys: u64) -> u64 {
    event % keys
}

/// The events of each key, in their order: a read model that depends on the order within a key.
pub(crate) fn fold(events: impl IntoIterator<Item = u64>, keys: u64) -> BTreeMap<u64, Vec<u64>> {
    let mut lists: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for event in events {
        lists.entry(key_of(event, keys)).or_default().push(event);
    }
    lists
}

#[derive(Debug, Default)]
struct Page {
    handled: Vec<u64>,
    running: BTreeSet<u64>,
    most_at_once: usize,
}

/// What handlers did. A clone is the same book.
#[derive(Clone, Debug, Default)]
pub(crate) struct Book(Arc<Mutex<Page>>);

impl Book {
    pub(crate) fn handled(&self) -> Vec<u64> {
        self.page().handled.clone()
    }

    /// The most envelopes that were handled at once.
    pub(crate) fn most_at_once(&self) -> usize {
        self.page().most_at_once
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes its time and writes down what it has handled. Panics when two envelopes of a key are
/// handled at once.
pub(crate) struct Clerk {
    pub(crate) book: Book,
    pub(crate) keys: u64,
    pub(crate) takes: fn(u64) -> Duration,
}

impl Handler<TestEnvelope<u64>> for Clerk {
    async fn process(&mut self, envelope: &TestEnvelope<u64>, _: &Context<'_>) -> HandlerResult {
        let key = key_of(envelope.event, self.keys);
        {
            let mut page = self.book.page();
            assert!(page.running.insert(key), "two of key {key} at once");
            page.most_at_once = page.most_at_once.max(page.running.len());
        }
        let takes = (self.takes)(envelope.event);
        if !takes.is_zero() {
            tokio::time::sleep(takes).await; // a workload, not a wait
        }
        let mut page = self.book.page();
        page.running.remove(&key);
        page.handled.push(envelope.event);
        Ok(())
    }
}
