//! Claims, offsets and counters of the lanes.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Commit, Counters, Epoch, Error, Holder, LaneState, Offset,
    ProjectionId, Result, Take, Timestamp,
};

use crate::MemoryStore;
use crate::state::State;

impl OffsetStore for MemoryStore {
    async fn claim(&self, request: &ClaimRequest) -> Result<ClaimOutcome> {
        let mut state = self.lock().await;
        let now = self.clock().now();
        if let Some(lane) = state.lanes.get_mut(&request.lane) {
            return Ok(grant(lane, request, now));
        }
        let mut lane = LaneState {
            offset: None,
            counters: Counters::default(),
            epoch: Epoch(0),
            holder: None,
            updated_at: None,
        };
        let outcome = grant(&mut lane, request, now);
        state.lanes.insert(request.lane.clone(), lane);
        Ok(outcome)
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        let mut state = self.lock().await;
        state.lane_of(claim)?.holder = Some(Holder {
            owner: claim.owner.clone(),
            expires_at: self.clock().now().plus(ttl),
        });
        Ok(())
    }

    async fn release(&self, claim: &Claim) -> Result<()> {
        let mut state = self.lock().await;
        if let Ok(lane) = state.lane_of(claim) {
            lane.holder = None;
        }
        Ok(())
    }

    async fn commit(&self, claim: &Claim, commit: &Commit) -> Result<()> {
        let mut state = self.lock().await;
        state.commit(claim, commit, self.clock().now())
    }

    async fn lane(&self, lane: &ProjectionId) -> Result<Option<LaneState>> {
        Ok(self.lock().await.lanes.get(lane).cloned())
    }

    async fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        let state = self.lock().await;
        let lanes = state.lanes.iter();
        Ok(lanes.map(|(id, lane)| (id.clone(), lane.clone())).collect())
    }
}

impl State {
    /// The lane of a claim that was not superseded.
    fn lane_of(&mut self, claim: &Claim) -> Result<&mut LaneState> {
        let fenced = |current| Error::Fenced {
            lane: claim.lane.clone(),
            epoch: claim.epoch,
            current,
        };
        match self.lanes.get_mut(&claim.lane) {
            Some(lane) if lane.epoch == claim.epoch => Ok(lane),
            Some(lane) => Err(fenced(lane.epoch)),
            None => Err(fenced(Epoch(0))),
        }
    }

    /// The lane of a claim that may commit on top of `expected`.
    pub(crate) fn lane_at(
        &mut self,
        claim: &Claim,
        expected: Option<&Offset>,
    ) -> Result<&mut LaneState> {
        let lane = self.lane_of(claim)?;
        if lane.offset.as_ref() == expected {
            return Ok(lane);
        }
        let text = |offset: Option<&Offset>| offset.map(|offset| offset.text.clone());
        Err(Error::UnexpectedOffset {
            lane: claim.lane.clone(),
            expected: text(expected),
            found: text(lane.offset.as_ref()),
        })
    }

    /// Applies a commit as a whole, or not at all.
    pub(crate) fn commit(&mut self, claim: &Claim, commit: &Commit, now: Timestamp) -> Result<()> {
        let lane = self.lane_at(claim, commit.expected.as_ref())?;
        move_lane(lane, commit, now);
        for letter in &commit.dead_letters {
            self.letters.keep(&claim.lane, letter);
        }
        Ok(())
    }
}

/// Answers a request for a lane.
fn grant(lane: &mut LaneState, request: &ClaimRequest, now: Timestamp) -> ClaimOutcome {
    if let Some(holder) = &lane.holder
        && holder.expires_at > now
        && request.take != Take::From(lane.epoch)
    {
        return ClaimOutcome::Held {
            holder: holder.clone(),
            epoch: lane.epoch,
        };
    }
    lane.epoch = Epoch(lane.epoch.0 + 1);
    lane.holder = Some(Holder {
        owner: request.owner.clone(),
        expires_at: now.plus(request.ttl),
    });
    ClaimOutcome::Granted {
        claim: Claim {
            lane: request.lane.clone(),
            owner: request.owner.clone(),
            epoch: lane.epoch,
        },
        lane: lane.clone(),
    }
}

/// Writes offset and counters. Runs once a save, so it keeps the buffers that are there.
fn move_lane(lane: &mut LaneState, commit: &Commit, now: Timestamp) {
    match (&mut lane.offset, &commit.offset) {
        (_, None) => {}
        (Some(kept), Some(offset)) => {
            kept.manifest.clone_from(&offset.manifest);
            kept.text.clone_from(&offset.text);
        }
        (kept @ None, Some(offset)) => *kept = Some(offset.clone()),
    }
    lane.counters.add(&commit.counters);
    if commit.offset.is_some() || !commit.counters.is_zero() {
        lane.updated_at = Some(now);
    }
}
