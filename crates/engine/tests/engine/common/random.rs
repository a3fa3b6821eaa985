//! Numbers that a seed decides.

use std::ops::RangeInclusive;

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number of `range`.
    pub fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        let (start, end) = (*range.start(), *range.end());
        start + self.next() % (end - start + 1)
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.within(1..=times) == 1
    }
}

/// The seed of `PROJECTIONIST_SEED`, or one that the system draws.
pub fn seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    match std::env::var("PROJECTIONIST_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => RandomState::new().hash_one("seed"),
    }
}
