//! What is done when an attempt fails.

pub(crate) mod attempts;
pub(crate) mod drive;
pub mod failed_attempt;
pub(crate) mod refusal;
pub mod strategy;

pub use failed_attempt::FailedAttempt;
pub(crate) use refusal::Refusal;
pub use strategy::{FailurePolicy, LossRecovery, Recovery, RetryDelay, WhenExhausted};
