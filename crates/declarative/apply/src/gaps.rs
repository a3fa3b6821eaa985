//! Warns of numbers that are missing between two events of one entity.

use std::sync::Mutex;
use std::time::Duration;

use projectionist_core::{Clock, SystemClock, Timestamp};
use tracing::warn;

/// At most one warning in this time, for each projection.
const QUIET: Duration = Duration::from_secs(1);

/// Warns of gaps: one for all the handlers of a projection, so that they share its silence.
#[derive(Debug)]
pub(crate) struct GapWarnings {
    projection: Box<str>,
    clock: Box<dyn Clock>,
    state: Mutex<Silence>,
}

#[derive(Debug, Default)]
struct Silence {
    warned_at: Option<Timestamp>,
    /// Gaps since then that nobody was told of.
    suppressed: u64,
}

/// The gaps of one group.
#[derive(Debug, Default)]
pub(crate) struct GroupGaps {
    first: Option<Gap>,
    count: u64,
}

#[derive(Debug)]
struct Gap {
    entity: Box<str>,
    last: i64,
    next: i64,
}

impl GroupGaps {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes note when `next` does not follow `last`, the number of the event that was applied
    /// before. Of an entity that was never met no number is missing.
    pub(crate) fn note(&mut self, entity: &str, last: Option<i64>, next: i64) {
        let Some(last) = last.filter(|last| last.checked_add(1) != Some(next)) else {
            return;
        };
        self.count += 1;
        self.first.get_or_insert_with(|| Gap {
            entity: entity.into(),
            last,
            next,
        });
    }
}

impl GapWarnings {
    pub(crate) fn new(projection: &str) -> Self {
        Self::with_clock(projection, Box::new(SystemClock))
    }

    fn with_clock(projection: &str, clock: Box<dyn Clock>) -> Self {
        Self {
            projection: projection.into(),
            clock,
            state: Mutex::default(),
        }
    }

    /// Warns of the first gap of a group that was handled, unless the last warning is too near.
    pub(crate) fn tell(&self, gaps: &GroupGaps) {
        let Some(gap) = &gaps.first else {
            return;
        };
        let Some(suppressed) = self.take_turn(gaps.count) else {
            return;
        };
        warn!(
            projection = &*self.projection,
            entity = &*gap.entity,
            last = gap.last,
            next = gap.next,
            suppressed,
            "numbers are missing between two events of an entity; the event was applied"
        );
    }

    /// Whether a warning may be given now, and how many gaps it does not name.
    fn take_turn(&self, gaps: u64) -> Option<u64> {
        let now = self.clock.now();
        // Whoever panicked with the lock held has left two numbers that are as good as before.
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let is_quiet = |warned: Timestamp| now >= warned && now.since(warned) < QUIET;
        if state.warned_at.is_some_and(is_quiet) {
            state.suppressed += gaps;
            return None;
        }
        state.warned_at = Some(now);
        Some(std::mem::take(&mut state.suppressed) + gaps - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    #[derive(Clone, Debug, Default)]
    struct Steered(Arc<AtomicI64>);

    impl Clock for Steered {
        fn now(&self) -> Timestamp {
            Timestamp::from_unix_millis(self.0.load(Ordering::Relaxed))
        }
    }

    #[test]
    fn a_gap_is_a_number_that_does_not_follow_a_known_one() {
        let mut gaps = GroupGaps::default();
        gaps.note("x", None, 7);
        gaps.note("x", Some(7), 8);
        assert!(gaps.first.is_none());
        gaps.note("x", Some(8), 10);
        gaps.note("y", Some(1), 5);
        gaps.note("z", Some(i64::MAX - 1), i64::MAX);
        let gap = gaps.first.as_ref().unwrap();
        assert_eq!(
            (&*gap.entity, gap.last, gap.next, gaps.count),
            ("x", 8, 10, 2)
        );
        gaps.clear();
        assert!(gaps.first.is_none());
    }

    #[test]
    fn at_most_one_warning_a_second_counts_those_it_stands_for() {
        let clock = Steered::default();
        let warnings = GapWarnings::with_clock("orders", Box::new(clock.clone()));
        assert_eq!(
            warnings.take_turn(3),
            Some(2),
            "one is named, two are counted"
        );
        clock.0.store(999, Ordering::Relaxed);
        assert_eq!(warnings.take_turn(4), None);
        assert_eq!(warnings.take_turn(1), None);
        clock.0.store(1_000, Ordering::Relaxed);
        assert_eq!(warnings.take_turn(1), Some(5));
        clock.0.store(2_000, Ordering::Relaxed);
        assert_eq!(warnings.take_turn(1), Some(0));
        // A clock that was set back silences nobody for hours.
        clock.0.store(-5_000, Ordering::Relaxed);
        assert_eq!(warnings.take_turn(1), Some(0));
    }
}
