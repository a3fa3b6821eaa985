//! What is done when an attempt fails.

pub(crate) mod attempts;
pub(crate) mod drive;
pub mod strategy;

pub use strategy::{Recovery, RetryDelay};
