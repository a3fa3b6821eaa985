//! One run of the scenario `mem`: spawn, wait for the end, and see that every event came.

use std::error::Error;
use std::sync::Arc;

use datum_persistence::projection::{
    MemoryProjectionOffsetStore, Projection, ProjectionId, ProjectionRuntime, ProjectionStatus,
};
use datum_persistence::query::QueryMode;

use crate::handler::Count;
use crate::mode::{Mode, groups};
use crate::numbers::Numbers;

/// Runs `events` through the peer's runtime. The peer may hold an identity a little longer than its
/// run lasts, so every `run` has its own.
///
/// # Errors
/// Whatever the peer reports, and an end that is no completion or that left events out.
pub(crate) async fn run(
    mode: Mode,
    run: u64,
    events: u64,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let counter = Count::default();
    let handler = counter.clone();
    let source = Numbers::up_to(events)?;
    let id = ProjectionId::new(format!("{}-{run}", mode.name()), "all");
    let projection = match mode {
        Mode::AtLeastOnce => Projection::at_least_once(id, source, move || handler.clone()),
        Mode::AtMostOnce => Projection::at_most_once(id, source, move || handler.clone()),
        Mode::Grouped(size) => {
            Projection::grouped_at_least_once(id, source, move || handler.clone())
                .with_group(groups(size))
        }
    };
    let store = Arc::new(MemoryProjectionOffsetStore::new());
    let handle = projection
        .with_query_mode(QueryMode::Current)
        .spawn(ProjectionRuntime::new(store))
        .await?;
    let status = handle.wait().await?;
    if status != ProjectionStatus::Completed || counter.handled() != events {
        let handled = counter.handled();
        return Err(format!("ended as {status:?} with {handled} of {events} events").into());
    }
    Ok(())
}
