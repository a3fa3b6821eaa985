//! What people did to a projection.

use projectionist_core::{ManagementCommand, PauseScope, ProjectionId};

use crate::handles::lane_counter_with;
use crate::metric_names::{self, OUTCOME};

/// A lane was paused: nothing more is handled until it is resumed.
#[derive(Debug)]
pub struct LanePaused<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// Whose flag it is.
    pub scope: PauseScope,
}

impl LanePaused<'_> {
    /// Tells it.
    pub fn emit(self) {
        let scope = match self.scope {
            PauseScope::Lane => "this lane",
            PauseScope::AllLanes => "all lanes of the projection",
        };
        tracing::info!(projection = %self.lane, scope, "paused");
    }
}

/// A lane is not paused any more.
#[derive(Debug)]
pub struct LaneResumed<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
}

impl LaneResumed<'_> {
    /// Tells it.
    pub fn emit(self) {
        tracing::info!(projection = %self.lane, "resumed");
    }
}

/// A command was carried out.
#[derive(Debug)]
pub struct ManagementDone<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The command.
    pub command: &'a ManagementCommand,
}

impl ManagementDone<'_> {
    /// Tells it.
    pub fn emit(self) {
        count(self.lane, "done");
        tracing::info!(projection = %self.lane, command = %self.command, "command carried out");
    }
}

/// A command was refused; nothing changed.
#[derive(Debug)]
pub struct ManagementRefused<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The command.
    pub command: &'a ManagementCommand,
    /// Why, as the one who asked is told.
    pub reason: &'a str,
}

impl ManagementRefused<'_> {
    /// Tells it.
    pub fn emit(self) {
        let Self {
            lane,
            command,
            reason,
        } = self;
        count(lane, "refused");
        tracing::warn!(projection = %lane, %command, reason, "command refused");
    }
}

fn count(lane: &ProjectionId, outcome: &'static str) {
    lane_counter_with(metric_names::MANAGEMENT_COMMANDS, lane, (OUTCOME, outcome)).increment(1);
}
