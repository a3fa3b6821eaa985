//! Who moved which lane, as the observers of all processes saw it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use projectionist_core::contract::Observer;
use projectionist_core::{Offset, ProjectionId};

/// Who moved which lane how far, in the order in which it happened. A clone is the same ledger.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// By the key of the lane.
    moved: Arc<Mutex<BTreeMap<String, Vec<Moved>>>>,
    instances: Arc<AtomicUsize>,
}

/// An instance, and the offset that it reached.
type Moved = (usize, u64);

/// Tells the ledger what one instance of a projection does.
#[derive(Debug)]
struct Witness {
    instance: usize,
    ledger: Ledger,
}

impl Ledger {
    /// The observer of the next instance.
    pub(crate) fn witness(&self) -> Arc<dyn Observer> {
        Arc::new(Witness {
            instance: self.instances.fetch_add(1, Ordering::SeqCst),
            ledger: self.clone(),
        })
    }

    /// A lane never moves back, and whoever has been followed by another one moves it no more.
    pub(crate) fn check(&self) {
        for (lane, moved) in self.moved.lock().unwrap().iter() {
            let offsets = moved.iter().map(|(_, offset)| offset);
            assert!(offsets.is_sorted(), "{lane} moved back: {moved:?}");
            let mut followed: BTreeSet<&usize> = BTreeSet::new();
            let mut present = None;
            for (instance, offset) in moved {
                if present != Some(instance) {
                    followed.extend(present);
                    present = Some(instance);
                }
                assert!(
                    !followed.contains(instance),
                    "{lane} has two owners at {offset}: {moved:?}"
                );
            }
        }
    }
}

impl Observer for Witness {
    fn progress(&self, lane: &ProjectionId, offset: &Offset) {
        let mut moved = self.ledger.moved.lock().unwrap();
        let moved = moved.entry(lane.key().to_owned()).or_default();
        moved.push((self.instance, offset.text.parse().unwrap()));
    }
}
