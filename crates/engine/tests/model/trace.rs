//! What happens, in the order in which it happens.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projectionist_core::{Claim, Commit};
use tokio::time::Instant;

use crate::common::store::Listener;

/// A process from its start to its end or death; another life of it has another number.
pub(crate) type ProcessId = u32;

/// Why an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// In some way that another attempt may mend, or the call did not come to its end.
    Error,
    /// The content does not fit.
    Data,
    /// The handler said that it can never be handled.
    Dropped,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// The store granted the lane.
    Claimed { by: ProcessId, epoch: u64 },
    /// A run opened the source behind this position.
    Opened { by: ProcessId, behind: Option<u64> },
    /// The source does not vouch for this position.
    NotVouchedFor { by: ProcessId, position: u64 },
    /// The handler was called with these events.
    Began {
        by: ProcessId,
        events: Vec<u64>,
        replay: bool,
        at: Instant,
    },
    /// It has handled them, the last of them being `last`.
    Handled { by: ProcessId, last: u64 },
    /// It failed.
    Failed {
        by: ProcessId,
        last: u64,
        why: Failure,
    },
    /// A commit is on its way to the store.
    CommitAsked { by: ProcessId, at: Instant },
    /// A commit took effect.
    Committed {
        by: ProcessId,
        epoch: u64,
        commit: Box<Commit>,
    },
    /// A pause flag was set: of the lane, or of all lanes.
    Flagged {
        all_lanes: bool,
        paused: bool,
        at: Instant,
    },
    /// Someone asks for the envelope there to be passed over.
    SkipAsked { position: u64 },
    /// A process said that it has paused.
    PausedHere { by: ProcessId },
}

/// What happened and was not judged yet. A clone is the same trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace(Arc<Mutex<Vec<Entry>>>);

impl Trace {
    pub(crate) fn push(&self, entry: Entry) {
        self.lock().push(entry);
    }

    /// Takes everything out.
    pub(crate) fn take(&self) -> Vec<Entry> {
        std::mem::take(&mut self.lock())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Hears what takes effect in the store for this process.
    pub(crate) fn ear(&self, by: ProcessId) -> Arc<dyn Listener> {
        let trace = self.clone();
        Arc::new(Ear { trace, by })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Ear {
    trace: Trace,
    by: ProcessId,
}

impl Listener for Ear {
    fn claimed(&self, claim: &Claim) {
        let (by, epoch) = (self.by, claim.epoch.0);
        self.trace.push(Entry::Claimed { by, epoch });
    }

    fn commit_asked(&self) {
        let (by, at) = (self.by, Instant::now());
        self.trace.push(Entry::CommitAsked { by, at });
    }

    fn committed(&self, claim: &Claim, commit: &Commit) {
        let (by, epoch) = (self.by, claim.epoch.0);
        let commit = Box::new(commit.clone());
        self.trace.push(Entry::Committed { by, epoch, commit });
    }

    fn flagged(&self, key: Option<&str>, paused: bool) {
        let (all_lanes, at) = (key.is_none(), Instant::now());
        self.trace.push(Entry::Flagged {
            all_lanes,
            paused,
            at,
        });
    }
}
