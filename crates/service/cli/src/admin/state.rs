//! What a lane does, in the words of the endpoint.

use projectionist_admin_api::view::{FailureView, OffsetView, State};
use projectionist_core::{Offset, OwnerState, PauseScope};
use projectionist_engine::{LaneCondition, ProjectionStatus};

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
        ProjectionStatus::AwaitingSource { .. } => (State::AwaitingSource, None),
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
        ProjectionStatus::Blocked { reason, .. }
        | ProjectionStatus::AwaitingSource { reason, .. } => Some(reason.clone()),
        other => Some(other.to_string()),
    }
}

/// What a lane does, as the store and its last owner tell it.
pub(super) fn of_condition(condition: LaneCondition) -> State {
    match condition {
        LaneCondition::NotStarted => State::NotStarted,
        LaneCondition::NotDeclared => State::NotDeclared,
        LaneCondition::Silent | LaneCondition::Died => State::Lost,
        LaneCondition::Says(said) => match said {
            OwnerState::Starting => State::Starting,
            OwnerState::StandingBy => State::StandingBy,
            OwnerState::Running => State::Running,
            OwnerState::Idle => State::Idle,
            OwnerState::AwaitingSource => State::AwaitingSource,
            OwnerState::Blocked => State::Blocked,
            OwnerState::Retrying => State::Retrying,
            OwnerState::Paused => State::Paused,
            OwnerState::Restarting => State::Restarting,
            OwnerState::Completed => State::Completed,
            OwnerState::Stopped => State::Stopped,
            OwnerState::Failed => State::Failed,
        },
    }
}

/// Whether a projection runs, and nothing more is known.
pub(super) fn is_only_running(state: State) -> bool {
    state == State::Running
}

/// Whether a projection runs and waits.
pub(super) fn is_quiet(state: State) -> bool {
    matches!(state, State::Idle | State::AwaitingSource)
}

/// Whose flag pauses a lane, for people.
fn paused_by(scope: PauseScope) -> &'static str {
    match scope {
        PauseScope::Lane => "somebody has paused it",
        PauseScope::AllLanes => "somebody has paused all lanes of its name",
    }
}
