//! Runs a projection again when a run failed.

pub(crate) mod account;
pub mod backoff;
pub(crate) mod commit_tally;
pub(crate) mod ladder;
pub(crate) mod reporting;
pub(crate) mod shared;
pub(crate) mod supervisor;

pub use backoff::RestartBackoff;
