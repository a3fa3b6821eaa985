//! Which projections have an open failure streak: their gauge has no label for the lane, so the
//! streaks of all lanes of a name are counted.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use projectionist_core::ProjectionId;

use crate::handles::projection_gauge;
use crate::metric_names::STALLED;

/// How many streaks are open, by the name of the projection. Holds no name without any.
static OPEN: LazyLock<Mutex<HashMap<String, usize>>> = LazyLock::new(Mutex::default);

/// A streak opened on this lane.
pub(crate) fn opened(lane: &ProjectionId) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    *open.entry(lane.name().to_owned()).or_default() += 1;
    // Set while the count is locked, so that the gauge ends at what was counted last.
    projection_gauge(STALLED, lane).set(1.0);
}

/// A streak that was [`opened`] is over.
pub(crate) fn closed(lane: &ProjectionId) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(streaks) = open.get_mut(lane.name()) {
        *streaks -= 1;
        if *streaks == 0 {
            open.remove(lane.name());
            projection_gauge(STALLED, lane).set(0.0);
        }
    }
}
