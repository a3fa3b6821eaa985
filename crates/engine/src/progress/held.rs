//! An envelope that could not be handled so far and holds up what follows it.

use std::time::Duration;

use projectionist_core::Timestamp;

/// An envelope that failed and is to be tried again. The low-water mark stays before it.
#[derive(Clone, Debug)]
pub(crate) struct Held<P> {
    pub(crate) position: P,
    /// What it holds up, for people: its key, where the delivery knows one.
    pub(crate) key: Option<String>,
    /// How often it was tried.
    pub(crate) attempts: u32,
    /// Why the first attempt failed.
    pub(crate) first_error: String,
    /// When the first attempt failed.
    pub(crate) since: Timestamp,
    /// Why the last attempt failed.
    pub(crate) error: String,
    /// The wait before the next attempt, counted from the last failure.
    pub(crate) delay: Duration,
}
