//! What the owner of a projection shares with its handle.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use projectionist_core::{Clock, Commit, Counters, Error, ProjectionId, Timestamp};
use projectionist_telemetry::{LaneActivity, LaneMetrics};
use tokio::sync::watch;

use super::account::Account;
use crate::ProjectionStatus;
use crate::delivery::letters::class_of;
use crate::management::wishes::Wishes;
use crate::signals::Signals;

/// No event has told its time.
const UNKNOWN: i64 = i64::MIN;

/// Tells what the source waits for.
pub(crate) type Awaited = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// What the owner of a projection shares with its handle.
pub(crate) struct Shared {
    pub(crate) signals: Arc<Signals>,
    pub(crate) wishes: Wishes,
    pub(crate) account: Account,
    clock: Arc<dyn Clock>,
    status: watch::Sender<Published>,
    metrics: LaneMetrics,
    awaited: Awaited,
    /// The source has nothing more at hand, and everything that it delivered is handled.
    quiet: AtomicBool,
    /// When the event that was delivered last happened, as Unix milliseconds.
    event_time: AtomicI64,
}

/// A status, and since when it is so.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub(crate) status: ProjectionStatus,
    pub(crate) since: Timestamp,
}

impl Shared {
    pub(crate) fn new(lane: &ProjectionId, clock: Arc<dyn Clock>, awaited: Awaited) -> Self {
        let first = Published {
            status: ProjectionStatus::Starting,
            since: clock.now(),
        };
        let signals = Arc::new(Signals::default());
        Self {
            wishes: Wishes::new(Arc::clone(&signals)),
            signals,
            account: Account::default(),
            status: watch::Sender::new(first),
            metrics: LaneMetrics::new(lane),
            awaited,
            clock,
            quiet: AtomicBool::new(false),
            event_time: AtomicI64::new(UNKNOWN),
        }
    }

    pub(crate) fn publish(&self, status: ProjectionStatus) {
        match activity(&status) {
            Some(activity) => self.metrics.state(activity),
            None => self.metrics.ended(),
        }
        let since = self.clock.now();
        self.note_failure(&status, since);
        self.status.send_replace(Published { status, since });
    }

    /// Notes the error of a run that failed, for reports.
    pub(crate) fn note_failure(&self, status: &ProjectionStatus, now: Timestamp) {
        let (ProjectionStatus::Restarting { error, .. } | ProjectionStatus::Failed { error }) =
            status
        else {
            return;
        };
        let (offset, class) = match &**error {
            Error::Handler { offset, source, .. } => (Some(offset.as_str()), class_of(source)),
            error => (None, error.class()),
        };
        let text = error.to_string();
        self.account.run_failed(offset, &text, class, now);
    }

    /// A status as it is at the moment: running, or waiting for events or for something to read
    /// them from.
    pub(crate) fn as_it_is(&self, status: ProjectionStatus) -> ProjectionStatus {
        match status {
            ProjectionStatus::Running { epoch } if self.is_quiet() => match (self.awaited)() {
                Some(reason) => ProjectionStatus::AwaitingSource { epoch, reason },
                None => ProjectionStatus::Idle { epoch },
            },
            status => status,
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Published> {
        self.status.subscribe()
    }

    pub(crate) fn published(&self) -> Published {
        self.status.borrow().clone()
    }

    pub(crate) fn metrics(&self) -> &LaneMetrics {
        &self.metrics
    }

    /// The store has taken `commit`.
    pub(crate) fn committed(&self, commit: &Commit) {
        self.account.has_read(commit.counters.read);
        self.metrics
            .committed(&commit.counters, self.clock.recent());
    }

    /// The store has taken so many commits, which count `counters` together.
    pub(super) fn committed_many(&self, counters: &Counters, commits: u64) {
        self.account.has_read(counters.read);
        self.metrics
            .committed_many(counters, commits, self.clock.recent());
    }

    /// The source has nothing more at hand, until what this gives is dropped.
    pub(crate) fn quiet(&self) -> Quiet<'_> {
        self.account
            .is_quiet_at(self.event_time.load(Ordering::Relaxed));
        self.quiet.store(true, Ordering::Release);
        Quiet(&self.quiet)
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet.load(Ordering::Acquire)
    }

    /// Whether nothing is left to handle; also when a run was interrupted while nothing was.
    pub(crate) fn has_caught_up(&self) -> bool {
        self.is_quiet()
            || self
                .account
                .is_as_when_quiet(self.event_time.load(Ordering::Relaxed))
    }

    /// An event was delivered that happened at `time`.
    pub(crate) fn saw_event_of(&self, time: Timestamp) {
        self.event_time.store(time.unix_millis, Ordering::Release);
    }

    /// How long ago the event happened that was delivered last; zero while nothing is behind it.
    pub(crate) fn lag(&self) -> Option<std::time::Duration> {
        if self.is_quiet() {
            return Some(std::time::Duration::ZERO);
        }
        let time = self.event_time.load(Ordering::Acquire);
        let time = (time != UNKNOWN).then(|| Timestamp::from_unix_millis(time))?;
        Some(self.clock.now().since(time))
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("status", &self.published())
            .finish_non_exhaustive()
    }
}

/// While it lives, nothing is left to handle.
pub(crate) struct Quiet<'a>(&'a AtomicBool);

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

fn activity(status: &ProjectionStatus) -> Option<LaneActivity> {
    Some(match status {
        ProjectionStatus::Starting => LaneActivity::Starting,
        ProjectionStatus::StandingBy { .. } => LaneActivity::StandingBy,
        ProjectionStatus::Running { .. }
        | ProjectionStatus::Idle { .. }
        | ProjectionStatus::AwaitingSource { .. } => LaneActivity::Running,
        ProjectionStatus::Blocked { .. } => LaneActivity::Blocked,
        ProjectionStatus::Retrying { .. } => LaneActivity::Running,
        ProjectionStatus::Paused { .. } => LaneActivity::Paused,
        ProjectionStatus::Restarting { .. } => LaneActivity::BackingOff,
        ProjectionStatus::Completed
        | ProjectionStatus::Stopped
        | ProjectionStatus::Failed { .. } => return None,
    })
}
