//! What is measured: ways to move the envelopes.

use crate::failure::Outcome;

/// A way to move the envelopes from the source to the handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// No engine: a loop over the same stream that awaits the same handler.
    BareLoop,
    /// No engine: the same loop, and the store in memory takes each position before the handler is
    /// called.
    BareSaves,
    /// At-least-once with the defaults: a save after 100 envelopes or 500 ms.
    AtLeastOnce,
    /// The same, with an observer.
    Observed,
    /// At-least-once by key, eight handlers; the key is the entity.
    Keyed,
    /// At-most-once: a save before each envelope.
    AtMostOnce,
    /// At-least-once in groups of so many, each followed by a save.
    GroupedAtLeastOnce(usize),
    /// Exactly-once: each envelope in a transaction of the store in memory.
    ExactlyOnce,
    /// Exactly-once in groups of so many, each in a transaction of the store in memory.
    GroupedExactlyOnce(usize),
}

impl Case {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::BareLoop,
        Self::BareSaves,
        Self::AtLeastOnce,
        Self::Observed,
        Self::Keyed,
        Self::AtMostOnce,
        Self::GroupedAtLeastOnce(20),
        Self::GroupedAtLeastOnce(500),
        Self::ExactlyOnce,
        Self::GroupedExactlyOnce(20),
        Self::GroupedExactlyOnce(500),
    ];

    /// The name in commands and in the report.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::BareLoop => "bare-loop".to_owned(),
            Self::BareSaves => "bare-saves".to_owned(),
            Self::AtLeastOnce => "at-least-once".to_owned(),
            Self::Observed => "observed".to_owned(),
            Self::Keyed => "keyed".to_owned(),
            Self::AtMostOnce => "at-most-once".to_owned(),
            Self::GroupedAtLeastOnce(size) => format!("grouped-at-least-once-{size}"),
            Self::ExactlyOnce => "exactly-once".to_owned(),
            Self::GroupedExactlyOnce(size) => format!("grouped-exactly-once-{size}"),
        }
    }

    /// The case of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn of_name(name: &str) -> Outcome<Self> {
        let case = Self::ALL.into_iter().find(|case| case.name() == name);
        case.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no case `{name}`; the cases are {names}").into()
        })
    }

    /// The mode of the peer that makes the same promise. Without a database it has no exactly-once, and
    /// it knows no keys.
    #[must_use]
    pub fn mode_of_peer(self) -> Option<String> {
        match self {
            Self::AtLeastOnce | Self::Observed => Some("alo".to_owned()),
            Self::AtMostOnce => Some("amo".to_owned()),
            Self::GroupedAtLeastOnce(size) => Some(format!("grouped-{size}")),
            Self::BareLoop
            | Self::BareSaves
            | Self::Keyed
            | Self::ExactlyOnce
            | Self::GroupedExactlyOnce(_) => None,
        }
    }
}
