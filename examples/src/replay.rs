//! Runs a projection twice over the same events, as a lane that is moved back does.

use projectionist::contract::{Mode, OffsetStore, SourceProvider};
use projectionist::{BoxError, Delivery, Projection, ProjectionManagement, ProjectionRuntime};

/// Runs `projection` to the present end of its source, moves its lane in `store` back to the
/// beginning, and runs it once more: every event is handled twice.
///
/// # Errors
/// Why a run failed, or why the lane could not be moved.
pub async fn run_and_replay<P, S, D>(
    projection: Projection<P, S, D>,
    store: &S,
) -> Result<(), BoxError>
where
    P: SourceProvider<Envelope: Clone> + Clone,
    S: OffsetStore,
    D: Delivery<P, S> + Clone,
{
    let projection = projection.with_mode(Mode::Current);
    let spawned = ProjectionRuntime::new().spawn(projection.clone())?;
    spawned.wait().await?;
    ProjectionManagement::new(store.clone())
        .clear_offset(projection.id())
        .await?;
    let spawned = ProjectionRuntime::new().spawn(projection)?;
    spawned.wait().await?;
    Ok(())
}
