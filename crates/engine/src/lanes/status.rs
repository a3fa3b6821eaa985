//! What a projection over lanes does at the moment, as a whole and lane by lane.

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::{Error, ProjectionId};

use super::instance::Life;
use crate::{GroupFailure, ProjectionStatus};

/// What a projection over lanes does at the moment, and why.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LanedStatus {
    /// It joins those who read the source.
    Joining,
    /// It is told which lanes are its own.
    Watching,
    /// The source said that no further lane will come: it reads those that it has to their ends.
    Finishing,
    /// The watch failed and all lanes are given up; it joins again after `delay`.
    Restarting {
        /// How many watches have failed in a row.
        failures: u32,
        /// The wait before the next one, counted from the failure.
        delay: Duration,
        /// Why the watch failed.
        error: Arc<Error>,
    },
    /// It was asked to stop, or has failed, and gives up its lanes.
    Stopping,
    /// All lanes were read to their ends.
    Completed,
    /// It was stopped, and every lane is given up.
    Stopped,
    /// The source could not be watched, or lanes failed for good.
    Failed {
        /// All that failed.
        failure: Arc<GroupFailure>,
    },
}

impl LanedStatus {
    /// Whether it has ended.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Stopped | Self::Failed { .. })
    }
}

/// How a lane stands to its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LanePhase {
    /// It is ours.
    Assigned,
    /// It will have no more records, and is read to its end.
    Ending,
    /// It is being given up: what is in flight ends, what is settled is committed.
    Draining,
    /// It was taken away: nothing more of it is committed.
    Lost,
}

/// One lane of a projection over lanes.
#[derive(Clone, Debug)]
pub struct LaneReport {
    /// Its projection.
    pub id: ProjectionId,
    /// How it stands to its source.
    pub phase: LanePhase,
    /// Whether it is assigned again and waits for the end of what the report describes.
    pub assigned_again: bool,
    /// What its projection does.
    pub status: ProjectionStatus,
}

/// A lane as its handle sees it.
#[derive(Clone, Debug)]
pub(super) struct LaneView {
    pub(super) id: ProjectionId,
    pub(super) phase: LanePhase,
    pub(super) assigned_again: bool,
    pub(super) life: Life,
}

/// What the owner of the lanes tells its handle.
#[derive(Clone, Debug)]
pub(super) struct Published {
    pub(super) status: LanedStatus,
    /// In the order of their keys.
    pub(super) lanes: Vec<LaneView>,
}

impl LaneView {
    pub(super) fn report(&self) -> LaneReport {
        LaneReport {
            id: self.id.clone(),
            phase: self.phase,
            assigned_again: self.assigned_again,
            status: self.life.status(),
        }
    }
}
