//! What a rebuild costs beside a run into an empty target, and how much it slows the run in use.

pub mod beside;
pub mod report;
pub mod target;
