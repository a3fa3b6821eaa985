//! Sources whose lanes come and go as a test says.

mod group;
mod provider;
mod roster;
mod shared;
mod watcher;

pub use group::{Handover, TestLaneGroup};
pub use watcher::TestLanes;
