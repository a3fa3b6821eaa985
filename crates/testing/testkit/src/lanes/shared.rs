//! The lanes themselves, which all watchers of a group share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::TestSource;
use crate::source::{Lease, Terms};

/// The lanes by their keys.
#[derive(Debug)]
pub(super) struct SharedLanes<E>(Arc<Mutex<BTreeMap<String, Lane<E>>>>);

/// What a lane delivers, and who may read it.
#[derive(Debug)]
pub(super) struct Lane<E> {
    pub(super) source: TestSource<E>,
    terms: Terms,
}

impl<E> SharedLanes<E> {
    pub(super) fn empty() -> Self {
        Self(Arc::default())
    }

    /// The lane of that key, which is made when it is not there.
    pub(super) fn lane(&self, key: &str) -> Lane<E> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lane = lanes.entry(key.to_owned()).or_insert_with(|| Lane {
            source: TestSource::of([]),
            terms: Terms::default(),
        });
        lane.clone()
    }

    /// All keys, in their order.
    pub(super) fn keys(&self) -> Vec<String> {
        let lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.keys().cloned().collect()
    }
}

impl<E> Lane<E> {
    /// Begins a term: whoever read the lane before must not any more.
    pub(super) fn begin(&self) -> u64 {
        let term = self.terms.next();
        self.source.tell_change();
        term
    }

    /// Ends a term, if it is still the present one.
    pub(super) fn end(&self, term: u64) {
        self.terms.end(term);
        self.source.tell_change();
    }

    /// Reads the lane as long as `term` lasts.
    pub(super) fn reader(&self, key: &str, term: u64) -> TestSource<E> {
        self.source.leased(Lease::new(key, &self.terms, term))
    }
}

impl<E> Clone for SharedLanes<E> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<E> Clone for Lane<E> {
    fn clone(&self) -> Self {
        Self {
            source: self.source.clone(),
            terms: self.terms.clone(),
        }
    }
}
