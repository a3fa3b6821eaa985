//! How long it takes to tell how many projections of one store stand.
//!
//! [`target`] makes a file with so many lanes, each with an owner and its report; [`report`] takes
//! overviews of it, beside a plain client that reads the same rows.

pub mod report;
pub mod target;
