//! One run of one case, from the spawn to the end of the source.

use std::sync::Arc;

use futures::StreamExt;
use projectionist_core::contract::Mode;
use projectionist_core::{ProjectionId, SourceItem};
use projectionist_engine::{
    Completion, GroupConfig, Projection, ProjectionHandle, ProjectionRuntime,
};
use projectionist_store_memory::MemoryStore;
use stats_alloc::INSTRUMENTED_SYSTEM;

use super::case::{Case, Flavor};
use super::handler::Count;
use super::observer::CountingObserver;
use super::source::Envelopes;
use crate::cpu;
use crate::failure::Outcome;

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
    let id = ProjectionId::new("benchmark", "all")?;
    let store = MemoryStore::new();
    let runtime = ProjectionRuntime::new();
    let count = handler.clone();
    match case {
        Case::BareLoop => bare_loop(&source, handler).await,
        Case::AtLeastOnce => {
            let projection = Projection::at_least_once(id, source, store, move || count.clone());
            completed(runtime.spawn(projection.with_mode(Mode::Current))?).await
        }
        Case::Observed => {
            let observer = Arc::new(CountingObserver::default());
            let projection = Projection::at_least_once(id, source, store, move || count.clone())
                .with_mode(Mode::Current)
                .with_observer(observer.clone());
            completed(runtime.spawn(projection)?).await?;
            match observer.counts() {
                counts if counts == (envelopes, envelopes) => Ok(()),
                counts => Err(format!("the observer was told of {counts:?} envelopes").into()),
            }
        }
        Case::Grouped(size) => {
            let group = GroupConfig {
                max_envelopes: size,
                ..GroupConfig::default()
            };
            let projection =
                Projection::grouped_exactly_once(id, source, store, move || count.clone())
                    .with_mode(Mode::Current)
                    .with_group(group);
            completed(runtime.spawn(projection)?).await
        }
    }
}

async fn completed(handle: ProjectionHandle) -> Outcome<()> {
    match handle.wait().await? {
        Completion::Completed => Ok(()),
        Completion::Stopped => Err("the projection was stopped before its source ended".into()),
    }
}

/// What remains when there is no engine: the stream is polled and the handler's future awaited. The
/// task is spawned as the engine's is.
async fn bare_loop(source: &Envelopes, handler: &Count) -> Outcome<()> {
    let mut stream = source.stream(0);
    let handler = handler.clone();
    let task = tokio::spawn(async move {
        while let Some(item) = stream.next().await {
            if let SourceItem::Envelope(envelope) = item? {
                handler.one(&envelope);
            }
        }
        Ok(())
    });
    task.await?
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
