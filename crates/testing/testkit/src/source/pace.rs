//! Demand that a test gives by hand.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// How many items may still be delivered; `None` for any number.
type Demand = Arc<Mutex<Option<u64>>>;

/// Decides when a [`TestSource`](crate::TestSource) may deliver. A clone is the same probe.
///
/// Every item that a stream of the source delivers, an envelope as well as a malformed record,
/// uses up one of what was requested. Demand belongs to the source and not to a stream: what is
/// not used up when a projection restarts is there for its next stream. What a source does
/// besides, such as ending or failing, needs no demand.
#[derive(Clone)]
pub struct PaceProbe {
    demand: Demand,
    changed: watch::Sender<()>,
}

impl PaceProbe {
    /// Any number of items may pass; `changed` is told what changes.
    pub(super) fn unbounded(changed: watch::Sender<()>) -> Self {
        Self {
            demand: Demand::default(),
            changed,
        }
    }

    /// Lets one more item pass.
    pub fn request_one(&self) {
        self.request(1);
    }

    /// Lets so many more items pass; [`u64::MAX`] takes the pace away.
    pub fn request(&self, items: u64) {
        let mut demand = self.lock();
        *demand = Some(demand.unwrap_or_default().saturating_add(items));
        drop(demand);
        self.changed.send_replace(());
    }

    /// How many items were requested and not delivered yet.
    #[must_use]
    pub fn outstanding(&self) -> u64 {
        self.lock().unwrap_or_default()
    }

    /// Waits until everything that was requested is delivered.
    pub async fn all_delivered(&self) {
        let mut changed = self.changed.subscribe();
        loop {
            changed.mark_unchanged();
            if self.outstanding() == 0 {
                return;
            }
            // The sender lives in `self`: the channel cannot close.
            let _still_open = changed.changed().await;
        }
    }

    /// From now on only what is requested may pass.
    pub(super) fn bound(&self) {
        self.lock().get_or_insert(0);
    }

    /// Uses up the demand of one item; `false` when there is none.
    pub(super) fn take(&self) -> bool {
        match &mut *self.lock() {
            None | Some(u64::MAX) => return true,
            Some(0) => return false,
            Some(demand) => *demand -= 1,
        }
        self.changed.send_replace(());
        true
    }

    fn lock(&self) -> MutexGuard<'_, Option<u64>> {
        self.demand.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for PaceProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaceProbe")
            .field("demand", &*self.lock())
            .finish()
    }
}
