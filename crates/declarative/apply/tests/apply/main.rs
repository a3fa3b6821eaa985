//! Declared projections from record to row, over the memory store.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers are parts of tests"
)]

mod bounds;
mod cel;
mod decode;
mod folded;
mod gaps;
mod one_by_one;
mod places;
mod rules;
mod sequences;
mod support;
