//! The right to read a source, for as long as its lane is assigned.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Who may read a lane: every assignment, and the end of one, begins another term.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms(Arc<AtomicU64>);

impl Terms {
    /// Ends the present term and begins the next one.
    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Ends `term`, if it is still the present one.
    pub(crate) fn end(&self, term: u64) {
        let next = term + 1;
        // Another value says that the term was over already.
        let _over = self
            .0
            .compare_exchange(term, next, Ordering::SeqCst, Ordering::SeqCst);
    }

    fn present(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// The right to read a source in one term.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    key: Arc<str>,
    terms: Terms,
    term: u64,
}

impl Lease {
    pub(crate) fn new(key: &str, terms: &Terms, term: u64) -> Self {
        Self {
            key: key.into(),
            terms: terms.clone(),
            term,
        }
    }

    /// Why the source must not be read any more.
    pub(super) fn refusal(&self) -> Option<String> {
        let is_over = self.terms.present() != self.term;
        is_over.then(|| {
            format!(
                "the lane {} is not assigned to this reader any more",
                self.key
            )
        })
    }
}
