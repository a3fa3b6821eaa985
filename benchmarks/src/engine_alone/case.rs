//! What is measured: ways to move the envelopes, and the runtimes under them.

use tokio::runtime::{Builder, Runtime};

use crate::failure::Outcome;

/// A way to move the envelopes from the source to the handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// No engine: a loop over the same stream that awaits the same handler.
    BareLoop,
    /// At-least-once with the defaults: a save after 100 envelopes or 500 ms.
    AtLeastOnce,
    /// The same, with an observer.
    Observed,
    /// Exactly-once in groups of so many, each in a transaction of the store in memory.
    Grouped(usize),
}

impl Case {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::BareLoop,
        Self::AtLeastOnce,
        Self::Observed,
        Self::Grouped(20),
        Self::Grouped(500),
    ];

    /// The name in commands and in the report.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::BareLoop => "bare-loop".to_owned(),
            Self::AtLeastOnce => "at-least-once".to_owned(),
            Self::Observed => "observed".to_owned(),
            Self::Grouped(size) => format!("grouped-{size}"),
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

    /// The mode of the peer that it is compared with. The peer has groups without a transaction
    /// only, which promises less.
    #[must_use]
    pub fn mode_of_peer(self) -> Option<String> {
        match self {
            Self::BareLoop => None,
            Self::AtLeastOnce | Self::Observed => Some("alo".to_owned()),
            Self::Grouped(size) => Some(format!("grouped-{size}")),
        }
    }
}

/// The two kinds of tokio's runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// What a service uses.
    Threads,
    /// One thread, on which nothing wakes another one.
    Single,
}

impl Flavor {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Threads, Self::Single];

    /// The name in the report, and in the peer's commands.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Single => "single",
        }
    }

    /// A runtime of this kind.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn runtime(self) -> Outcome<Runtime> {
        let mut builder = match self {
            Self::Threads => Builder::new_multi_thread(),
            Self::Single => Builder::new_current_thread(),
        };
        Ok(builder.enable_all().build()?)
    }
}
