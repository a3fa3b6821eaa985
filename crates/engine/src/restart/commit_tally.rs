//! Commits that are not told to the metrics yet.

use projectionist_core::Counters;

use super::shared::Shared;

/// After so many commits they are told in any case: a handler that blocks its thread delays what is
/// told by so many calls.
const TELL_AFTER: u64 = 16;

/// Commits that are not told to the metrics yet.
///
/// Where each envelope has a commit, to look at the clock and to move every metric costs as much as
/// the commit does. They are told together, before anything that may take long.
#[derive(Debug)]
pub(crate) struct CommitTally {
    /// What the commits that are told had counted by then.
    told: Counters,
    commits: u64,
}

impl CommitTally {
    /// No commit yet; `counted` so far.
    pub(crate) fn new(counted: &Counters) -> Self {
        Self {
            told: *counted,
            commits: 0,
        }
    }

    /// The store has taken a commit, with which `counted` is counted.
    #[inline]
    pub(crate) fn add(&mut self, counted: &Counters, shared: &Shared) {
        self.commits += 1;
        if self.commits >= TELL_AFTER {
            self.tell(counted, shared);
        }
    }

    /// Tells what is not told yet.
    pub(crate) fn tell(&mut self, counted: &Counters, shared: &Shared) {
        if self.commits > 0 {
            shared.committed_many(&counted.since(&self.told), self.commits);
            *self = Self::new(counted);
        }
    }
}
