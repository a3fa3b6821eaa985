//! Keeps what handlers were given, and makes them fail where a test says so.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projectionist_core::contract::{FailureAction, Observer};
use tokio::sync::watch;

use crate::fault::{Faults, Kind, Place};
use crate::{RecordingHandler, RecordingObserver};

/// Keeps what its handlers were given, and makes them fail where a test says so. A clone is the
/// same recorder.
///
/// ```
/// use projectionist_testkit::Recorder;
///
/// let recorder = Recorder::<&str>::default();
/// recorder.fail_at(4, 2); // The first two attempts at position 4 fail, the third succeeds.
/// let handler_factory = {
///     let recorder = recorder.clone();
///     move || recorder.handler()
/// };
/// # drop(handler_factory());
/// assert_eq!(recorder.calls(), ["created"]);
/// ```
#[derive(Debug)]
pub struct Recorder<E> {
    state: Arc<Mutex<State<E>>>,
    changed: watch::Sender<()>,
}

impl<E> Clone for Recorder<E> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            changed: self.changed.clone(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct State<E> {
    pub(crate) handled: Vec<E>,
    pub(crate) calls: Vec<String>,
    pub(crate) actions: Vec<FailureAction>,
    pub(crate) faults: Faults,
    pub(crate) held: BTreeSet<u64>,
    pub(crate) observers_panic: bool,
}

impl<E> Default for Recorder<E> {
    fn default() -> Self {
        let state = State {
            handled: Vec::new(),
            calls: Vec::new(),
            actions: Vec::new(),
            faults: Faults::default(),
            held: BTreeSet::new(),
            observers_panic: false,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            changed: watch::Sender::new(()),
        }
    }
}

impl<E> Recorder<E> {
    /// A handler of this recorder, for a factory. It handles single events and groups.
    #[must_use]
    pub fn handler(&self) -> RecordingHandler<E> {
        self.record("created");
        RecordingHandler::new(self.clone())
    }

    /// An observer whose calls stand between those of the handlers, in their order.
    #[must_use]
    pub fn observer(&self) -> Arc<dyn Observer>
    where
        E: Send + Sync + std::fmt::Debug + 'static,
    {
        Arc::new(RecordingObserver::new(self.clone()))
    }

    /// The events that were handled, in order. A group counts as handled when its handler returns,
    /// also where its transaction fails afterwards.
    #[must_use]
    pub fn handled(&self) -> Vec<E>
    where
        E: Clone,
    {
        self.lock().handled.clone()
    }

    /// What was called, in order: `created`, `start`, `process 3#1` (position and attempt; a group
    /// has its positions with commas), `stop`. Of an observer: `observer.started`,
    /// `observer.failed`, `observer.stopped`, `observer.before 3`, `observer.after 3`,
    /// `observer.error 3#1`, `observer.progress 3`, `observer.paused`, `observer.resumed`,
    /// `observer.done COMMAND`, `observer.refused COMMAND: REASON`.
    ///
    /// A replay says so: `process 3#1 replay`. Of a source that is told to: `verify 3`.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        self.lock().calls.clone()
    }

    /// What the observer was told to follow each failed attempt, in order: one entry for each
    /// `observer.error` of [`Self::calls`].
    #[must_use]
    pub fn actions(&self) -> Vec<FailureAction> {
        self.lock().actions.clone()
    }

    /// How many of the calls begin with `prefix`.
    #[must_use]
    pub fn count(&self, prefix: &str) -> usize {
        let state = self.lock();
        let calls = state.calls.iter();
        calls.filter(|call| call.starts_with(prefix)).count()
    }

    /// Waits until `events` events were handled, over all handlers.
    pub async fn has_handled(&self, events: usize) {
        self.until(|state| state.handled.len() >= events).await;
    }

    /// Waits until `times` of the calls begin with `prefix`.
    pub async fn has_called(&self, prefix: &str, times: usize) {
        let calls = |state: &State<E>| {
            let calls = state.calls.iter();
            calls.filter(|call| call.starts_with(prefix)).count()
        };
        self.until(|state| calls(state) >= times).await;
    }

    /// The handler fails at `position` in its next `times` attempts there.
    pub fn fail_at(&self, position: u64, times: usize) {
        self.plan(Place::Position(position), Kind::Error, times);
    }

    /// The handler panics at `position` in its next attempt there.
    pub fn panic_at(&self, position: u64) {
        self.plan(Place::Position(position), Kind::Panic, 1);
    }

    /// The handler fails at `position` whenever it is there, with an error of class `data`.
    pub fn refuse(&self, position: u64) {
        self.plan(Place::Position(position), Kind::Data, usize::MAX);
    }

    /// The next handler fails in `start`.
    pub fn fail_at_start(&self) {
        self.plan(Place::Start, Kind::Error, 1);
    }

    /// The next handler panics in `start`.
    pub fn panic_at_start(&self) {
        self.plan(Place::Start, Kind::Panic, 1);
    }

    /// The next handler fails in `stop`.
    pub fn fail_at_stop(&self) {
        self.plan(Place::Stop, Kind::Error, 1);
    }

    /// The next handler panics in `stop`.
    pub fn panic_at_stop(&self) {
        self.plan(Place::Stop, Kind::Panic, 1);
    }

    /// Every call of an observer panics, after it was recorded.
    pub fn panic_in_observers(&self) {
        self.lock().observers_panic = true;
    }

    /// A handler that comes to `position` waits there until [`Self::release`].
    pub fn hold_at(&self, position: u64) {
        self.lock().held.insert(position);
    }

    /// Lets the handler at `position` go on.
    pub fn release(&self, position: u64) {
        self.lock().held.remove(&position);
        self.changed.send_replace(());
    }

    pub(crate) fn record(&self, call: impl Into<String>) {
        self.lock().calls.push(call.into());
        self.changed.send_replace(());
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell_change(&self) {
        self.changed.send_replace(());
    }

    /// Waits until the state is as `condition` says.
    pub(crate) async fn until(&self, condition: impl Fn(&State<E>) -> bool) {
        let mut changed = self.changed.subscribe();
        loop {
            changed.mark_unchanged();
            if condition(&self.lock()) {
                return;
            }
            // The sender lives in `self`: the channel cannot close.
            let _still_open = changed.changed().await;
        }
    }

    fn plan(&self, place: Place, kind: Kind, times: usize) {
        self.lock().faults.plan(place, kind, times);
    }
}
