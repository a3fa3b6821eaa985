//! The delivery guarantees that are tried, and what each promises.

use crate::points::Point;
use crate::random::Random;

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
    KeyedAtLeastOnce,
    FlowAtLeastOnce,
    ParkingAtLeastOnce,
    ParkingExactlyOnce,
}

/// The bound on what a kill repeats in at-least-once.
pub(crate) const MAX_UNSAVED: u64 = 12;

/// After so many envelopes at-least-once asks for a save.
pub(crate) const SAVE_AFTER: u64 = 4;

/// The envelopes of a group.
pub(crate) const GROUP: u64 = 5;

/// The handlers of a keyed projection, and what a flow handles at once.
pub(crate) const AT_ONCE: usize = 4;

/// The keys of the events.
const KEYS: u64 = 8;

/// The keys with events that fail, which is one more than may be parked.
const FAILING_KEYS: u64 = 3;

/// How many keys may be parked, and how many envelopes: so few that the lane waits now and then.
pub(crate) const MAX_PARKED_KEYS: usize = 2;
pub(crate) const MAX_PARKED: usize = 10;

/// The attempts that follow the first one before an envelope is parked.
pub(crate) const RETRIES: u32 = 1;

/// The key of an event. Keys follow no pattern.
pub(crate) fn key_of(event: u64) -> u64 {
    Random::seeded(event).within(0..=KEYS - 1)
}

impl Mode {
    /// All of them. A new one comes here, into [`crate::child`], and as a test into `main.rs`.
    pub(crate) const ALL: [Self; 10] = [
        Self::AtLeastOnce,
        Self::SettledAtLeastOnce,
        Self::GroupedAtLeastOnce,
        Self::AtMostOnce,
        Self::ExactlyOnce,
        Self::GroupedExactlyOnce,
        Self::KeyedAtLeastOnce,
        Self::FlowAtLeastOnce,
        Self::ParkingAtLeastOnce,
        Self::ParkingExactlyOnce,
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
            Self::KeyedAtLeastOnce => "keyed_at_least_once",
            Self::FlowAtLeastOnce => "flow_at_least_once",
            Self::ParkingAtLeastOnce => "parking_at_least_once",
            Self::ParkingExactlyOnce => "parking_exactly_once",
        }
    }

    /// Whether what it writes stands in the transaction that moves the lane.
    pub(crate) fn is_transactional(self) -> bool {
        matches!(
            self,
            Self::ExactlyOnce | Self::GroupedExactlyOnce | Self::ParkingExactlyOnce
        )
    }

    /// The points of its work at which it can be killed.
    pub(crate) fn points(self) -> &'static [Point] {
        match self {
            Self::ParkingExactlyOnce => &Point::ALL,
            Self::ParkingAtLeastOnce => &[
                Point::Handled,
                Point::Failed,
                Point::BeforeSave,
                Point::AfterSave,
            ],
            Self::ExactlyOnce | Self::GroupedExactlyOnce => {
                &[Point::Handled, Point::InTransaction, Point::AtCommit]
            }
            _ => &[Point::Handled, Point::BeforeSave, Point::AfterSave],
        }
    }

    /// How many events that were handled a kill may repeat.
    pub(crate) fn repeats_at_most(self) -> u64 {
        match self {
            Self::AtLeastOnce
            | Self::SettledAtLeastOnce
            | Self::KeyedAtLeastOnce
            | Self::FlowAtLeastOnce
            | Self::ParkingAtLeastOnce => MAX_UNSAVED,
            Self::GroupedAtLeastOnce => GROUP,
            Self::AtMostOnce
            | Self::ExactlyOnce
            | Self::GroupedExactlyOnce
            | Self::ParkingExactlyOnce => 0,
        }
    }

    /// Whether its handler drops this event instead of acknowledging it.
    pub(crate) fn drops(self, event: u64) -> bool {
        self == Self::SettledAtLeastOnce && event.is_multiple_of(7)
    }

    /// Whether it settles in another order than that of its source.
    pub(crate) fn settles_out_of_order(self) -> bool {
        matches!(self, Self::KeyedAtLeastOnce | Self::FlowAtLeastOnce) || self.parks()
    }

    /// Whether the events of a key are handled in their order.
    pub(crate) fn orders_keys(self) -> bool {
        self == Self::KeyedAtLeastOnce || self.parks()
    }

    /// Whether it parks what fails.
    pub(crate) fn parks(self) -> bool {
        matches!(self, Self::ParkingAtLeastOnce | Self::ParkingExactlyOnce)
    }

    /// How many attempts at this event fail, of those that the store has counted.
    pub(crate) fn failures(self, event: u64) -> u32 {
        if self.parks() && key_of(event) < FAILING_KEYS && event.is_multiple_of(3) {
            1 + u32::try_from(event % 4).unwrap()
        } else {
            0
        }
    }

    /// Whether its flow has nothing to do about this event.
    pub(crate) fn filters(self, event: u64) -> bool {
        self == Self::FlowAtLeastOnce && event.is_multiple_of(7)
    }
}
