//! All projections of a store as they stand: for whoever operates them, in whatever process.
//!
//! What the owners [said of themselves](projectionist_core::OwnerReport) is put beside what the
//! store and this machine know better: an owner that died says `running` for ever. One struct for
//! everyone, and [one function](Overview::as_json) that writes it.

mod condition;
mod json;
mod lane;
mod liveness;
mod read;

pub use condition::LaneCondition;
pub use json::counters_as_json;
pub use lane::{LaneOverview, OwnerOverview};
pub use liveness::Liveness;
pub use read::Overview;
