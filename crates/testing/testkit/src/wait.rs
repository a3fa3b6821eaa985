//! Waits for a condition instead of a time.

use std::time::Duration;

/// The longest that [`eventually`] waits.
pub const AT_MOST: Duration = Duration::from_secs(60);

/// Waits until `condition` holds, looking again whenever other tasks have run.
///
/// # Panics
/// When it does not hold within [`AT_MOST`].
#[expect(clippy::panic, reason = "a test kit fails its test")]
pub async fn eventually(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + AT_MOST;
    while !condition().await {
        if tokio::time::Instant::now() >= deadline {
            panic!("{what}: not within {AT_MOST:?}");
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Lets the time of a test pass that runs with tokio's time paused
/// (`#[tokio::test(start_paused = true)]`, with tokio's feature `test-util`).
///
/// Costs no real time: the paused time moves on when every task waits, from one timer to the next,
/// so that all that falls due meanwhile happens in its order. What falls due at the very end may
/// come before or after it: tests look a millisecond before and after.
pub async fn pass(duration: Duration) {
    tokio::time::sleep(duration).await;
}
