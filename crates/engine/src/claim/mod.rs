//! Holds the right to move a lane.

pub(crate) mod acquire;
pub mod config;
pub mod process;
pub(crate) mod renewal;

pub use config::{ClaimConfig, WhenHeld};
