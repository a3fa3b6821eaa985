//! What became of the events: counted in the commit that settles them.

/// What became of a lane's events, in events.
///
/// The counts add up: `read = applied + unmatched + filtered + ignored + stale + skipped +
/// dead_lettered + parked + pending`, where `parked` are those that are parked now. They live in the same commit as the offset, so they still add up
/// after a kill at any moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    /// Events that reached this projection.
    pub read: u64,
    /// Events whose effect is in the read model, a delete of a missing row included.
    pub applied: u64,
    /// Events of a type that the projection does not name.
    pub unmatched: u64,
    /// Events whose `when` condition was false.
    pub filtered: u64,
    /// Events that by declaration change nothing, such as an insert on a row that exists.
    pub ignored: u64,
    /// Events at or below the last applied sequence number of their entity.
    pub stale: u64,
    /// Events that recovery passed over where no dead-letter sink is set.
    pub skipped: u64,
    /// Events that were stored as dead letters.
    pub dead_lettered: u64,
    /// Events that were ever parked; those that are parked now are [`Counters::parked`].
    pub parked_total: u64,
    /// Parked events that were let go: applied, or given up and counted as such.
    pub unparked_total: u64,
    /// How many of the applied were folded into a later write of the same batch.
    pub folded: u64,
    /// Records of the source that are no envelopes. They are in no projection's `read`.
    pub malformed: u64,
}

/// The names of the counters, in the order of [`Counters::values`]. Stored and printed names.
pub const COUNTER_NAMES: [&str; 12] = [
    "read",
    "applied",
    "unmatched",
    "filtered",
    "ignored",
    "stale",
    "skipped",
    "dead_lettered",
    "parked_total",
    "unparked_total",
    "folded",
    "malformed",
];

impl Counters {
    /// Nothing.
    pub const ZERO: Self = Self::from_values([0; 12]);

    /// The counts in the order of [`COUNTER_NAMES`].
    #[must_use]
    pub fn values(&self) -> [u64; 12] {
        [
            self.read,
            self.applied,
            self.unmatched,
            self.filtered,
            self.ignored,
            self.stale,
            self.skipped,
            self.dead_lettered,
            self.parked_total,
            self.unparked_total,
            self.folded,
            self.malformed,
        ]
    }

    /// The counters whose [`Counters::values`] are these.
    #[must_use]
    pub const fn from_values(values: [u64; 12]) -> Self {
        let [
            read,
            applied,
            unmatched,
            filtered,
            ignored,
            stale,
            skipped,
            dead_lettered,
            parked_total,
            unparked_total,
            folded,
            malformed,
        ] = values;
        Self {
            read,
            applied,
            unmatched,
            filtered,
            ignored,
            stale,
            skipped,
            dead_lettered,
            parked_total,
            unparked_total,
            folded,
            malformed,
        }
    }

    /// Adds `delta` to these counts.
    #[inline]
    pub fn add(&mut self, delta: &Self) {
        self.read = self.read.saturating_add(delta.read);
        self.applied = self.applied.saturating_add(delta.applied);
        // Runs several times a save, and most saves count nothing else.
        let [_, _, others @ ..] = delta.values();
        if others.into_iter().fold(0, |all, count| all | count) != 0 {
            self.add_each(&Self {
                read: 0,
                applied: 0,
                ..*delta
            });
        }
    }

    fn add_each(&mut self, delta: &Self) {
        let mut sums = self.values();
        for (sum, value) in sums.iter_mut().zip(delta.values()) {
            *sum = sum.saturating_add(value);
        }
        *self = Self::from_values(sums);
    }

    /// What was counted since these counts were `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut delta = self.values();
        for (count, before) in delta.iter_mut().zip(earlier.values()) {
            *count = count.saturating_sub(before);
        }
        Self::from_values(delta)
    }

    /// Events that were settled in some other way than being applied.
    #[must_use]
    pub fn not_applied(&self) -> u64 {
        self.unmatched
            + self.filtered
            + self.ignored
            + self.stale
            + self.skipped
            + self.dead_lettered
    }

    /// Events that are parked now.
    #[must_use]
    pub fn parked(&self) -> u64 {
        self.parked_total.saturating_sub(self.unparked_total)
    }

    /// Events that were read and are not settled yet. At-most-once counts an event as read in the
    /// save before it is handled, so those that a crash lost stay here.
    #[must_use]
    pub fn pending(&self) -> u64 {
        let settled = self.applied + self.not_applied() + self.parked();
        self.read.saturating_sub(settled)
    }

    /// Whether nothing was counted.
    #[must_use]
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.values().into_iter().fold(0, |all, count| all | count) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_adds_every_count_once() {
        let mut primes = Counters::from_values([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]);
        primes.add(&Counters::from_values([
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
        ]));
        assert_eq!(
            primes.values(),
            [3, 5, 8, 11, 16, 19, 24, 27, 32, 39, 42, 49]
        );
        assert_eq!((primes.read, primes.malformed), (3, 49));
        let earlier = Counters::from_values([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        assert_eq!(
            primes.since(&earlier).values(),
            [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
        );
    }

    #[test]
    fn pending_is_what_is_read_and_not_settled() {
        let counts = Counters {
            read: 10,
            applied: 4,
            stale: 3,
            dead_lettered: 1,
            parked_total: 3,
            unparked_total: 2,
            ..Counters::default()
        };
        assert_eq!((counts.parked(), counts.pending()), (1, 1));
    }
}
