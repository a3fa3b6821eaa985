//! A store whose process dies where a test says so.

use std::time::Duration;

use projectionist_core::contract::{
    DeadLetterFilter, DeadLetterStore, ManagementStore, OffsetStore, OwnerReportStore, ParkedStore,
    PauseFlag, Placement, StoreCapabilities, StoredDeadLetter, TransactionalOffsetStore,
};
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Commit, LaneManagement, LaneState, ManagementCommand,
    Offset, OwnerReport, ParkedEnvelope, ParkedKey, ProjectionId, RequestAnswer, RequestId, Result,
    Survey,
};

use super::crash_plan::CrashPlan;
use super::forward::forward_to_inner;
use super::gate::Gate;
use super::{CrashHandler, CrashPoint};

/// A store whose process dies where a test says so. A clone is the same store in the same process.
///
/// From the crash on no call is answered and none reaches the store behind it; what was under way
/// took effect or did not. So nothing is saved, released or rolled back in good order any more: the
/// same as after a kill. The test waits for [`crashed`](Self::crashed), drops the projection, and
/// goes on with another runtime over [`inner`](Self::inner). The dead one's claim is still there;
/// it ends with its time.
///
/// A killed process does not handle anything more either. A store alone cannot see to that: give
/// the projection handlers that are [watched](Self::handler).
///
/// ```
/// use projectionist_testkit::{CrashPoint, CrashStore, Recorder};
/// use projectionist_store_memory::MemoryStore;
///
/// let store = MemoryStore::new();
/// let dying = CrashStore::over(store.clone());
/// dying.crash_at(CrashPoint::BeforeSave, 2); // The second commit does not arrive.
/// let recorder = Recorder::<u64>::default();
/// let factory = {
///     let (dying, recorder) = (dying.clone(), recorder.clone());
///     move || dying.handler(recorder.handler())
/// };
/// // Run a projection over `dying` with this factory, then:
/// // dying.crashed().await;
/// // drop(handle);
/// // and run the same projection over `store`.
/// # drop(factory());
/// # assert!(!dying.has_crashed());
/// ```
///
/// To meet a crash at every moment of a run, run it once without a crash, ask how often each point
/// was [reached](Self::reached), and run it again for each of these.
#[derive(Clone, Debug)]
pub struct CrashStore<S> {
    inner: S,
    gate: Gate,
    plan: CrashPlan,
}

impl<S> CrashStore<S> {
    /// Before `inner`, with no crash planned.
    #[must_use]
    pub fn over(inner: S) -> Self {
        Self {
            inner,
            gate: Gate::open(),
            plan: CrashPlan::default(),
        }
    }

    /// The process dies when `point` is reached for the `count`th time, counted from 1 since this
    /// store was made.
    pub fn crash_at(&self, point: CrashPoint, count: u64) {
        self.plan.add(point, count);
    }

    /// Ends when the process has died.
    pub fn crashed(&self) -> impl Future<Output = ()> + Send + 'static + use<S> {
        self.gate.crashed()
    }

    /// Whether the process has died.
    #[must_use]
    pub fn has_crashed(&self) -> bool {
        self.gate.has_crashed()
    }

    /// How often `point` was reached.
    #[must_use]
    pub fn reached(&self, point: CrashPoint) -> u64 {
        self.plan.reached(point)
    }

    /// The store behind it, which outlives the process.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// A handler that dies with this store, and at [`CrashPoint::AfterHandle`].
    #[must_use]
    pub fn handler<H>(&self, handler: H) -> CrashHandler<H> {
        CrashHandler::new(handler, self.gate.clone(), self.plan.clone())
    }
}

impl<S: OffsetStore> OffsetStore for CrashStore<S> {
    async fn claim(&self, request: &ClaimRequest) -> Result<ClaimOutcome> {
        self.gate.through(self.inner.claim(request)).await
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        self.gate.through(self.inner.renew(claim, ttl)).await
    }

    async fn release(&self, claim: &Claim) -> Result<()> {
        self.gate.through(self.inner.release(claim)).await
    }

    async fn commit(&self, claim: &Claim, commit: &Commit) -> Result<()> {
        self.gate.pass().await;
        if self.plan.reach(CrashPoint::BeforeSave) {
            return self.gate.crash().await;
        }
        let saved = self.gate.through(self.inner.commit(claim, commit)).await;
        if saved.is_ok() && self.plan.reach(CrashPoint::AfterSave) {
            return self.gate.crash().await;
        }
        saved
    }

    async fn lane(&self, lane: &ProjectionId) -> Result<Option<LaneState>> {
        self.gate.through(self.inner.lane(lane)).await
    }

    async fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        self.gate.through(self.inner.lanes()).await
    }

    fn capabilities(&self) -> StoreCapabilities {
        self.inner.capabilities()
    }

    fn placement(&self) -> Placement {
        self.inner.placement()
    }
}

impl<S: TransactionalOffsetStore> TransactionalOffsetStore for CrashStore<S> {
    type Tx = S::Tx;

    async fn begin(&self, claim: &Claim, expected: Option<&Offset>) -> Result<S::Tx> {
        self.gate.pass().await;
        let tx = self.inner.begin(claim, expected).await;
        if self.gate.has_crashed() {
            // The dead hold no lock.
            drop(tx);
            return self.gate.crash().await;
        }
        tx
    }

    async fn commit_in(&self, tx: S::Tx, claim: &Claim, commit: &Commit) -> Result<()> {
        if self.gate.has_crashed() || self.plan.reach(CrashPoint::InTransaction) {
            drop(tx);
            return self.gate.crash().await;
        }
        let committed = self.inner.commit_in(tx, claim, commit);
        let committed = self.gate.through(committed).await;
        if committed.is_ok() && self.plan.reach(CrashPoint::AtCommit) {
            return self.gate.crash().await;
        }
        committed
    }

    async fn rollback(&self, tx: S::Tx) -> Result<()> {
        if self.gate.has_crashed() {
            drop(tx);
            return self.gate.crash().await;
        }
        self.gate.through(self.inner.rollback(tx)).await
    }
}

forward_to_inner!(CrashStore);
