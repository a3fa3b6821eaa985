//! Lanes that a test gives and takes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use projectionist_core::contract::{LaneEvent, Released};
use tokio::sync::watch;

use super::roster::Roster;
use super::shared::SharedLanes;
use crate::TestSource;
use crate::misuse::misuse;

/// A [`LaneSource`](projectionist_core::contract::LaneSource) whose lanes a test gives and takes;
/// behind each stands a [`TestSource`]. A clone is the same source.
///
/// It stands for **one** consumer: one watch is open at a time, and a later one ends the one
/// before with an error. Several consumers of the same lanes are the members of a
/// [`TestLaneGroup`](super::TestLaneGroup).
///
/// A watch is told at first which lanes are held. What happens while none is open is not told to
/// anybody: a lane that is revoked then counts as released at once.
///
/// A lane that was released, lost or given to another one cannot be read on: streams of its
/// provider fail, as does opening another one.
///
/// ```
/// use std::time::Duration;
/// use projectionist_testkit::TestLanes;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let lanes = TestLanes::new();
/// lanes.lane("partition-0").push("opened");
/// lanes.assign("partition-0");
/// // A projection over `lanes.clone()` reads the partition now.
/// lanes.revoke("partition-0", Duration::from_secs(10)).await; // It has released it.
/// # }
/// ```
#[derive(Debug)]
pub struct TestLanes<E> {
    pub(super) lanes: SharedLanes<E>,
    roster: Arc<Mutex<Roster<E>>>,
    pub(super) changed: watch::Sender<()>,
}

impl<E> Clone for TestLanes<E> {
    fn clone(&self) -> Self {
        Self {
            lanes: self.lanes.clone(),
            roster: Arc::clone(&self.roster),
            changed: self.changed.clone(),
        }
    }
}

impl<E> Default for TestLanes<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> TestLanes<E> {
    /// No lane is assigned.
    #[must_use]
    pub fn new() -> Self {
        Self::over(SharedLanes::empty())
    }

    pub(super) fn over(lanes: SharedLanes<E>) -> Self {
        Self {
            lanes,
            roster: Arc::new(Mutex::new(Roster::empty())),
            changed: watch::Sender::new(()),
        }
    }

    /// The source behind a lane, empty at first. It is there whether the lane is assigned or not,
    /// and can be read directly.
    #[must_use]
    pub fn lane(&self, key: &str) -> TestSource<E> {
        self.lanes.lane(key).source
    }

    /// Gives a lane to the one who watches.
    ///
    /// # Panics
    /// When it has the lane already.
    #[track_caller]
    pub fn assign(&self, key: &str) {
        if self.lock().reads(key) {
            misuse(&format!("the lane {key} is assigned already"));
        }
        let lane = self.lanes.lane(key);
        self.lock().assign(key, &lane);
        self.tell_change();
    }

    /// Takes a lane away in order, with a deadline for the one who watches. The future ends when
    /// that one has released the lane, also after the deadline. The lane is taken away whether or
    /// not the future is awaited.
    ///
    /// # Panics
    /// When the lane is not assigned.
    #[track_caller]
    pub fn revoke(
        &self,
        key: &str,
        deadline: Duration,
    ) -> impl Future<Output = ()> + Send + 'static + use<E>
    where
        E: Send + 'static,
    {
        let term = self.take(key);
        let lane = self.lanes.lane(key);
        let (released, is_released) = Released::new();
        self.tell(LaneEvent::Revoked {
            key: key.to_owned(),
            deadline,
            released,
        });
        async move {
            is_released.await;
            lane.end(term);
        }
    }

    /// Takes a lane away at once.
    ///
    /// # Panics
    /// When the lane is not assigned.
    #[track_caller]
    pub fn lose(&self, key: &str) {
        let term = self.take(key);
        self.lanes.lane(key).end(term);
        self.tell(LaneEvent::Lost {
            key: key.to_owned(),
        });
    }

    /// Says that a lane has no more records: it ends behind its last item. A later watch is told
    /// that too, since the lane may not be read to its end.
    ///
    /// # Panics
    /// When the lane is not assigned, or has ended before.
    #[track_caller]
    pub fn end(&self, key: &str) {
        if !self.lock().end(key) {
            misuse(&format!("the lane {key} is not assigned"));
        }
        self.lanes.lane(key).source.complete();
        self.tell(LaneEvent::Ended {
            key: key.to_owned(),
        });
    }

    /// No further lane will come: a watch ends behind what it is still to be told.
    pub fn complete(&self) {
        self.lock().completed = true;
        self.tell_change();
    }

    /// The open watch fails, in a way that trying again may mend; without an open one the next,
    /// behind the lanes that it is told.
    pub fn fail_watch(&self, reason: &str) {
        self.lock().fail(reason);
        self.tell_change();
    }

    /// The next call of `watch` fails, in a way that trying again may mend.
    pub fn fail_next_watch(&self, reason: &str) {
        self.lock().watch_faults.push_back(reason.to_owned());
    }

    /// How often it was watched.
    #[must_use]
    pub fn watched(&self) -> usize {
        self.lock().watched
    }

    /// The keys of the lanes that are assigned, in the order of their assignment.
    #[must_use]
    pub fn assigned(&self) -> Vec<String> {
        self.lock().keys()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Roster<E>> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    fn take(&self, key: &str) -> u64 {
        let term = self.lock().take(key);
        term.unwrap_or_else(|| misuse(&format!("the lane {key} is not assigned")))
    }

    fn tell(&self, event: LaneEvent<TestSource<E>>) {
        self.lock().tell(event);
        self.tell_change();
    }

    fn tell_change(&self) {
        self.changed.send_replace(());
    }
}
