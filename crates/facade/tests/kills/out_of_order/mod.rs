//! Guarantees that settle in another order than that of the source: by key, through a flow, and with
//! parking.

mod handlers;
mod oracle;
mod projections;

pub(crate) use oracle::SettledOracle;
pub(crate) use projections::{Parts, spawn};
