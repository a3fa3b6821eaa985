//! Who may move a lane.

use projectionist_core::{Epoch, ProjectionId};

use crate::handles::lane_counter;
use crate::metric_names;

/// A lane was claimed.
#[derive(Debug)]
pub struct ClaimGranted<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The fencing number of the claim.
    pub epoch: Epoch,
}

impl ClaimGranted<'_> {
    /// Tells it.
    pub fn emit(self) {
        lane_counter(metric_names::CLAIMS_GRANTED, self.lane).increment(1);
        tracing::debug!(projection = %self.lane, epoch = self.epoch.0, "claimed");
    }
}

/// A claim was lost to another owner, or could not be renewed in time.
#[derive(Debug)]
pub struct ClaimLost<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The fencing number of the claim that was lost.
    pub epoch: Epoch,
}

impl ClaimLost<'_> {
    /// Tells it.
    pub fn emit(self) {
        lane_counter(metric_names::CLAIMS_LOST, self.lane).increment(1);
        tracing::warn!(
            projection = %self.lane,
            epoch = self.epoch.0,
            "the claim was lost; nothing more is committed under it"
        );
    }
}

/// Another owner holds the lane; this one waits.
#[derive(Debug)]
pub struct StandingBy<'a> {
    /// The lane.
    pub lane: &'a ProjectionId,
    /// The holder, for people.
    pub holder: &'a str,
}

impl StandingBy<'_> {
    /// Tells it.
    pub fn emit(self) {
        tracing::info!(projection = %self.lane, holder = self.holder, "standing by");
    }
}
