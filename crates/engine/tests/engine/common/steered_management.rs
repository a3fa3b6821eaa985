//! What a steered store holds of management and of parked envelopes.

use projectionist_core::contract::{
    DeadLetterFilter, DeadLetterStore, ManagementStore, OwnerReportStore, ParkedStore, PauseFlag,
    StoredDeadLetter,
};
use projectionist_core::{
    Claim, LaneManagement, ManagementCommand, OwnerReport, ParkedEnvelope, ParkedKey, ProjectionId,
    RequestAnswer, RequestId, Result, Survey,
};

use super::store::{SteeredStore, Verb, answer};

impl ManagementStore for SteeredStore {
    async fn pause_flag(&self, name: &str, key: Option<&str>) -> Result<Option<PauseFlag>> {
        self.inner.pause_flag(name, key).await
    }
    async fn set_paused(&self, name: &str, key: Option<&str>, paused: bool) -> Result<()> {
        self.inner.set_paused(name, key, paused).await?;
        if let Some(listener) = &self.listener {
            listener.flagged(key, paused);
        }
        Ok(())
    }
    async fn management(&self, lane: &ProjectionId) -> Result<LaneManagement> {
        let fault = self.meet(Verb::Manage).await?;
        answer(Verb::Manage, fault, self.inner.management(lane).await?)
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

impl OwnerReportStore for SteeredStore {
    async fn keep_report(&self, claim: &Claim, report: &OwnerReport) -> Result<()> {
        let fault = self.meet(Verb::Report).await?;
        self.inner.keep_report(claim, report).await?;
        answer(Verb::Report, fault, ())
    }
    async fn survey(&self) -> Result<Survey> {
        self.inner.survey().await
    }
}

impl ParkedStore for SteeredStore {
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

impl DeadLetterStore for SteeredStore {
    async fn dead_letters(&self, filter: &DeadLetterFilter) -> Result<Vec<StoredDeadLetter>> {
        self.inner.dead_letters(filter).await
    }
}
