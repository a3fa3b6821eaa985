//! Keeps in the store what the owner of a lane says of itself, off the path of the events.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use projectionist_core::contract::OffsetStore;
use projectionist_core::{
    Claim, Error, FailingEnvelope, OwnerReport, OwnerState, Pace, Result, Timestamp,
};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::account::capped;
use super::shared::{Published, Shared};
use crate::ProjectionStatus;
use crate::recovery::drive::panic_message;

/// How often it is looked whether something has moved.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The least time between two reports. A change that follows another at once waits so long, and is
/// told with what came after it.
const LEAST_BETWEEN: Duration = Duration::from_millis(200);

/// Reports while a claim is held. Dropping it ends that.
#[derive(Debug)]
pub(crate) struct Reporting {
    task: JoinHandle<()>,
}

impl Reporting {
    /// Begins to report what `shared` tells.
    pub(crate) fn spawn<S: OffsetStore>(store: S, claim: Claim, shared: Arc<Shared>) -> Self {
        Self {
            task: tokio::spawn(report_until_superseded(store, claim, shared)),
        }
    }

    /// Ends it, and waits until it has let go of the store: nothing older follows the last word.
    pub(crate) async fn end(mut self) {
        self.task.abort();
        let _aborted = (&mut self.task).await;
    }
}

impl Drop for Reporting {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Keeps how a projection ended, under the claim that it is about to give back. No longer than
/// `patience`: whoever looks finds an owner that has gone without a word.
pub(crate) async fn last_word<S: OffsetStore>(
    store: &S,
    claim: &Claim,
    shared: &Shared,
    status: ProjectionStatus,
    patience: Duration,
) {
    let now = shared.now();
    shared.note_failure(&status, now);
    let ended = Published { status, since: now };
    let report = report_of(shared, &ended, now, None);
    let _best_effort = timeout(patience, keep(store, claim, &report)).await;
}

/// What was told last.
struct Told {
    report: OwnerReport,
    read: u64,
    at: Instant,
}

async fn report_until_superseded<S: OffsetStore>(store: S, claim: Claim, shared: Arc<Shared>) {
    let mut statuses = shared.subscribe();
    let mut told: Option<Told> = None;
    loop {
        statuses.mark_unchanged();
        let (now, read) = (Instant::now(), shared.account.read());
        let pace = told.as_ref().map(|told| Pace {
            events: read.saturating_sub(told.read),
            within: now.duration_since(told.at),
        });
        let report = report_of(&shared, &shared.published(), shared.now(), pace);
        if told
            .as_ref()
            .is_none_or(|told| differs(&told.report, &report))
        {
            match keep(&store, &claim, &report).await {
                Ok(()) => {
                    let at = now;
                    told = Some(Told { report, read, at });
                }
                Err(Error::Fenced { .. }) => return,
                // The store may be back at the next look.
                Err(_) => {}
            }
        }
        let least = Instant::now() + LEAST_BETWEEN;
        tokio::select! {
            changed = statuses.changed() => if changed.is_err() {
                return;
            },
            () = sleep(LOOK_EVERY) => {}
        }
        sleep_until(least).await;
    }
}

/// Whether there is something new to say. How long ago things were says nothing new.
fn differs(told: &OwnerReport, report: &OwnerReport) -> bool {
    let moves = |report: &OwnerReport| report.pace.is_some_and(|pace| pace.events > 0);
    let is_behind = |report: &OwnerReport| report.lag.map(|lag| !lag.is_zero());
    // What was read last second is told once more as nothing when the next one brings nothing.
    moves(report)
        || moves(told)
        || is_behind(told) != is_behind(report)
        || (told.state, &told.reason, told.since) != (report.state, &report.reason, report.since)
        || told.lag_events != report.lag_events
        || told.failing != report.failing
        || told.last_error != report.last_error
        || told.restarts != report.restarts
}

fn report_of(
    shared: &Shared,
    published: &Published,
    now: Timestamp,
    pace: Option<Pace>,
) -> OwnerReport {
    let Published { status, since } = published;
    let status = shared.as_it_is(status.clone());
    let has_caught_up = shared.has_caught_up() || matches!(status, ProjectionStatus::Completed);
    let account = &shared.account;
    let failing = status.failing().map(|offset| FailingEnvelope {
        attempts: match status {
            ProjectionStatus::Retrying { attempt, .. } => attempt,
            _ => account.attempts_at(offset),
        },
        offset: offset.clone(),
    });
    OwnerReport {
        state: state_of(&status),
        reason: capped(&status.to_string()),
        since: *since,
        told_at: now,
        lag_events: match has_caught_up {
            true => Some(0),
            false => account.behind(),
        },
        lag: match has_caught_up {
            true => Some(Duration::ZERO),
            false => shared.lag(),
        },
        failing,
        last_error: account.last_error(),
        restarts: account.restarts(),
        pace,
    }
}

/// The one word of a status.
fn state_of(status: &ProjectionStatus) -> OwnerState {
    match status {
        ProjectionStatus::Starting => OwnerState::Starting,
        ProjectionStatus::StandingBy { .. } => OwnerState::StandingBy,
        ProjectionStatus::Running { .. } => OwnerState::Running,
        ProjectionStatus::Idle { .. } => OwnerState::Idle,
        ProjectionStatus::AwaitingSource { .. } => OwnerState::AwaitingSource,
        ProjectionStatus::Blocked { .. } => OwnerState::Blocked,
        ProjectionStatus::Retrying { .. } => OwnerState::Retrying,
        ProjectionStatus::Paused { .. } => OwnerState::Paused,
        ProjectionStatus::Restarting { .. } => OwnerState::Restarting,
        ProjectionStatus::Completed => OwnerState::Completed,
        ProjectionStatus::Stopped => OwnerState::Stopped,
        ProjectionStatus::Failed { .. } => OwnerState::Failed,
    }
}

/// A store that panics keeps nothing: that is no fault of the projection.
async fn keep<S: OffsetStore>(store: &S, claim: &Claim, report: &OwnerReport) -> Result<()> {
    let kept = AssertUnwindSafe(store.keep_report(claim, report)).catch_unwind();
    kept.await.unwrap_or_else(|payload| {
        Err(Error::Store {
            action: format!("keep what is said of {}", claim.lane),
            retryable: true,
            source: panic_message("the store", payload.as_ref()).into(),
        })
    })
}
