//! Commits that are not told to the metrics yet.

use projectionist_core::{Commit, Counters};

use super::shared::Shared;

/// After so many commits they are told in any case: a handler that blocks its thread delays what is
/// told by so many calls.
const TELL_AFTER: u64 = 16;

/// Commits that are not told to the metrics yet.
///
/// Where each envelope has a commit, to look at the clock and to move every metric costs as much as
/// the commit does. They are told together, before anything that may take long.
#[derive(Debug, Default)]
pub(crate) struct CommitTally {
    counters: Counters,
    commits: u64,
}

impl CommitTally {
    /// The store has taken `commit`.
    pub(crate) fn add(&mut self, commit: &Commit, shared: &Shared) {
        self.counters.add(&commit.counters);
        self.commits += 1;
        if self.commits >= TELL_AFTER {
            self.tell(shared);
        }
    }

    /// Tells what is not told yet.
    pub(crate) fn tell(&mut self, shared: &Shared) {
        if self.commits > 0 {
            shared.committed_many(&self.counters, self.commits);
            *self = Self::default();
        }
    }
}
