//! Waits for a condition instead of a time.

use std::time::Duration;

use tokio::time::Instant;

/// The longest that [`eventually`] waits.
pub const AT_MOST: Duration = Duration::from_secs(60);

/// The pause between two looks: other processes need the processor more than this one.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// Looks again and again until `look` finds something.
///
/// # Panics
/// When it does not within [`AT_MOST`].
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + AT_MOST;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}: not within {AT_MOST:?}");
        std::thread::park_timeout(BETWEEN_LOOKS);
    }
}
