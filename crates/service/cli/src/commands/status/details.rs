//! What is told of a lane below its row.

use projectionist_core::{OwnerState, PauseScope, ReportedError};
use projectionist_engine::{LaneCondition, LaneOverview};

use crate::commands::counts;
use crate::output::moment;

/// What is remarkable of a lane, or `in_full` all that is known, a line each.
pub(super) fn of(lane: &LaneOverview, in_full: bool) -> Vec<String> {
    let mut lines = Vec::new();
    // Of a pause the flag tells more.
    let is_told = lane.pause.is_some() && lane.condition == LaneCondition::Says(OwnerState::Paused);
    if in_full || !(is_well(lane.condition) || is_told) {
        let since = lane
            .since
            .map(|since| format!(" (since {})", moment(since)));
        lines.push(format!("{}{}", lane.reason, since.unwrap_or_default()));
    }
    if let Some(pause) = lane.pause {
        lines.push(paused(lane, pause.scope, &moment(pause.since)));
    }
    for request in &lane.requests {
        let (command, since) = (&request.command, moment(request.requested_at));
        lines.push(format!(
            "asked since {since} and not answered yet: {command}"
        ));
    }
    // What the reason says already is not said again.
    if let Some(error) = &lane.last_error
        && (in_full || (lane.condition.is_stalled() && !lane.reason.contains(&error.text)))
    {
        lines.push(last_error(error));
    }
    if in_full {
        all_else(lane, &mut lines);
    }
    lines
}

/// Whether nobody needs to look.
fn is_well(condition: LaneCondition) -> bool {
    matches!(
        condition,
        LaneCondition::Says(
            OwnerState::Running | OwnerState::Idle | OwnerState::Completed | OwnerState::Stopped
        )
    )
}

fn paused(lane: &LaneOverview, scope: PauseScope, since: &str) -> String {
    let whose = match scope {
        PauseScope::Lane => "its own flag",
        PauseScope::AllLanes => "the flag of all its lanes",
    };
    let obeyed = match lane.condition {
        LaneCondition::Says(OwnerState::Paused) => "",
        condition if condition.is_stopped() => "; it will not go on when it is started",
        _ => "; its owner has not obeyed yet",
    };
    format!("paused by {whose} since {since}{obeyed}")
}

fn last_error(error: &ReportedError) -> String {
    let at = error.offset.as_ref();
    let at = at.map_or_else(String::new, |at| format!(" at {at}"));
    let (class, since) = (error.class.name(), moment(error.since));
    format!(
        "last error, since {since}, of class {class}{at}: {}",
        error.text
    )
}

fn all_else(lane: &LaneOverview, lines: &mut Vec<String>) {
    if let Some(failing) = &lane.failing {
        let (offset, attempts) = (&failing.offset, failing.attempts);
        lines.push(format!("fails at {offset}, tried {attempts} time(s)"));
    }
    if let Some(owner) = &lane.owner {
        let until = owner.expires_at;
        let until = until.map(|at| format!("; its claim holds until {}", moment(at)));
        let (label, liveness) = (&owner.label, owner.liveness.name());
        lines.push(format!(
            "owner: {label}, {liveness}{}",
            until.unwrap_or_default()
        ));
    }
    let offset = lane.offset.as_ref();
    let offset = offset.map_or_else(|| "none".to_owned(), ToString::to_string);
    lines.push(format!("offset: {offset}"));
    if let Some(until) = &lane.replay_until {
        lines.push(format!("read again, as it was moved back, up to: {until}"));
    }
    let columns = counts::columns(&[&lane.counters]);
    let counts = columns.iter().map(|(heading, of)| {
        let count = of(&lane.counters);
        format!("{count} {}", heading.to_lowercase())
    });
    lines.push(format!("events: {}", counts.collect::<Vec<_>>().join(", ")));
    let mut rest = vec![format!("epoch {}", lane.epoch)];
    rest.extend(lane.restarts.map(|count| format!("{count} restart(s)")));
    rest.extend(lane.updated_at.map(|at| format!("moved at {}", moment(at))));
    rest.extend(lane.told_at.map(|at| format!("told at {}", moment(at))));
    lines.push(rest.join("; "));
}
