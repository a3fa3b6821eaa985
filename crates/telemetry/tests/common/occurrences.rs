//! One occurrence of everything that can be told.

use std::time::Duration;

use projectionist_core::{Epoch, Error, ErrorClass, ManagementCommand, PauseScope, ProjectionId};
use projectionist_telemetry::*;

use super::HoldsEvent;

/// Tells every typed event of `lane` once; twice where there are two outcomes or levels. `event`
/// is what the handler fails at.
pub(crate) fn tell_everything(lane: &ProjectionId, event: &'static str) {
    let error = Error::Handler {
        lane: lane.clone(),
        offset: "17".to_owned(),
        attempts: 3,
        source: Box::new(HoldsEvent(event)),
    };
    tell_claims(lane);
    tell_runs(lane, &error);
    tell_passed_over(lane);
    tell_parking(lane);
    tell_management(lane);
    tell_lanes(lane);
    tell_handling(lane);
    tell_failures(lane, &error);
}

fn tell_claims(lane: &ProjectionId) {
    ClaimGranted {
        lane,
        epoch: Epoch(1),
    }
    .emit();
    ClaimLost {
        lane,
        epoch: Epoch(1),
    }
    .emit();
    StandingBy {
        lane,
        holder: "process 1",
    }
    .emit();
}

fn tell_runs(lane: &ProjectionId, error: &Error) {
    let delay = Duration::from_secs(3);
    RestartScheduled {
        lane,
        failures: 1,
        delay,
        error,
    }
    .emit();
    ProjectionFailed { lane, error }.emit();
    ProjectionEnded {
        lane,
        completed: true,
    }
    .emit();
    ProjectionEnded {
        lane,
        completed: false,
    }
    .emit();
}

fn tell_passed_over(lane: &ProjectionId) {
    let (offset, class) = ("17", ErrorClass::Data);
    EventsDeadLettered {
        lane,
        events: 2,
        first: offset,
        class: class.name(),
        field: "amount",
    }
    .emit();
    EnvelopeSkipped {
        lane,
        offset,
        attempts: 3,
        class,
    }
    .emit();
    VerificationRefused {
        lane,
        offset,
        handled: true,
    }
    .emit();
}

fn tell_parking(lane: &ProjectionId) {
    let (offset, key) = ("17", "k-1");
    EnvelopeParked {
        lane,
        key,
        offset,
        attempts: 3,
    }
    .emit();
    EnvelopeParked {
        lane,
        key,
        offset: "18",
        attempts: 0,
    }
    .emit();
    EnvelopeUnparked {
        lane,
        key,
        offset,
        left: 1,
    }
    .emit();
    EnvelopeUnparked {
        lane,
        key,
        offset: "18",
        left: 0,
    }
    .emit();
}

fn tell_management(lane: &ProjectionId) {
    let command = &ManagementCommand::RetryParked { key: None };
    LanePaused {
        lane,
        scope: PauseScope::AllLanes,
    }
    .emit();
    LaneResumed { lane }.emit();
    ManagementDone { lane, command }.emit();
    ManagementRefused {
        lane,
        command,
        reason: "nothing is parked",
    }
    .emit();
}

fn tell_lanes(lane: &ProjectionId) {
    let deadline = Duration::from_secs(3);
    LaneAssigned { lane }.emit();
    LaneRevoked { lane, deadline }.emit();
    LaneLost { lane }.emit();
    LaneEnded { lane }.emit();
}

fn tell_handling(lane: &ProjectionId) {
    let (offset, limit) = ("17", Duration::from_secs(3));
    HandlerTimedOut {
        lane,
        offset,
        attempt: 1,
        limit,
    }
    .emit();
    FlowContextLost {
        lane,
        offset,
        fault: ContextFault::Lost,
    }
    .emit();
    FlowContextLost {
        lane,
        offset,
        fault: ContextFault::Foreign,
    }
    .emit();
}

fn tell_failures(lane: &ProjectionId, error: &Error) {
    let offset = "17";
    let mut streak = FailureStreak::new(lane.clone());
    streak.isolating(offset, 1, error);
    streak.failed(offset, 1, error);
    streak.failed(offset, 2, error);
    streak.ended();
}
