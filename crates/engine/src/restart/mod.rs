//! Runs a projection again when a run failed.

pub mod backoff;
pub(crate) mod commit_tally;
pub(crate) mod ladder;
pub(crate) mod shared;
pub(crate) mod supervisor;

pub use backoff::RestartBackoff;
