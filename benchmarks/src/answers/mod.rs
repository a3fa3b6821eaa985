//! How long a projection that is stuck takes to answer: its handler sleeps, or a retry waits.
//!
//! This is wall time, not processor time: a person waits for it. Other work on the machine makes it
//! longer, so the worst of many is an upper bound.

pub mod ask;
pub mod keeper;
pub mod report;
pub mod stuck;
