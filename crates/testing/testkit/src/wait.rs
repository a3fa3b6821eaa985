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
