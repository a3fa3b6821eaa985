//! Claims, offsets and counters of the lanes.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{
    Ahead, Claim, ClaimOutcome, ClaimRequest, Commit, Epoch, Error, Holder, LaneState, Offset,
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
        let mut lane = LaneState::default();
        let outcome = grant(&mut lane, request, now);
        state.lanes.insert(request.lane.clone(), lane);
        Ok(outcome)
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        let mut state = self.lock().await;
        let lane = state.lane_of(claim).map_err(|error| *error)?;
        lane.holder = Some(Holder {
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

    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn moves its arguments once more when it is first polled, which costs a \
                  tenth of a commit"
    )]
    fn commit(&self, claim: &Claim, commit: &Commit) -> impl Future<Output = Result<()>> + Send {
        async move {
            let now = self.clock().recent();
            // Asked first without a wait: to set one up costs as much as the commit.
            if let Some(mut state) = self.try_lock() {
                return state.commit(claim, commit, now).map_err(|error| *error);
            }
            let committed = self.lock().await.commit(claim, commit, now);
            committed.map_err(|error| *error)
        }
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
    #[inline]
    pub(crate) fn lane_of(&mut self, claim: &Claim) -> Boxed<&mut LaneState> {
        match self.lanes.get_mut(&claim.lane) {
            Some(lane) if lane.epoch == claim.epoch => Ok(lane),
            other => Err(fenced(claim, other.map(|lane| lane.epoch))),
        }
    }

    /// The lane of a claim that may commit on top of `expected`.
    #[inline]
    pub(crate) fn lane_at(
        &mut self,
        claim: &Claim,
        expected: Option<&Offset>,
    ) -> Boxed<&mut LaneState> {
        let lane = self.lane_of(claim)?;
        if is_same(lane.offset.as_ref(), expected) {
            return Ok(lane);
        }
        Err(unexpected(claim, expected, lane.offset.as_ref()))
    }

    /// Applies a commit as a whole, or not at all.
    pub(crate) fn commit(&mut self, claim: &Claim, commit: &Commit, now: Timestamp) -> Boxed<()> {
        let lane = self.lane_at(claim, commit.expected.as_ref())?;
        move_lane(lane, commit, now);
        // Most commits move a lane and nothing else.
        let others = commit.dead_letters.len()
            | commit.parked.len()
            | commit.unparked.len()
            | commit.answers.len();
        if others != 0 {
            self.keep_others(&claim.lane, commit);
        }
        Ok(())
    }

    /// Keeps what a commit holds beside what stands in the lane's row.
    #[cold]
    fn keep_others(&mut self, lane: &ProjectionId, commit: &Commit) {
        for letter in &commit.dead_letters {
            self.letters.keep(lane, letter);
        }
        self.parked.commit(lane, commit);
        if !commit.answers.is_empty() {
            self.requests.answer(lane, &commit.answers);
        }
    }
}

/// A result whose error is boxed: to move the room for one costs more than what a commit does.
pub(crate) type Boxed<T> = Result<T, Box<Error>>;

#[cold]
fn fenced(claim: &Claim, current: Option<Epoch>) -> Box<Error> {
    Box::new(Error::Fenced {
        lane: claim.lane.clone(),
        epoch: claim.epoch,
        current: current.unwrap_or_default(),
    })
}

#[cold]
fn unexpected(claim: &Claim, expected: Option<&Offset>, found: Option<&Offset>) -> Box<Error> {
    let text = |offset: Option<&Offset>| offset.map(|offset| offset.text.clone());
    Box::new(Error::UnexpectedOffset {
        lane: claim.lane.clone(),
        expected: text(expected),
        found: text(found),
    })
}

/// Whether two offsets are equal. Most have their manifest from the same place.
fn is_same(left: Option<&Offset>, right: Option<&Offset>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => {
            let (manifest, other) = (left.manifest.as_ref(), right.manifest.as_ref());
            (std::ptr::eq(manifest, other) || manifest == other) && left.text == right.text
        }
        (left, right) => left.is_none() && right.is_none(),
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

/// Writes what stands in the lane's row. Runs once a save, so it keeps the buffers that are there.
#[inline]
fn move_lane(lane: &mut LaneState, commit: &Commit, now: Timestamp) {
    if commit.reset {
        reset(lane, commit.offset.as_ref());
    } else if let Some(offset) = &commit.offset {
        match &mut lane.offset {
            Some(kept) => kept.clone_from(offset),
            kept @ None => *kept = Some(offset.clone()),
        }
    }
    if let Some(ahead) = &commit.ahead {
        // Without a range there is no position whose format could matter.
        lane.ahead = if ahead.is_empty() {
            Ahead::default()
        } else {
            ahead.clone()
        };
    }
    if commit.replay_passed {
        lane.replay_until = None;
    }
    lane.counters.add(&commit.counters);
    if commit.offset.is_some() || commit.reset || !commit.counters.is_zero() {
        lane.updated_at = Some(now);
    }
}

/// Sets the offset for management: what was reached before is remembered, what was settled ahead
/// of it is not.
fn reset(lane: &mut LaneState, offset: Option<&Offset>) {
    let held = std::mem::replace(&mut lane.offset, offset.cloned());
    lane.replay_until = lane.replay_until.take().or(held);
    lane.ahead = Ahead::default();
}
