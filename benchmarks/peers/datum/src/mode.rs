//! The delivery modes of the peer that need no database.

use std::time::Duration;

use datum_persistence::projection::GroupConfig;

/// A delivery mode, with the size of the group where there is one.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    AtLeastOnce,
    AtMostOnce,
    Grouped(usize),
}

impl Mode {
    pub(crate) const ALL: [Self; 4] = [
        Self::AtLeastOnce,
        Self::AtMostOnce,
        Self::Grouped(20),
        Self::Grouped(500),
    ];

    /// The name in commands and reports.
    pub(crate) fn name(self) -> String {
        match self {
            Self::AtLeastOnce => "alo".to_owned(),
            Self::AtMostOnce => "amo".to_owned(),
            Self::Grouped(size) => format!("grouped-{size}"),
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// Groups of `size`, and the peer's default time.
pub(crate) fn groups(size: usize) -> GroupConfig {
    GroupConfig {
        group_after_envelopes: size,
        group_after_duration: Duration::from_millis(500),
    }
}
