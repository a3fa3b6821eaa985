//! What the owners of lanes said of themselves, and all lanes at once.

use std::collections::HashMap;

use projectionist_core::contract::OwnerReportStore;
use projectionist_core::{
    Claim, OwnerReport, ProjectionId, Result, SetPause, StoredOwnerReport, Survey, SurveyedLane,
};

use crate::MemoryStore;

/// The last report of each lane.
pub(crate) type OwnerReports = HashMap<ProjectionId, StoredOwnerReport>;

impl OwnerReportStore for MemoryStore {
    async fn keep_report(&self, claim: &Claim, report: &OwnerReport) -> Result<()> {
        let mut state = self.lock().await;
        state.lane_of(claim).map_err(|error| *error)?;
        let stored = StoredOwnerReport {
            owner: claim.owner.clone(),
            epoch: claim.epoch,
            report: report.clone(),
        };
        state.owner_reports.insert(claim.lane.clone(), stored);
        Ok(())
    }

    async fn survey(&self) -> Result<Survey> {
        let state = self.lock().await;
        let lanes = state.lanes.iter().map(|(id, row)| SurveyedLane {
            id: id.clone(),
            row: row.clone(),
            report: state.owner_reports.get(id).cloned(),
        });
        let set = state.flags.iter().filter(|(_, flag)| flag.paused);
        let pauses = set.map(|((name, key), flag)| SetPause {
            name: name.clone(),
            key: key.clone(),
            since: flag.since,
        });
        Ok(Survey {
            lanes: lanes.collect(),
            pauses: pauses.collect(),
            requests: state.requests.all_open(),
        })
    }
}
