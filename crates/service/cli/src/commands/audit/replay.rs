//! Applies in memory what a projection has read.

use std::collections::HashSet;

use projectionist_apply::{ApplyOptions, DeclaredCodec, DeclaredProjection};
use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, Mode, OffsetStore};
use projectionist_core::{Counters, ProjectionId};
use projectionist_engine::{ProjectionRuntime, RestartBackoff};
use projectionist_store_memory::MemoryStore;

use crate::commands::blueprint::blueprint;
use crate::commands::explain::past::{KEY, Past};
use crate::commands::files::Place;
use crate::exit::Failure;

/// The most events of one transaction.
const MAX_BATCH: usize = 20_000;

/// What the events have left.
pub(super) struct Replayed {
    pub(super) store: MemoryStore,
    pub(super) counters: Counters,
    /// How many events cannot be applied and have no dead letter in the target.
    pub(super) without_letter: u64,
}

/// Runs the projection over its past, of one tenant or of all, into an empty store. Events of which
/// the target keeps a dead letter are left out, as they are there.
pub(super) async fn replay(past: &Past, tenant: Option<&str>) -> Result<Replayed, Failure> {
    let store = MemoryStore::new();
    let codec = DeclaredCodec::new(&past.program);
    let mut replayed = Replayed {
        store: store.clone(),
        counters: Counters::default(),
        without_letter: 0,
    };
    let Some((source, projection)) = past.reread(codec.clone())?.zip(past.projection()) else {
        return Ok(replayed);
    };
    let letters: HashSet<Place> = past.letters.keys().copied().collect();
    let source = source.without(letters).of_tenant(tenant);
    let options = ApplyOptions {
        // Who was one too many in a run has a dead letter.
        max_tenants: usize::MAX,
        ..ApplyOptions::default()
    };
    let declared = DeclaredProjection::new(&past.program, 0, &codec, options)?;
    let id = ProjectionId::new(declared.name(), KEY)?;
    let rows = store.clone();
    let handler = move || declared.handler(rows.clone());
    let rules = (projection.retries, MAX_BATCH);
    let run = blueprint(id.clone(), source, store.clone(), handler, rules)
        .with_mode(Mode::Current)
        .with_restart(RestartBackoff {
            // A file that cannot be read now is told at once.
            max_restarts: Some(0),
            ..RestartBackoff::default()
        });
    let handle = ProjectionRuntime::new().spawn(run)?;
    if let Err(error) = handle.wait().await {
        return Err(Failure::of_projection(id.name(), &error));
    }
    if let Some(lane) = store.lane(&id).await? {
        replayed.counters = lane.counters;
    }
    let filter = DeadLetterFilter {
        projection: Some(id.name().to_owned()),
        limit: usize::MAX,
        ..DeadLetterFilter::default()
    };
    replayed.without_letter = store.dead_letters(&filter).await?.len() as u64;
    Ok(replayed)
}
