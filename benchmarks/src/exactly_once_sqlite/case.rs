//! What is measured: the sizes of a transaction, and who runs it.

use crate::failure::Outcome;

/// How many envelopes share a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// One: `Projection::exactly_once`.
    Single,
    /// So many: `Projection::grouped_exactly_once`.
    Grouped(usize),
}

impl Case {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Single, Self::Grouped(500)];

    /// The name in commands and in the report.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Single => "exactly-once".to_owned(),
            Self::Grouped(size) => format!("grouped-exactly-once-{size}"),
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

    /// Envelopes of a transaction.
    #[must_use]
    pub fn envelopes(self) -> usize {
        match self {
            Self::Single => 1,
            Self::Grouped(size) => size,
        }
    }
}

/// Who runs the transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The engine over the SQLite store.
    Engine,
    /// The loop.
    ByHand,
}

impl Who {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Engine, Self::ByHand];

    /// The name in commands and in the report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::ByHand => "by-hand",
        }
    }

    /// The one of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn of_name(name: &str) -> Outcome<Self> {
        let who = Self::ALL.into_iter().find(|who| who.name() == name);
        who.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is nobody `{name}`; the names are {names}").into()
        })
    }
}
