//! Empties what is in use, and reads all events again.

use std::sync::Arc;

use projectionist_apply::plain_table;
use projectionist_core::contract::{OffsetStore, RebuildStore};
use projectionist_core::{Clock, ProjectionId, SystemClock};
use projectionist_engine::ProjectionRuntime;
use projectionist_engine::claim::process;
use projectionist_store_sqlite::SqliteStore;

use super::driver::{Job, Pass, Passed};
use super::progress::Screen;
use crate::exit::Failure;
use crate::output::print_line;

/// Rebuilds one projection in place. Its owner, where it has one, reads the events; else this
/// process does.
pub(super) async fn one(
    store: &SqliteStore,
    runtime: &ProjectionRuntime,
    screen: &Arc<Screen>,
    job: &Job,
) -> Result<(), Failure> {
    let name = job.rebuild.projection();
    let lane = ProjectionId::new(name, &job.rebuild.key)?;
    let Some(projection) = job.program.projections.first() else {
        return Ok(());
    };
    let owner = owner_of(store, &lane).await?;
    store.reset(&plain_table(projection)).await?;
    while store.purge().await? {}
    if let Some(owner) = owner {
        return print_line(format_args!(
            "{name}: emptied; {owner} reads all events again"
        ));
    }
    screen.reads(name, &job.rebuild.source);
    let pass = Pass {
        store,
        runtime,
        watch: screen.clone(),
    };
    let passed = pass.over(job, &lane).await;
    screen.finish();
    let passed = passed?;
    let counters = store.lane(&lane).await?.unwrap_or_default().counters;
    let read = counters.read;
    print_line(match passed {
        Passed::ToTheEnd => format!("{name}: emptied, and {read} event(s) read again"),
        Passed::Stopped => {
            format!("{name}: emptied, and stopped after {read} event(s); `run` goes on from there")
        }
    })
}

/// Who runs the projection now.
async fn owner_of(store: &SqliteStore, lane: &ProjectionId) -> Result<Option<String>, Failure> {
    let holder = store.lane(lane).await?.and_then(|lane| lane.holder);
    let living = holder.filter(|holder| {
        let is_dead = holder.owner.process.as_ref().is_some_and(process::is_dead);
        holder.expires_at > SystemClock.now() && !is_dead
    });
    Ok(living.map(|holder| holder.owner.label()))
}
