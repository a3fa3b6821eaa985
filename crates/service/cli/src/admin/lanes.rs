//! All lanes of the store: the overview that `status` prints, and of the projections of this process
//! what they do at this very moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use projectionist_admin_api::AdminError;
use projectionist_admin_api::view::{CountersView, FailureView, LaneStatus, OffsetView};
use projectionist_core::{ProjectionId, SystemClock};
use projectionist_engine::{LaneOverview, Overview, ProjectionHandle};
use projectionist_store_sqlite::SqliteStore;

use super::own_thread::on_own_thread;
use super::state;

/// All lanes of the store and those that are about to have a row there, ordered by name and key.
pub(super) async fn all(
    store: &SqliteStore,
    handles: &Arc<Vec<ProjectionHandle>>,
) -> Result<Vec<LaneStatus>, AdminError> {
    let reading = store.clone();
    let read = || async move { Overview::read(&reading, &SystemClock).await };
    let overview = on_own_thread(read).await?;
    let mut lanes: BTreeMap<(String, String), LaneStatus> = BTreeMap::new();
    for lane in &overview.lanes {
        let status = of_overview(lane);
        lanes.insert((status.name.clone(), status.key.clone()), status);
    }
    for handle in handles.iter() {
        let id = handle.id();
        // What stands for a projection without a lane is this lane.
        lanes.remove(&(id.name().to_owned(), String::new()));
        let address = (id.name().to_owned(), id.key().to_owned());
        let lane = lanes.entry(address).or_insert_with(|| about_to_run(id));
        tell_own(lane, handle);
    }
    Ok(lanes.into_values().collect())
}

/// A lane as the store and its last owner tell it.
fn of_overview(lane: &LaneOverview) -> LaneStatus {
    let failure = lane.failing.as_ref().map(|failing| FailureView {
        error: match &lane.last_error {
            Some(error) => error.text.clone(),
            None => lane.reason.clone(),
        },
        offset: Some(OffsetView::from(&failing.offset)),
        attempts: Some(failing.attempts),
        next_after_ms: None,
        can_be_skipped: true,
    });
    LaneStatus {
        name: lane.name.clone(),
        key: lane.key.clone().unwrap_or_default(),
        state: state::of_condition(lane.condition),
        reason: Some(lane.reason.clone()).filter(|reason| !reason.is_empty()),
        since_ms: lane.since.map(|since| since.unix_millis),
        is_here: false,
        owner: lane.owner.as_ref().map(|owner| owner.label.clone()),
        epoch: lane.epoch.0,
        offset: lane.offset.as_ref().map(OffsetView::from),
        updated_at_ms: lane.updated_at.map(|at| at.unix_millis),
        lag_events: lane.lag_events,
        lag_seconds: lane.lag.map(|lag| lag.as_secs_f64()),
        counters: CountersView::from(&lane.counters),
        failure,
    }
}

/// A projection of this process that has no row yet.
fn about_to_run(id: &ProjectionId) -> LaneStatus {
    LaneStatus {
        name: id.name().to_owned(),
        key: id.key().to_owned(),
        state: projectionist_admin_api::view::State::Starting,
        reason: None,
        since_ms: None,
        is_here: true,
        owner: None,
        epoch: 0,
        offset: None,
        updated_at_ms: None,
        lag_events: None,
        lag_seconds: None,
        counters: CountersView::default(),
        failure: None,
    }
}

/// What this process knows of a projection that it runs, over what the store tells.
fn tell_own(lane: &mut LaneStatus, handle: &ProjectionHandle) {
    let status = handle.status();
    lane.is_here = true;
    let (state, failure) = state::of_status(&status);
    // A run that is about to go idle says so in the store first.
    if !state::is_only_running(state) || !state::is_quiet(lane.state) {
        lane.state = state;
        lane.reason = state::reason(&status);
    }
    lane.failure = failure;
}
