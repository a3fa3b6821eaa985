//! A SQLite store that tells when it is asked to commit, and when it has.

use std::time::Duration;

use projectionist::contract::{
    ManagementStore, OffsetStore, OwnerReportStore, ParkedStore, PauseFlag, Placement,
    StoreCapabilities, TransactionalOffsetStore,
};
use projectionist::sqlite::{SqliteStore, SqliteTx};
use projectionist::{
    Claim, ClaimOutcome, ClaimRequest, Commit, LaneState, Offset, ParkedEnvelope, ParkedKey,
    ProjectionId,
};
use projectionist_core::{
    LaneManagement, ManagementCommand, OwnerReport, RequestAnswer, RequestId, Result, Survey,
};

use crate::points::{Point, Teller};

/// A SQLite store that tells when it is asked to commit, and when it has.
#[derive(Clone, Debug)]
pub(crate) struct ToldStore {
    pub(crate) inner: SqliteStore,
    pub(crate) teller: Teller,
}

impl OffsetStore for ToldStore {
    async fn claim(&self, request: &ClaimRequest) -> Result<ClaimOutcome> {
        self.inner.claim(request).await
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        self.inner.renew(claim, ttl).await
    }

    async fn release(&self, claim: &Claim) -> Result<()> {
        self.inner.release(claim).await
    }

    async fn commit(&self, claim: &Claim, commit: &Commit) -> Result<()> {
        self.teller.reach(Point::BeforeSave);
        self.inner.commit(claim, commit).await?;
        self.teller.reach(Point::AfterSave);
        Ok(())
    }

    async fn lane(&self, lane: &ProjectionId) -> Result<Option<LaneState>> {
        self.inner.lane(lane).await
    }

    async fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        self.inner.lanes().await
    }

    fn capabilities(&self) -> StoreCapabilities {
        self.inner.capabilities()
    }

    fn placement(&self) -> Placement {
        self.inner.placement()
    }
}

impl TransactionalOffsetStore for ToldStore {
    type Tx = SqliteTx;

    async fn begin(&self, claim: &Claim, expected: Option<&Offset>) -> Result<SqliteTx> {
        self.inner.begin(claim, expected).await
    }

    async fn commit_in(&self, tx: SqliteTx, claim: &Claim, commit: &Commit) -> Result<()> {
        self.teller.reach(Point::InTransaction);
        self.inner.commit_in(tx, claim, commit).await?;
        self.teller.reach(Point::AtCommit);
        Ok(())
    }

    async fn rollback(&self, tx: SqliteTx) -> Result<()> {
        self.inner.rollback(tx).await
    }
}

impl ParkedStore for ToldStore {
    async fn parked_keys(&self, lane: &ProjectionId, limit: usize) -> Result<Vec<ParkedKey>> {
        self.inner.parked_keys(lane, limit).await
    }

    async fn parked(
        &self,
        lane: &ProjectionId,
        key: &str,
        limit: usize,
    ) -> Result<Vec<ParkedEnvelope>> {
        self.inner.parked(lane, key, limit).await
    }
}

impl OwnerReportStore for ToldStore {
    async fn keep_report(&self, claim: &Claim, report: &OwnerReport) -> Result<()> {
        self.inner.keep_report(claim, report).await
    }

    async fn survey(&self) -> Result<Survey> {
        self.inner.survey().await
    }
}

impl ManagementStore for ToldStore {
    async fn pause_flag(&self, name: &str, key: Option<&str>) -> Result<Option<PauseFlag>> {
        self.inner.pause_flag(name, key).await
    }

    async fn set_paused(&self, name: &str, key: Option<&str>, paused: bool) -> Result<()> {
        self.inner.set_paused(name, key, paused).await
    }

    async fn management(&self, lane: &ProjectionId) -> Result<LaneManagement> {
        self.inner.management(lane).await
    }

    async fn request(&self, lane: &ProjectionId, command: &ManagementCommand) -> Result<RequestId> {
        self.inner.request(lane, command).await
    }

    async fn answer(&self, request: RequestId) -> Result<Option<RequestAnswer>> {
        self.inner.answer(request).await
    }

    async fn withdraw(&self, request: RequestId) -> Result<bool> {
        self.inner.withdraw(request).await
    }
}
