//! A store that keeps the low-water mark alone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use projectionist_core::contract::{
    DeadLetterFilter, DeadLetterStore, ManagementStore, OffsetStore, OwnerReportStore, ParkedStore,
    PauseFlag, Placement, StoreCapabilities, StoredDeadLetter,
};
use projectionist_core::{
    Ahead, Claim, ClaimOutcome, ClaimRequest, Commit, Error, LaneManagement, LaneState,
    ManagementCommand, OwnerReport, ParkedEnvelope, ParkedKey, ProjectionId, RequestAnswer,
    RequestId, Result, Survey,
};

use super::forward::forward_to_inner;
use super::gate::Gate;

/// A store that can do no more than [`StoreCapabilities::LOW_WATER`], over one that can: so that
/// what a projection does with such a store is tested without one. A clone is the same store.
///
/// * What is settled ahead of the offset is not kept.
/// * A commit is **two** steps. The first writes the dead letters, the parked envelopes and those
///   that are let go, and the counters; the second moves the offset and writes the answers. Both
///   are made under the commit's claim and expected offset. A test can let something happen
///   [between them](Self::between_steps).
/// * There are no transactions.
///
/// ```
/// use projectionist_core::contract::{OffsetStore, StoreCapabilities};
/// use projectionist_store_memory::MemoryStore;
/// use projectionist_testkit::{BetweenSteps, LowWaterStore};
///
/// let store = LowWaterStore::over(MemoryStore::new());
/// assert_eq!(store.capabilities(), StoreCapabilities::LOW_WATER);
/// // Letters and counters of the next commit are written, its offset is not.
/// store.between_steps(BetweenSteps::Fail);
/// ```
#[derive(Clone, Debug)]
pub struct LowWaterStore<S> {
    inner: S,
    gate: Gate,
    planned: Arc<Mutex<Option<BetweenSteps>>>,
}

/// What happens between the two steps of the next commit that has both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BetweenSteps {
    /// The second step is refused, in a way that trying again may mend.
    Fail,
    /// The process dies: neither this call nor any later one is answered.
    Crash,
}

impl<S> LowWaterStore<S> {
    /// Before `inner`.
    #[must_use]
    pub fn over(inner: S) -> Self {
        Self {
            inner,
            gate: Gate::open(),
            planned: Arc::default(),
        }
    }

    /// Lets this happen between the two steps of the next commit that has both.
    pub fn between_steps(&self, happens: BetweenSteps) {
        *self.lock() = Some(happens);
    }

    /// Ends when the process has died.
    pub fn crashed(&self) -> impl Future<Output = ()> + Send + 'static + use<S> {
        self.gate.crashed()
    }

    /// The store behind it, which outlives the process.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.inner
    }

    fn lock(&self) -> MutexGuard<'_, Option<BetweenSteps>> {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What happens between two steps now.
    async fn between(&self) -> Result<()> {
        let happens = self.lock().take();
        match happens {
            None => Ok(()),
            Some(BetweenSteps::Crash) => self.gate.crash().await,
            Some(BetweenSteps::Fail) => Err(Error::Store {
                action: "move the offset".to_owned(),
                retryable: true,
                source: "a test asked for a fault between the two steps of a commit".into(),
            }),
        }
    }
}

impl<S: OffsetStore> OffsetStore for LowWaterStore<S> {
    async fn claim(&self, request: &ClaimRequest) -> Result<ClaimOutcome> {
        let mut outcome = self.gate.through(self.inner.claim(request)).await?;
        if let ClaimOutcome::Granted { lane, .. } = &mut outcome {
            lane.ahead = Ahead::default();
        }
        Ok(outcome)
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        self.gate.through(self.inner.renew(claim, ttl)).await
    }

    async fn release(&self, claim: &Claim) -> Result<()> {
        self.gate.through(self.inner.release(claim)).await
    }

    async fn commit(&self, claim: &Claim, commit: &Commit) -> Result<()> {
        let (beside, of_row) = steps(commit);
        if let Some(beside) = &beside {
            self.gate.through(self.inner.commit(claim, beside)).await?;
        }
        let Some(of_row) = of_row else { return Ok(()) };
        if beside.is_some() {
            self.between().await?;
        }
        self.gate.through(self.inner.commit(claim, &of_row)).await
    }

    async fn lane(&self, lane: &ProjectionId) -> Result<Option<LaneState>> {
        let row = self.gate.through(self.inner.lane(lane)).await?;
        Ok(row.map(low_water))
    }

    async fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        let rows = self.gate.through(self.inner.lanes()).await?;
        let rows = rows.into_iter().map(|(id, row)| (id, low_water(row)));
        Ok(rows.collect())
    }

    fn capabilities(&self) -> StoreCapabilities {
        StoreCapabilities::LOW_WATER
    }

    fn placement(&self) -> Placement {
        self.inner.placement()
    }
}

/// A row without what is settled ahead of it, which the store behind may have from others.
fn low_water(row: LaneState) -> LaneState {
    LaneState {
        ahead: Ahead::default(),
        ..row
    }
}

/// The two steps of a commit: what is written beside the row, and what moves the row, with the
/// answers that say so. A commit
/// that has nothing of either is one of the row, which still asks for claim and offset.
fn steps(commit: &Commit) -> (Option<Commit>, Option<Commit>) {
    let beside = Commit {
        offset: None,
        reset: false,
        ahead: None,
        replay_passed: false,
        answers: Vec::new(),
        ..commit.clone()
    };
    let of_row = Commit {
        expected: commit.expected.clone(),
        offset: commit.offset.clone(),
        reset: commit.reset,
        replay_passed: commit.replay_passed,
        answers: commit.answers.clone(),
        ..Commit::default()
    };
    let only_expects = |step: &Commit| {
        *step
            == Commit {
                expected: commit.expected.clone(),
                ..Commit::default()
            }
    };
    let has_beside = !only_expects(&beside);
    let has_row = !only_expects(&of_row) || !has_beside;
    (has_beside.then_some(beside), has_row.then_some(of_row))
}

forward_to_inner!(LowWaterStore);
