//! What a projection does at the moment, and why.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use projectionist_core::{Counters, Epoch, Error, Offset, PauseScope, Timestamp};

/// What a projection does at the moment, and why. Every variant is produced by its cause.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ProjectionStatus {
    /// It asks for its lane: it was spawned, or has lost its claim.
    Starting,
    /// Another owner holds the lane.
    StandingBy {
        /// The holder, for people.
        holder: String,
    },
    /// It handles events.
    Running {
        /// The fencing number of its claim.
        epoch: Epoch,
    },
    /// It waits for new events: everything that the source delivered is handled. Told by
    /// [`ProjectionHandle::status`](crate::ProjectionHandle::status) and in reports; a receiver of
    /// statuses sees [`Running`](Self::Running) instead, as this changes with every event.
    Idle {
        /// The fencing number of its claim.
        epoch: Epoch,
    },
    /// Its source waits for something to read from, such as a file that is not there yet. Told by
    /// [`ProjectionHandle::report`](crate::ProjectionHandle::report).
    AwaitingSource {
        /// The fencing number of its claim.
        epoch: Epoch,
        /// What the source waits for, for people.
        reason: String,
    },
    /// It takes no new events because too much of what it took cannot be settled; or a flow has
    /// given nothing back for so long that something must be wrong.
    Blocked {
        /// What it waits for, for people, such as the key of the envelope that holds up the rest.
        reason: String,
        /// The position of the earliest envelope that is not settled.
        offset: Offset,
    },
    /// An attempt failed; the next one follows after `delay`.
    Retrying {
        /// The position of the envelope, or of the last one of the group.
        offset: Offset,
        /// How often it was tried.
        attempt: u32,
        /// The wait before the next attempt, counted from the failure.
        delay: Duration,
        /// Why the attempt failed.
        error: String,
    },
    /// Someone has paused it.
    Paused {
        /// Whose flag it is.
        scope: PauseScope,
        /// When it was set.
        since: Timestamp,
    },
    /// A run failed; the next one begins after `delay`.
    Restarting {
        /// How many runs have failed in a row.
        failures: u32,
        /// The wait before the next run, counted from the failure.
        delay: Duration,
        /// The position of the envelope that could not be handled; `None` when no envelope is to
        /// blame but the source, the store or a hook.
        offset: Option<Offset>,
        /// Why the run failed.
        error: Arc<Error>,
    },
    /// The source ended and everything is saved.
    Completed,
    /// It was stopped and everything that was handled is saved.
    Stopped,
    /// It failed and is not restarted.
    Failed {
        /// Why.
        error: Arc<Error>,
    },
}

impl fmt::Display for ProjectionStatus {
    /// A line for people: what it does, and why.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starting => f.write_str("starting"),
            Self::StandingBy { holder } => write!(f, "standing by behind {holder}"),
            Self::Running { epoch } => write!(f, "running under epoch {epoch}"),
            Self::Idle { epoch } => write!(f, "waiting for events under epoch {epoch}"),
            Self::AwaitingSource { epoch, reason } => {
                write!(f, "waiting for {reason} under epoch {epoch}")
            }
            Self::Blocked { reason, offset } => write!(f, "blocked at {offset}: {reason}"),
            Self::Retrying {
                offset,
                attempt,
                delay,
                error,
            } => write!(
                f,
                "retrying {offset} {delay:?} after attempt {attempt} failed: {error}"
            ),
            Self::Paused { scope, .. } => match scope {
                PauseScope::Lane => f.write_str("paused"),
                PauseScope::AllLanes => f.write_str("paused with all lanes of its name"),
            },
            Self::Restarting {
                failures,
                delay,
                error,
                ..
            } => write!(
                f,
                "restarting {delay:?} after failure {failures} in a row: {error}"
            ),
            Self::Completed => f.write_str("completed"),
            Self::Stopped => f.write_str("stopped"),
            Self::Failed { error } => write!(f, "failed: {error}"),
        }
    }
}

impl ProjectionStatus {
    /// Whether the projection has ended.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Stopped | Self::Failed { .. })
    }

    /// The fencing number of the claim under which it handles events, or waits for some.
    #[must_use]
    pub fn epoch(&self) -> Option<Epoch> {
        match self {
            Self::Running { epoch } | Self::Idle { epoch } | Self::AwaitingSource { epoch, .. } => {
                Some(*epoch)
            }
            _ => None,
        }
    }

    /// The position that cannot be handled now, where there is one.
    pub(crate) fn failing(&self) -> Option<&Offset> {
        match self {
            Self::Retrying { offset, .. } | Self::Blocked { offset, .. } => Some(offset),
            Self::Restarting { offset, .. } => offset.as_ref(),
            _ => None,
        }
    }
}

/// How a projection ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The source ended.
    Completed,
    /// It was stopped.
    Stopped,
}

/// Everything that there is to know about a projection at the moment.
#[derive(Clone, Debug)]
pub struct ProjectionReport {
    /// What it does, and why.
    pub status: ProjectionStatus,
    /// Since when.
    pub since: Timestamp,
    /// Everything up to here is settled and stored; `None` before the first commit.
    pub offset: Option<Offset>,
    /// What became of the events so far, cumulative over all runs.
    pub counters: Counters,
    /// The fencing number of the last claim of the lane, whoever holds it.
    pub epoch: Epoch,
    /// When the offset or the counters last moved.
    pub updated_at: Option<Timestamp>,
    /// How many records the source has behind the offset, where it can tell.
    pub lag_events: Option<u64>,
    /// How many bytes of records the source has behind the offset, where it can tell.
    pub lag_bytes: Option<u64>,
    /// How long ago the event happened that was delivered last; zero when nothing is behind it.
    /// `None` when the events do not tell their time, and before the first.
    pub lag: Option<Duration>,
}
