//! A store that takes everything and keeps nothing: what is left is what happens before a store.

use std::time::Duration;

use projectionist_core::contract::{
    GuardEntry, GuardScope, ManagementStore, OffsetStore, OwnerReportStore, PauseFlag, ReadModel,
    SequenceGuard, TransactionalOffsetStore,
};
use projectionist_core::row::{OwnedCell, RowBatch, Table};
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Commit, Error, LaneManagement, LaneState, ManagementCommand,
    Offset, OwnerReport, ProjectionId, RequestAnswer, RequestId, Result, Survey,
};

/// A store without lanes, tables or numbers. It is for handlers that are called without an engine.
#[derive(Clone, Copy, Debug)]
pub struct Discard;

/// What a transaction of [`Discard`] saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// How many rows would have been written.
    pub effects: u64,
    /// The column whose cells are kept, where a result is checked.
    pub column: Option<usize>,
    /// The cells of that column, in the order of the writes.
    pub cells: Vec<OwnedCell>,
}

fn none<T>() -> Result<T> {
    Err(Error::Configuration {
        subject: "the store that discards".to_owned(),
        reason: "has no lanes; call its handler without an engine".to_owned(),
    })
}

impl ManagementStore for Discard {
    async fn pause_flag(&self, _: &str, _: Option<&str>) -> Result<Option<PauseFlag>> {
        none()
    }

    async fn set_paused(&self, _: &str, _: Option<&str>, _: bool) -> Result<()> {
        none()
    }

    async fn management(&self, _: &ProjectionId) -> Result<LaneManagement> {
        none()
    }

    async fn request(&self, _: &ProjectionId, _: &ManagementCommand) -> Result<RequestId> {
        none()
    }

    async fn answer(&self, _: RequestId) -> Result<Option<RequestAnswer>> {
        none()
    }

    async fn withdraw(&self, _: RequestId) -> Result<bool> {
        none()
    }
}

impl OwnerReportStore for Discard {
    async fn keep_report(&self, _: &Claim, _: &OwnerReport) -> Result<()> {
        none()
    }

    async fn survey(&self) -> Result<Survey> {
        none()
    }
}

impl OffsetStore for Discard {
    async fn claim(&self, _: &ClaimRequest) -> Result<ClaimOutcome> {
        none()
    }

    async fn renew(&self, _: &Claim, _: Duration) -> Result<()> {
        none()
    }

    async fn release(&self, _: &Claim) -> Result<()> {
        none()
    }

    async fn commit(&self, _: &Claim, _: &Commit) -> Result<()> {
        none()
    }

    async fn lane(&self, _: &ProjectionId) -> Result<Option<LaneState>> {
        none()
    }

    async fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        none()
    }
}

impl TransactionalOffsetStore for Discard {
    type Tx = Seen;

    async fn begin(&self, _: &Claim, _: Option<&Offset>) -> Result<Seen> {
        none()
    }

    async fn commit_in(&self, _: Seen, _: &Claim, _: &Commit) -> Result<()> {
        none()
    }

    async fn rollback(&self, _: Seen) -> Result<()> {
        none()
    }
}

impl ReadModel for Discard {
    async fn create(&self, _: &mut Seen, _: &Table) -> Result<()> {
        Ok(())
    }

    async fn apply(
        &self,
        seen: &mut Seen,
        _: &Table,
        batch: &RowBatch,
        existed: &mut Vec<bool>,
    ) -> Result<()> {
        for effect in batch.effects() {
            seen.effects += 1;
            if effect.report_existed {
                existed.push(false);
            }
            if let Some(column) = seen.column {
                seen.cells.push(batch.cell(effect.row, column).into());
            }
        }
        Ok(())
    }
}

impl SequenceGuard for Discard {
    async fn last_applied(
        &self,
        _: &mut Seen,
        _: GuardScope<'_>,
        entities: &[&str],
        out: &mut Vec<Option<i64>>,
    ) -> Result<()> {
        out.extend(entities.iter().map(|_| None));
        Ok(())
    }

    async fn record(&self, _: &mut Seen, _: GuardScope<'_>, _: &[GuardEntry<'_>]) -> Result<()> {
        Ok(())
    }

    async fn version(&self, _: &mut Seen, _: &str) -> Result<u64> {
        Ok(0)
    }
}
