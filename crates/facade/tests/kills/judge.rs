//! The oracle of a mode.

use crate::life::Seen;
use crate::mode::Mode;
use crate::oracle::Oracle;
use crate::out_of_order::SettledOracle;

/// The oracle of a mode.
pub(crate) enum Judge {
    InOrder(Oracle),
    OutOfOrder(SettledOracle),
}

impl Judge {
    pub(crate) fn of(mode: Mode) -> Self {
        if mode.settles_out_of_order() {
            Self::OutOfOrder(SettledOracle::of(mode))
        } else {
            Self::InOrder(Oracle::of(mode))
        }
    }

    /// How many events are settled.
    pub(crate) fn settled(&self) -> u64 {
        match self {
            Self::InOrder(oracle) => oracle.settled(),
            Self::OutOfOrder(oracle) => oracle.settled(),
        }
    }

    /// How many events were handled more than once.
    pub(crate) fn repeated(&self) -> u64 {
        match self {
            Self::InOrder(oracle) => oracle.repeated(),
            Self::OutOfOrder(oracle) => oracle.repeated(),
        }
    }

    /// How many events were not handled.
    pub(crate) fn lost(&self) -> u64 {
        match self {
            Self::InOrder(oracle) => oracle.lost(),
            // What is settled is handled in all of them.
            Self::OutOfOrder(_) => 0,
        }
    }

    /// How many processes left something settled that is not everything up to the offset.
    pub(crate) fn left_out_of_order(&self) -> u64 {
        match self {
            Self::InOrder(_) => 0,
            Self::OutOfOrder(oracle) => oracle.left_out_of_order(),
        }
    }

    /// Judges what a killed process left.
    pub(crate) fn judge(&mut self, seen: &Seen, what: &str) {
        match self {
            Self::InOrder(oracle) => oracle.judge(seen, what),
            Self::OutOfOrder(oracle) => oracle.judge(seen, what),
        }
    }

    /// Judges what the process left that came to its end.
    pub(crate) fn judge_the_end(&mut self, seen: &Seen, events: u64, what: &str) {
        match self {
            Self::InOrder(oracle) => oracle.judge_the_end(seen, events, what),
            Self::OutOfOrder(oracle) => oracle.judge_the_end(seen, events, what),
        }
    }
}
