//! A store that keeps offsets and lends no transaction.

use std::time::Duration;

use projectionist_core::contract::{
    GroupContext, GroupedTransactionalHandler, HandlerResult, OffsetStore,
};
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Commit, Error, LaneState, ProjectionId, Result,
};
use projectionist_engine::Projection;
use projectionist_testkit::{TestEnvelope, TestSource};

#[derive(Clone)]
struct OffsetsOnly;

impl OffsetStore for OffsetsOnly {
    async fn claim(&self, request: &ClaimRequest) -> Result<ClaimOutcome> {
        Err(Error::AlreadyRunning(request.lane.clone()))
    }
    async fn renew(&self, _: &Claim, _: Duration) -> Result<()> {
        Ok(())
    }
    async fn release(&self, _: &Claim) -> Result<()> {
        Ok(())
    }
    async fn commit(&self, _: &Claim, _: &Commit) -> Result<()> {
        Ok(())
    }
    async fn lane(&self, _: &ProjectionId) -> Result<Option<LaneState>> {
        Ok(None)
    }
    async fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        Ok(Vec::new())
    }
}

struct Totals;

impl<Tx: Send + 'static> GroupedTransactionalHandler<TestEnvelope<u64>, Tx> for Totals {
    async fn process(
        &mut self,
        _: &mut Tx,
        _: &[TestEnvelope<u64>],
        _: GroupContext<'_>,
    ) -> HandlerResult {
        Ok(())
    }
}

fn main() {
    let id = ProjectionId::new("orders", "all").unwrap();
    let source = TestSource::of([1_u64, 2, 3]);
    let _ = Projection::grouped_exactly_once(id, source, OffsetsOnly, || Totals);
}
