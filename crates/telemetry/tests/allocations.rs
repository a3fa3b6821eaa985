//! A commit moves its metrics without allocating. Alone in its file: the count is of the process.

mod common;

use std::alloc::System;

use common::{Ledger, at, lane};
use projectionist_core::Counters;
use projectionist_telemetry::{LaneActivity, LaneMetrics};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn a_commit_allocates_nothing() {
    let ledger = Ledger::default();
    let metrics = ledger.records(|| LaneMetrics::new(&lane("orders", "all")));
    assert_eq!(allocations_of_commits(&metrics), 0);
    #[cfg(feature = "prometheus")]
    {
        let (_exporter, recorder) = projectionist_telemetry::Exporter::detached();
        let make = || LaneMetrics::new(&lane("orders", "all"));
        let metrics = metrics::with_local_recorder(&recorder, make);
        metrics::with_local_recorder(&recorder, || {
            assert_eq!(allocations_of_commits(&metrics), 0);
        });
    }
}

/// The fewest allocations of a thousand commits: the test's own harness may allocate at any time.
fn allocations_of_commits(metrics: &LaneMetrics) -> usize {
    let delta = Counters::from_values([10, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1]);
    let commit = || {
        metrics.committed(&delta, at(5));
        metrics.lag(Some(3), Some(0.5));
        metrics.parked_keys(2);
        metrics.state(LaneActivity::Running);
    };
    commit();
    let round = |_| {
        let region = Region::new(ALLOCATOR);
        (0..1_000).for_each(|_| commit());
        region.change().allocations
    };
    (0..5).map(round).min().unwrap_or_default()
}
