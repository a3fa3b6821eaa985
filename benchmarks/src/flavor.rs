//! The runtimes under what is measured.

use tokio::runtime::{Builder, Runtime};

use crate::failure::Outcome;

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
