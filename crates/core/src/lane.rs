//! The stored row of a lane.

use crate::{Ahead, Counters, Epoch, Holder, Offset, Timestamp};

/// What a store holds of one lane: the row of one [`crate::ProjectionId`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneState {
    /// Everything up to this position is settled; `None` before the first commit.
    pub offset: Option<Offset>,
    /// What is settled above `offset`. Empty for a lane that is handled in order.
    pub ahead: Ahead,
    /// How far the lane had come before management moved it back: what is delivered up to here is
    /// a replay. `None` when the lane is not behind where it was.
    pub replay_until: Option<Offset>,
    /// What became of the events so far, cumulative over all runs.
    pub counters: Counters,
    /// The fencing number of the last claim that was granted.
    pub epoch: Epoch,
    /// Who holds the lane now, or held it last and did not release it.
    pub holder: Option<Holder>,
    /// When the offset or the counters last moved, by the store's clock or what it told
    /// [recently](crate::Clock::recent); `None` before the first commit.
    pub updated_at: Option<Timestamp>,
}
