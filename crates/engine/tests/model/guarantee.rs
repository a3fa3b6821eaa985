//! The delivery guarantees that are tried.

/// Which guarantee is tried.
#[expect(
    clippy::enum_variant_names,
    reason = "these are the names of the guarantees"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guarantee {
    AtLeastOnce,
    SettledAtLeastOnce,
    AtMostOnce,
    ExactlyOnce,
    GroupedAtLeastOnce,
    GroupedExactlyOnce,
    KeyedAtLeastOnce,
    ParkingAtLeastOnce,
    ParkingExactlyOnce,
}

impl Guarantee {
    /// All of them.
    pub(crate) const ALL: [Self; 9] = [
        Self::AtLeastOnce,
        Self::SettledAtLeastOnce,
        Self::AtMostOnce,
        Self::ExactlyOnce,
        Self::GroupedAtLeastOnce,
        Self::GroupedExactlyOnce,
        Self::KeyedAtLeastOnce,
        Self::ParkingAtLeastOnce,
        Self::ParkingExactlyOnce,
    ];

    /// Whether the read model moves with the offset.
    pub(crate) fn is_transactional(self) -> bool {
        matches!(
            self,
            Self::ExactlyOnce | Self::GroupedExactlyOnce | Self::ParkingExactlyOnce
        )
    }

    pub(crate) fn is_grouped(self) -> bool {
        matches!(self, Self::GroupedAtLeastOnce | Self::GroupedExactlyOnce)
    }

    pub(crate) fn is_keyed(self) -> bool {
        self == Self::KeyedAtLeastOnce
    }

    pub(crate) fn parks(self) -> bool {
        matches!(self, Self::ParkingAtLeastOnce | Self::ParkingExactlyOnce)
    }

    /// Whether it settles in another order than that of the source.
    pub(crate) fn settles_by_key(self) -> bool {
        self.is_keyed() || self.parks()
    }
}
