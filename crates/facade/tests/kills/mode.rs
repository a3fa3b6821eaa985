//! The delivery guarantees that are tried, and what each promises.

use crate::points::Point;

/// A delivery guarantee.
#[expect(
    clippy::enum_variant_names,
    reason = "these are the names of the guarantees"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    AtLeastOnce,
    SettledAtLeastOnce,
    GroupedAtLeastOnce,
    AtMostOnce,
    ExactlyOnce,
    GroupedExactlyOnce,
}

/// The bound on what a kill repeats in at-least-once.
pub(crate) const MAX_UNSAVED: u64 = 12;

/// After so many envelopes at-least-once asks for a save.
pub(crate) const SAVE_AFTER: u64 = 4;

/// The envelopes of a group.
pub(crate) const GROUP: u64 = 5;

impl Mode {
    /// All of them. A new one comes here, into [`crate::child`], and as a test into `main.rs`.
    pub(crate) const ALL: [Self; 6] = [
        Self::AtLeastOnce,
        Self::SettledAtLeastOnce,
        Self::GroupedAtLeastOnce,
        Self::AtMostOnce,
        Self::ExactlyOnce,
        Self::GroupedExactlyOnce,
    ];

    /// The name of its test.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AtLeastOnce => "at_least_once",
            Self::SettledAtLeastOnce => "settled_at_least_once",
            Self::GroupedAtLeastOnce => "grouped_at_least_once",
            Self::AtMostOnce => "at_most_once",
            Self::ExactlyOnce => "exactly_once",
            Self::GroupedExactlyOnce => "grouped_exactly_once",
        }
    }

    /// Whether what it writes stands in the transaction that moves the lane.
    pub(crate) fn is_transactional(self) -> bool {
        matches!(self, Self::ExactlyOnce | Self::GroupedExactlyOnce)
    }

    /// The points of its work at which it can be killed.
    pub(crate) fn points(self) -> &'static [Point] {
        if self.is_transactional() {
            &[Point::Handled, Point::InTransaction, Point::AtCommit]
        } else {
            &[Point::Handled, Point::BeforeSave, Point::AfterSave]
        }
    }

    /// How many events that were handled a kill may repeat.
    pub(crate) fn repeats_at_most(self) -> u64 {
        match self {
            Self::AtLeastOnce | Self::SettledAtLeastOnce => MAX_UNSAVED,
            Self::GroupedAtLeastOnce => GROUP,
            Self::AtMostOnce | Self::ExactlyOnce | Self::GroupedExactlyOnce => 0,
        }
    }

    /// Whether its handler drops this event instead of acknowledging it.
    pub(crate) fn drops(self, event: u64) -> bool {
        self == Self::SettledAtLeastOnce && event.is_multiple_of(7)
    }
}
