//! What a script wants to hear of.

use projectionist_core::OwnerState;
use projectionist_engine::{LaneCondition, LaneOverview, Overview};

use super::shown::{count, span};
use crate::args::operating::Condition;
use crate::commands::operating::address_of;
use crate::exit::Failure;
use crate::output::on_one_line;

/// Fails when one of the conditions holds, and says for which lanes.
pub(super) fn check(overview: &Overview, conditions: &[Condition]) -> Result<(), Failure> {
    let met = overview.lanes.iter().flat_map(|lane| {
        let met = conditions.iter().filter_map(|one| met(*one, lane));
        met.map(|what| format!("{}: {}", address_of(lane), on_one_line(&what)))
    });
    let met: Vec<String> = met.collect();
    match met.is_empty() {
        true => Ok(()),
        false => Err(Failure::at_run_time(met.join("\n"))),
    }
}

/// What is said of a lane for which a condition holds.
fn met(condition: Condition, lane: &LaneOverview) -> Option<String> {
    let words = lane.condition.words();
    let state = || format!("{words}: {}", lane.reason);
    match condition {
        Condition::Failed => {
            (lane.condition == LaneCondition::Says(OwnerState::Failed)).then(|| lane.reason.clone())
        }
        Condition::Stalled => lane.condition.is_stalled().then(state),
        Condition::Stopped => lane.condition.is_stopped().then(state),
        Condition::Paused => lane.pause.map(|_| format!("paused; it is {words}")),
        Condition::DeadLetters => {
            let letters = lane.counters.dead_lettered;
            (letters > 0).then(|| format!("{letters} dead letter(s)"))
        }
        Condition::LagEvents(most) => {
            let lag = lane.lag_events.filter(|lag| *lag > most)?;
            Some(format!("{} event(s) behind, more than {most}", count(lag)))
        }
        Condition::LagSeconds(most) => {
            let lag = lane.lag.filter(|lag| lag.as_secs_f64() > most as f64)?;
            Some(format!("{} behind, more than {most} s", span(lag)))
        }
    }
}
