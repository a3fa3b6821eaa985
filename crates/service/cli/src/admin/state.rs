//! What a lane does, in the words of the endpoint.

use projectionist_admin_api::view::{FailureView, OffsetView, State};
use projectionist_core::{LaneState, Offset, PauseScope, Timestamp};
use projectionist_engine::ProjectionStatus;
use projectionist_engine::claim::process;

/// What a projection of this process does.
pub(super) fn of_status(status: &ProjectionStatus) -> (State, Option<FailureView>) {
    let failure = |error: String, offset: Option<&Offset>| FailureView {
        error,
        offset: offset.map(OffsetView::from),
        attempts: None,
        next_after_ms: None,
        can_be_skipped: offset.is_some(),
    };
    let millis = |delay: std::time::Duration| u64::try_from(delay.as_millis()).ok();
    match status {
        ProjectionStatus::StandingBy { .. } => (State::StandingBy, None),
        ProjectionStatus::Running { .. } => (State::Running, None),
        ProjectionStatus::Idle { .. } => (State::Idle, None),
        ProjectionStatus::Blocked { reason, offset } => {
            (State::Blocked, Some(failure(reason.clone(), Some(offset))))
        }
        ProjectionStatus::Retrying {
            offset,
            attempt,
            delay,
            error,
        } => {
            let failure = FailureView {
                attempts: Some(*attempt),
                next_after_ms: millis(*delay),
                ..failure(error.clone(), Some(offset))
            };
            (State::Retrying, Some(failure))
        }
        ProjectionStatus::Paused { .. } => (State::Paused, None),
        ProjectionStatus::Restarting {
            failures,
            delay,
            offset,
            error,
        } => {
            let failure = FailureView {
                attempts: Some(*failures),
                next_after_ms: millis(*delay),
                ..failure(error.to_string(), offset.as_ref())
            };
            (State::Restarting, Some(failure))
        }
        ProjectionStatus::Completed => (State::Completed, None),
        ProjectionStatus::Stopped => (State::Stopped, None),
        ProjectionStatus::Failed { error } => {
            (State::Failed, Some(failure(error.to_string(), None)))
        }
        _ => (State::Starting, None),
    }
}

/// Why a projection of this process does what it does, where its state alone does not say it.
pub(super) fn reason(status: &ProjectionStatus) -> Option<String> {
    match status {
        ProjectionStatus::Starting
        | ProjectionStatus::Running { .. }
        | ProjectionStatus::Idle { .. }
        | ProjectionStatus::Completed
        | ProjectionStatus::Stopped => None,
        ProjectionStatus::StandingBy { holder } => Some(format!("{holder} holds the lane")),
        ProjectionStatus::Paused { scope, .. } => Some(paused_by(*scope).to_owned()),
        ProjectionStatus::Failed { error } | ProjectionStatus::Restarting { error, .. } => {
            Some(error.to_string())
        }
        ProjectionStatus::Retrying { error, .. } => Some(error.clone()),
        ProjectionStatus::Blocked { reason, .. } => Some(reason.clone()),
        other => Some(other.to_string()),
    }
}

/// What a lane does that this process does not run, as far as its row and this machine tell.
pub(super) fn of_row(row: &LaneState, now: Timestamp) -> (State, Option<String>) {
    let Some(holder) = &row.holder else {
        return (State::Stopped, None);
    };
    let label = holder.owner.label();
    if holder.owner.process.as_ref().is_some_and(process::is_dead) {
        return (State::Lost, Some(format!("{label} died")));
    }
    if holder.expires_at <= now {
        return (State::Lost, Some(format!("{label} is silent")));
    }
    (State::Running, Some(format!("{label} runs it")))
}

/// Whose flag pauses a lane, for people.
pub(super) fn paused_by(scope: PauseScope) -> &'static str {
    match scope {
        PauseScope::Lane => "somebody has paused it",
        PauseScope::AllLanes => "somebody has paused all lanes of its name",
    }
}
