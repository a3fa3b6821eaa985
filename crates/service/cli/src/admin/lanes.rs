//! All lanes of the store, each as its owner knows it where that is this process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use projectionist_admin_api::AdminError;
use projectionist_admin_api::view::{CountersView, LaneStatus, OffsetView, State};
use projectionist_core::contract::{DeclarationStore, ManagementStore, OffsetStore};
use projectionist_core::{Clock, LaneState, ProjectionId, Result, SystemClock};
use projectionist_engine::{ProjectionHandle, ProjectionReport};
use projectionist_store_sqlite::SqliteStore;

use super::own_thread::on_own_thread;
use super::state;

/// How long a projection may take to report: longer ones are shown by their row alone.
const REPORT_WITHIN: Duration = Duration::from_millis(300);

/// All lanes of the store and those that are about to have a row there, ordered by name and key.
pub(super) async fn all(
    store: &SqliteStore,
    handles: &Arc<Vec<ProjectionHandle>>,
) -> Result<Vec<LaneStatus>, AdminError> {
    let (mine, reading) = (store.clone(), Arc::clone(handles));
    let rows = on_own_thread(move || rows(mine, reading));
    let reports = join_all(handles.iter().map(report));
    let (rows, reports) = futures::future::join(rows, reports).await;
    let mut lanes = rows?;
    for (handle, report) in handles.iter().zip(reports) {
        let lane = lanes
            .entry(handle.id().clone())
            .or_insert_with(|| of_row(handle.id(), &LaneState::default()));
        tell_own(lane, handle, report);
    }
    Ok(lanes.into_values().collect())
}

async fn report(handle: &ProjectionHandle) -> Option<ProjectionReport> {
    let report = tokio::time::timeout(REPORT_WITHIN, handle.report()).await;
    report.ok()?.ok()
}

/// What the rows tell.
async fn rows(
    store: SqliteStore,
    handles: Arc<Vec<ProjectionHandle>>,
) -> Result<BTreeMap<ProjectionId, LaneStatus>> {
    let declarations = store.declarations().await?;
    let mut lanes = BTreeMap::new();
    for (id, row) in store.lanes().await? {
        let mut lane = of_row(&id, &row);
        let withdrawn = declarations
            .iter()
            .any(|kept| kept.withdrawn && kept.declaration.projection == id.name());
        if !handles.iter().any(|handle| *handle.id() == id) {
            if withdrawn && row.holder.is_none() {
                lane.state = State::NotDeclared;
                lane.reason = Some("its file declares it no more".to_owned());
            } else if let Some(pause) = store.management(&id).await?.pause {
                lane.state = State::Paused;
                lane.reason = Some(state::paused_by(pause.scope).to_owned());
                lane.since_ms = Some(pause.since.unix_millis);
            }
        }
        lanes.insert(id, lane);
    }
    Ok(lanes)
}

fn of_row(id: &ProjectionId, row: &LaneState) -> LaneStatus {
    let (state, reason) = state::of_row(row, SystemClock.now());
    LaneStatus {
        name: id.name().to_owned(),
        key: id.key().to_owned(),
        state,
        reason,
        since_ms: None,
        is_here: false,
        owner: row.holder.as_ref().map(|holder| holder.owner.label()),
        epoch: row.epoch.0,
        offset: row.offset.as_ref().map(OffsetView::from),
        updated_at_ms: row.updated_at.map(|at| at.unix_millis),
        lag_events: None,
        lag_seconds: None,
        counters: CountersView::from(&row.counters),
        failure: None,
    }
}

/// What this process knows of a projection that it runs, over what its row tells.
fn tell_own(lane: &mut LaneStatus, handle: &ProjectionHandle, report: Option<ProjectionReport>) {
    // That of the report, so that state and lag are of the same moment.
    let reported = report.as_ref().map(|report| report.status.clone());
    let status = reported.unwrap_or_else(|| handle.status());
    lane.is_here = true;
    (lane.state, lane.failure) = state::of_status(&status);
    lane.reason = state::reason(&status);
    if let Some(report) = report {
        lane.since_ms = Some(report.since.unix_millis);
        lane.lag_events = report.lag_events;
        lane.lag_seconds = report.lag.map(|lag| lag.as_secs_f64());
    }
}
