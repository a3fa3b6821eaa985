//! The limits of a shared pass.

use std::time::Duration;

/// The limits of a shared pass over a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HubConfig {
    /// How many records are kept for those who read: how far the slowest may be behind the fastest.
    /// One who begins behind may join within half of it. Default 4,096; 0 is 1.
    pub max_records: usize,
    /// How many bytes of envelopes are kept, as the source counts them; one record is kept in any
    /// case. Default 16 MiB.
    pub max_bytes: usize,
    /// How long the slowest may hold up others, when no more can be kept. Then it reads alone, until
    /// it comes near again. Default 1 s.
    pub laggard_after: Duration,
    /// How long a pass that begins waits for subscribers that do not read yet, to begin at the
    /// lowest position of all. It waits for none when all read. Default 250 ms.
    pub gather_for: Duration,
}

impl Default for HubConfig {
    fn default() -> Self {
        Self {
            max_records: 4_096,
            max_bytes: 16 * 1024 * 1024,
            laggard_after: Duration::from_secs(1),
            gather_for: Duration::from_millis(250),
        }
    }
}
