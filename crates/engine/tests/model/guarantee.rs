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
}

impl Guarantee {
    /// All of them.
    pub(crate) const ALL: [Self; 6] = [
        Self::AtLeastOnce,
        Self::SettledAtLeastOnce,
        Self::AtMostOnce,
        Self::ExactlyOnce,
        Self::GroupedAtLeastOnce,
        Self::GroupedExactlyOnce,
    ];

    /// Whether the read model moves with the offset.
    pub(crate) fn is_transactional(self) -> bool {
        matches!(self, Self::ExactlyOnce | Self::GroupedExactlyOnce)
    }

    pub(crate) fn is_grouped(self) -> bool {
        matches!(self, Self::GroupedAtLeastOnce | Self::GroupedExactlyOnce)
    }
}
