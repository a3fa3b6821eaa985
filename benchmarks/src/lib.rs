//! The benchmarks: every figure stands beside a peer's or the machine's own limit, from the same
//! run, in processor time.
//!
//! Each benchmark is a program of its own in `src/bin`; its parts are modules here.
//!
//! * [`engine_alone`] is what the engine costs an envelope when nothing else costs anything.
//! * [`exactly_once_sqlite`] is what it costs to move a read model and its offset together.
//! * [`answers`] is how long a projection that is stuck takes to answer.
//! * [`status_many`] is how long it takes to tell how a thousand projections stand.
//! * [`declared_sqlite`] is the program on a large file, beside loops written by hand.
//! * [`declared_cost`] is what its parts cost: expressions, stages, ten projections, unlike tables.
//! * [`rebuild`] is what it costs to build a table anew, and how much that slows the run in use.
//!
//! `README.md` beside this package says how to run them and why the comparisons are fair.

pub mod answers;
pub mod arguments;
pub mod callgrind;
pub mod child;
pub mod cpu;
pub mod database;
pub mod declared_cost;
pub mod declared_sqlite;
pub mod engine_alone;
pub mod exactly_once_sqlite;
pub mod failure;
pub mod flavor;
pub mod rebuild;
pub mod sample;
pub mod source;
pub mod status_many;
pub mod table;
