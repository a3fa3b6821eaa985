//! One run of one case, from the spawn to the end of the source.

use std::sync::Arc;

use projectionist_core::ProjectionId;
use projectionist_core::contract::{Mode, Observer};
use projectionist_engine::{
    Completion, GroupConfig, KeyedConfig, Projection, ProjectionHandle, ProjectionRuntime,
};
use projectionist_store_memory::MemoryStore;
use stats_alloc::INSTRUMENTED_SYSTEM;

use super::bare;
use super::case::Case;
use super::handler::Count;
use super::observer::CountingObserver;
use crate::cpu;
use crate::failure::Outcome;
use crate::flavor::Flavor;
use crate::source::{Envelopes, append_key};

/// What an envelope cost in one run.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Processor time of the whole process, in nanoseconds.
    pub cpu_nanos: f64,
    /// Allocations and reallocations, where the program's allocator counts them.
    pub allocations: f64,
}

/// Moves `envelopes` through `case` on a fresh runtime and says what one cost.
///
/// # Errors
/// When the projection fails, or when not every envelope was handled exactly once.
pub fn run(case: Case, flavor: Flavor, envelopes: u64) -> Outcome<Cost> {
    let runtime = flavor.runtime()?;
    let handler = Count::default();
    let allocated = allocations();
    let started = cpu::of_this_process()?;
    runtime.block_on(drive(case, envelopes, &handler))?;
    let cpu = cpu::of_this_process()? - started;
    let allocated = allocations() - allocated;
    let handled = handler.handled();
    if handled != envelopes {
        return Err(format!("{}: {handled} of {envelopes} envelopes", case.name()).into());
    }
    Ok(Cost {
        cpu_nanos: cpu.as_secs_f64() * 1e9 / envelopes as f64,
        allocations: allocated as f64 / envelopes as f64,
    })
}

/// Allocations and reallocations of this process so far.
fn allocations() -> usize {
    let stats = INSTRUMENTED_SYSTEM.stats();
    stats.allocations + stats.reallocations
}

async fn drive(case: Case, envelopes: u64, handler: &Count) -> Outcome<()> {
    let source = Envelopes::new(envelopes);
    match case {
        Case::BareLoop => return bare::run(&source, handler).await,
        Case::BareSaves => return bare::run_saving(&source, handler).await,
        _ => {}
    }
    let observer = Arc::new(CountingObserver::default());
    let count = handler.clone();
    completed(spawn(case, source, &observer, move || count.clone())?).await?;
    match observer.counts() {
        counts if case == Case::Observed && counts != (envelopes, envelopes) => {
            Err(format!("the observer was told of {counts:?} envelopes").into())
        }
        _ => Ok(()),
    }
}

/// Spawns the projection of a case.
fn spawn(
    case: Case,
    source: Envelopes,
    observer: &Arc<CountingObserver>,
    handler: impl Fn() -> Count + Send + Sync + 'static,
) -> Outcome<ProjectionHandle> {
    let id = ProjectionId::new("benchmark", "all")?;
    let store = MemoryStore::new();
    let runtime = ProjectionRuntime::new();
    let spawned = match case {
        Case::BareLoop | Case::BareSaves => return Err("a bare loop has no projection".into()),
        Case::AtLeastOnce => runtime
            .spawn(Projection::at_least_once(id, source, store, handler).with_mode(Mode::Current)),
        Case::Observed => runtime.spawn(
            Projection::at_least_once(id, source, store, handler)
                .with_mode(Mode::Current)
                .with_observer(Arc::clone(observer) as Arc<dyn Observer>),
        ),
        Case::Keyed => runtime.spawn(
            Projection::at_least_once(id, source, store, handler)
                .with_mode(Mode::Current)
                .keyed(KeyedConfig::default(), append_key),
        ),
        Case::AtMostOnce => runtime
            .spawn(Projection::at_most_once(id, source, store, handler).with_mode(Mode::Current)),
        Case::GroupedAtLeastOnce(size) => runtime.spawn(
            Projection::grouped_at_least_once(id, source, store, handler)
                .with_mode(Mode::Current)
                .with_group(groups_of(size)),
        ),
        Case::ExactlyOnce => runtime
            .spawn(Projection::exactly_once(id, source, store, handler).with_mode(Mode::Current)),
        Case::GroupedExactlyOnce(size) => runtime.spawn(
            Projection::grouped_exactly_once(id, source, store, handler)
                .with_mode(Mode::Current)
                .with_group(groups_of(size)),
        ),
    };
    Ok(spawned?)
}

fn groups_of(size: usize) -> GroupConfig {
    GroupConfig {
        max_envelopes: size,
        ..GroupConfig::default()
    }
}

pub(super) async fn completed(handle: ProjectionHandle) -> Outcome<()> {
    match handle.wait().await? {
        Completion::Completed => Ok(()),
        Completion::Stopped => Err("the projection was stopped before its source ended".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_handles_every_envelope_on_both_runtimes() {
        for case in Case::ALL {
            for flavor in Flavor::ALL {
                let cost = run(case, flavor, 1_234).unwrap();
                assert!(cost.cpu_nanos > 0.0, "{case:?} {flavor:?}");
            }
        }
    }
}
