//! A process that dies.

use std::future::Future;

/// Runs `life` in a tokio runtime of its own, with paused time, and then lets all its tasks go
/// where they stand: nothing is flushed, released or told.
pub fn dies_after<T>(life: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let output = runtime.block_on(life);
    runtime.shutdown_background();
    output
}

/// Runs `life` in a tokio runtime of its own, with paused time.
pub fn lives<T>(life: impl Future<Output = T>) -> T {
    dies_after(life)
}
