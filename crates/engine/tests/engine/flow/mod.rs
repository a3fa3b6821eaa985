//! Flow handlers: what comes out of a flow is settled, in any order, and nothing else is.

mod contexts;
mod crash;
mod delivery;
mod failures;
mod flows;
mod stall;
mod stopping;
mod unordered;
