//! The admin endpoint of a run: what it answers from, and its start and stop.

mod desk;
mod endpoint;
mod lanes;
mod metrics;
mod own_thread;
mod state;

pub(crate) use desk::ProgramDesk;
pub(crate) use endpoint::Endpoint;
pub(crate) use metrics::Metrics;
