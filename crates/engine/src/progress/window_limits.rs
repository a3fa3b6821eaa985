//! How much may be delivered and not settled.

use std::fmt;

/// How much may be delivered and not settled. A projection that reaches one of these limits takes
/// nothing more from its source until something is settled.
///
/// What is settled ahead of an envelope that is not counts only by its ranges, never by its
/// number: one envelope that is tried for an hour does not hold up the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowLimits {
    /// Envelopes that are delivered and not settled. Default 1,024; 0 is 1.
    pub max_unsettled: usize,
    /// Their bytes, as the source counts them; reached by the envelope that makes it so much.
    /// Default 16 MiB.
    pub max_unsettled_bytes: usize,
    /// Stretches of settled records between those that are not: what a commit writes down. Default
    /// 1,000; 0 is 1.
    pub max_ranges: usize,
    /// Envelopes that failed and are to be tried again. Default 100; 0 is 1.
    pub max_held: usize,
}

impl Default for WindowLimits {
    fn default() -> Self {
        Self {
            max_unsettled: 1_024,
            max_unsettled_bytes: 16 << 20,
            max_ranges: 1_000,
            max_held: 100,
        }
    }
}

/// A limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Unsettled(usize),
    UnsettledBytes(usize),
    Ranges(usize),
    Held(usize),
    /// What is handled and not saved, where a save cannot make room.
    Unsaved(u64),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsettled(count) => write!(f, "{count} envelopes are not settled"),
            Self::UnsettledBytes(bytes) => write!(f, "{bytes} bytes are not settled"),
            Self::Ranges(ranges) => write!(f, "{ranges} ranges are settled ahead"),
            Self::Held(held) => write!(f, "{held} envelopes are to be tried again"),
            Self::Unsaved(records) => write!(f, "{records} envelopes are handled and not saved"),
        }
    }
}
