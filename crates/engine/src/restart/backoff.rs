//! How long a failed run waits before the next.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// When a failed run is started again.
///
/// The wait is `min(min_backoff · 2^failures, max_backoff) · (1 + jitter · random_factor)` with a
/// jitter in `0..1` drawn from the system, so that processes that failed together do not come back
/// together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestartBackoff {
    /// The first wait. Default 3 s.
    pub min_backoff: Duration,
    /// The longest wait before jitter. Default 30 s.
    pub max_backoff: Duration,
    /// How much jitter may add, as a share of the wait. Default 0.2.
    pub random_factor: f64,
    /// How many restarts within [`max_restarts_within`](Self::max_restarts_within) are made before
    /// the projection fails for good. Default: no limit.
    pub max_restarts: Option<u32>,
    /// The window in which restarts are counted, each from the start of its run. Default 1 h.
    pub max_restarts_within: Duration,
}

impl Default for RestartBackoff {
    fn default() -> Self {
        Self {
            min_backoff: Duration::from_secs(3),
            max_backoff: Duration::from_secs(30),
            random_factor: 0.2,
            max_restarts: None,
            max_restarts_within: Duration::from_secs(3600),
        }
    }
}

impl RestartBackoff {
    /// The wait after `failures` earlier failures in a row, for a `jitter` in `0..1`.
    #[must_use]
    pub fn delay(&self, failures: u32, jitter: f64) -> Duration {
        let factor = 1u32.checked_shl(failures).unwrap_or(u32::MAX);
        let capped = self
            .min_backoff
            .saturating_mul(factor)
            .min(self.max_backoff);
        let stretch = 1.0 + jitter.clamp(0.0, 1.0) * self.random_factor.max(0.0);
        Duration::try_from_secs_f64(capped.as_secs_f64() * stretch).unwrap_or(capped)
    }

    /// The wait after `failures` earlier failures in a row, with a jitter of the system's.
    #[must_use]
    pub fn jittered_delay(&self, failures: u32) -> Duration {
        self.delay(failures, system_jitter())
    }
}

/// A number in `0..1` that differs between processes and calls: the standard library seeds every
/// `RandomState` from the system.
fn system_jitter() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    f64::from(u32::try_from(bits).unwrap_or(0)) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_to_its_cap_and_jitter_comes_on_top() {
        let backoff = RestartBackoff::default();
        let waits: Vec<_> = (0..6)
            .map(|failures| backoff.delay(failures, 0.0).as_secs())
            .collect();
        assert_eq!(waits, [3, 6, 12, 24, 30, 30]);
        assert_eq!(backoff.delay(9, 1.0), Duration::from_secs(36));
        assert_eq!(backoff.delay(u32::MAX, 0.5), Duration::from_secs(33));
    }

    #[test]
    fn the_systems_jitter_is_in_range_and_varies() {
        let draws: Vec<f64> = (0..16).map(|_| system_jitter()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        assert!(
            draws
                .iter()
                .any(|draw| draw.to_bits() != draws[0].to_bits())
        );
    }
}
