//! The scenarios under an allocator that counts, which slows them down: only the counts are quoted.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> std::process::ExitCode {
    datum_bars::main(Some(allocations))
}

/// Allocations and reallocations of the process so far.
fn allocations() -> u64 {
    let stats = ALLOCATOR.stats();
    (stats.allocations + stats.reallocations) as u64
}
