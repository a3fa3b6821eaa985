//! An offset store whose type is chosen at run time.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};

use super::{
    ManagementStore, OffsetStore, OwnerReportStore, ParkedStore, PauseFlag, Placement,
    StoreCapabilities,
};
use crate::{
    Claim, ClaimOutcome, ClaimRequest, Commit, LaneManagement, LaneState, ManagementCommand,
    OwnerReport, ParkedEnvelope, ParkedKey, ProjectionId, RequestAnswer, RequestId, Result, Survey,
};

/// An [`OffsetStore`] that can stand behind a pointer: `Arc<dyn DynOffsetStore>` is an
/// [`OffsetStore`] again, for every delivery that needs no transaction.
///
/// # Contract
/// Every store has it; there is nothing to implement. Each method is the one of [`OffsetStore`],
/// [`ManagementStore`], [`OwnerReportStore`] or [`ParkedStore`] whose name follows `dyn_`.
///
/// # Ordering
/// As the store.
///
/// # Durability
/// As the store.
///
/// # Cancellation
/// As the store. A call allocates its future.
///
/// # Errors
/// As the store.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use projectionist_core::contract::{DynOffsetStore, OffsetStore, ParkedStore};
///
/// fn chosen<S: OffsetStore + ParkedStore>(store: S) -> Arc<dyn DynOffsetStore> {
///     Arc::new(store)
/// }
///
/// fn is_offset_store(_: &impl OffsetStore) {}
///
/// fn use_it(store: Arc<dyn DynOffsetStore>) {
///     is_offset_store(&store);
/// }
/// ```
pub trait DynOffsetStore: Send + Sync + 'static {
    /// See [`OffsetStore::claim`].
    fn dyn_claim<'a>(&'a self, request: &'a ClaimRequest) -> BoxFuture<'a, Result<ClaimOutcome>>;
    /// See [`OffsetStore::renew`].
    fn dyn_renew<'a>(&'a self, claim: &'a Claim, ttl: Duration) -> BoxFuture<'a, Result<()>>;
    /// See [`OffsetStore::release`].
    fn dyn_release<'a>(&'a self, claim: &'a Claim) -> BoxFuture<'a, Result<()>>;
    /// See [`OffsetStore::commit`].
    fn dyn_commit<'a>(&'a self, claim: &'a Claim, commit: &'a Commit) -> BoxFuture<'a, Result<()>>;
    /// See [`OffsetStore::lane`].
    fn dyn_lane<'a>(&'a self, lane: &'a ProjectionId) -> BoxFuture<'a, Result<Option<LaneState>>>;
    /// See [`OffsetStore::lanes`].
    fn dyn_lanes(&self) -> BoxFuture<'_, Result<Vec<(ProjectionId, LaneState)>>>;
    /// See [`OffsetStore::capabilities`].
    fn dyn_capabilities(&self) -> StoreCapabilities;
    /// See [`OffsetStore::placement`].
    fn dyn_placement(&self) -> Placement;
    /// See [`ManagementStore::pause_flag`].
    fn dyn_pause_flag<'a>(
        &'a self,
        name: &'a str,
        key: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<PauseFlag>>>;
    /// See [`ManagementStore::set_paused`].
    fn dyn_set_paused<'a>(
        &'a self,
        name: &'a str,
        key: Option<&'a str>,
        paused: bool,
    ) -> BoxFuture<'a, Result<()>>;
    /// See [`ManagementStore::management`].
    fn dyn_management<'a>(
        &'a self,
        lane: &'a ProjectionId,
    ) -> BoxFuture<'a, Result<LaneManagement>>;
    /// See [`ManagementStore::request`].
    fn dyn_request<'a>(
        &'a self,
        lane: &'a ProjectionId,
        command: &'a ManagementCommand,
    ) -> BoxFuture<'a, Result<RequestId>>;
    /// See [`ManagementStore::answer`].
    fn dyn_answer(&self, request: RequestId) -> BoxFuture<'_, Result<Option<RequestAnswer>>>;
    /// See [`ManagementStore::withdraw`].
    fn dyn_withdraw(&self, request: RequestId) -> BoxFuture<'_, Result<bool>>;
    /// See [`OwnerReportStore::keep_report`].
    fn dyn_keep_report<'a>(
        &'a self,
        claim: &'a Claim,
        report: &'a OwnerReport,
    ) -> BoxFuture<'a, Result<()>>;
    /// See [`OwnerReportStore::survey`].
    fn dyn_survey(&self) -> BoxFuture<'_, Result<Survey>>;
    /// See [`ParkedStore::parked_keys`].
    fn dyn_parked_keys<'a>(
        &'a self,
        lane: &'a ProjectionId,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ParkedKey>>>;
    /// See [`ParkedStore::parked`].
    fn dyn_parked<'a>(
        &'a self,
        lane: &'a ProjectionId,
        key: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ParkedEnvelope>>>;
}

impl<S: OffsetStore + ParkedStore> DynOffsetStore for S {
    fn dyn_claim<'a>(&'a self, request: &'a ClaimRequest) -> BoxFuture<'a, Result<ClaimOutcome>> {
        self.claim(request).boxed()
    }
    fn dyn_renew<'a>(&'a self, claim: &'a Claim, ttl: Duration) -> BoxFuture<'a, Result<()>> {
        self.renew(claim, ttl).boxed()
    }
    fn dyn_release<'a>(&'a self, claim: &'a Claim) -> BoxFuture<'a, Result<()>> {
        self.release(claim).boxed()
    }
    fn dyn_commit<'a>(&'a self, claim: &'a Claim, commit: &'a Commit) -> BoxFuture<'a, Result<()>> {
        self.commit(claim, commit).boxed()
    }
    fn dyn_lane<'a>(&'a self, lane: &'a ProjectionId) -> BoxFuture<'a, Result<Option<LaneState>>> {
        self.lane(lane).boxed()
    }
    fn dyn_lanes(&self) -> BoxFuture<'_, Result<Vec<(ProjectionId, LaneState)>>> {
        self.lanes().boxed()
    }
    fn dyn_capabilities(&self) -> StoreCapabilities {
        self.capabilities()
    }
    fn dyn_placement(&self) -> Placement {
        self.placement()
    }
    fn dyn_pause_flag<'a>(
        &'a self,
        name: &'a str,
        key: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<PauseFlag>>> {
        self.pause_flag(name, key).boxed()
    }
    fn dyn_set_paused<'a>(
        &'a self,
        name: &'a str,
        key: Option<&'a str>,
        paused: bool,
    ) -> BoxFuture<'a, Result<()>> {
        self.set_paused(name, key, paused).boxed()
    }
    fn dyn_management<'a>(
        &'a self,
        lane: &'a ProjectionId,
    ) -> BoxFuture<'a, Result<LaneManagement>> {
        self.management(lane).boxed()
    }
    fn dyn_request<'a>(
        &'a self,
        lane: &'a ProjectionId,
        command: &'a ManagementCommand,
    ) -> BoxFuture<'a, Result<RequestId>> {
        self.request(lane, command).boxed()
    }
    fn dyn_answer(&self, request: RequestId) -> BoxFuture<'_, Result<Option<RequestAnswer>>> {
        self.answer(request).boxed()
    }
    fn dyn_withdraw(&self, request: RequestId) -> BoxFuture<'_, Result<bool>> {
        self.withdraw(request).boxed()
    }
    fn dyn_keep_report<'a>(
        &'a self,
        claim: &'a Claim,
        report: &'a OwnerReport,
    ) -> BoxFuture<'a, Result<()>> {
        self.keep_report(claim, report).boxed()
    }
    fn dyn_survey(&self) -> BoxFuture<'_, Result<Survey>> {
        self.survey().boxed()
    }
    fn dyn_parked_keys<'a>(
        &'a self,
        lane: &'a ProjectionId,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ParkedKey>>> {
        self.parked_keys(lane, limit).boxed()
    }
    fn dyn_parked<'a>(
        &'a self,
        lane: &'a ProjectionId,
        key: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ParkedEnvelope>>> {
        self.parked(lane, key, limit).boxed()
    }
}

/// The store behind the pointer: the pointer itself is a store too, and must not call itself.
type Erased = dyn DynOffsetStore;

impl OffsetStore for Arc<Erased> {
    async fn claim(&self, request: &ClaimRequest) -> Result<ClaimOutcome> {
        Erased::dyn_claim(&**self, request).await
    }
    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        Erased::dyn_renew(&**self, claim, ttl).await
    }
    async fn release(&self, claim: &Claim) -> Result<()> {
        Erased::dyn_release(&**self, claim).await
    }
    async fn commit(&self, claim: &Claim, commit: &Commit) -> Result<()> {
        Erased::dyn_commit(&**self, claim, commit).await
    }
    async fn lane(&self, lane: &ProjectionId) -> Result<Option<LaneState>> {
        Erased::dyn_lane(&**self, lane).await
    }
    async fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        Erased::dyn_lanes(&**self).await
    }
    fn capabilities(&self) -> StoreCapabilities {
        Erased::dyn_capabilities(&**self)
    }
    fn placement(&self) -> Placement {
        Erased::dyn_placement(&**self)
    }
}

impl ManagementStore for Arc<Erased> {
    async fn pause_flag(&self, name: &str, key: Option<&str>) -> Result<Option<PauseFlag>> {
        Erased::dyn_pause_flag(&**self, name, key).await
    }
    async fn set_paused(&self, name: &str, key: Option<&str>, paused: bool) -> Result<()> {
        Erased::dyn_set_paused(&**self, name, key, paused).await
    }
    async fn management(&self, lane: &ProjectionId) -> Result<LaneManagement> {
        Erased::dyn_management(&**self, lane).await
    }
    async fn request(&self, lane: &ProjectionId, command: &ManagementCommand) -> Result<RequestId> {
        Erased::dyn_request(&**self, lane, command).await
    }
    async fn answer(&self, request: RequestId) -> Result<Option<RequestAnswer>> {
        Erased::dyn_answer(&**self, request).await
    }
    async fn withdraw(&self, request: RequestId) -> Result<bool> {
        Erased::dyn_withdraw(&**self, request).await
    }
}

impl OwnerReportStore for Arc<Erased> {
    async fn keep_report(&self, claim: &Claim, report: &OwnerReport) -> Result<()> {
        Erased::dyn_keep_report(&**self, claim, report).await
    }
    async fn survey(&self) -> Result<Survey> {
        Erased::dyn_survey(&**self).await
    }
}

impl ParkedStore for Arc<Erased> {
    async fn parked_keys(&self, lane: &ProjectionId, limit: usize) -> Result<Vec<ParkedKey>> {
        Erased::dyn_parked_keys(&**self, lane, limit).await
    }
    async fn parked(
        &self,
        lane: &ProjectionId,
        key: &str,
        limit: usize,
    ) -> Result<Vec<ParkedEnvelope>> {
        Erased::dyn_parked(&**self, lane, key, limit).await
    }
}
