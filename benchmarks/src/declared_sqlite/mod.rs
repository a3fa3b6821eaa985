//! The program on a large file, into SQLite, beside loops over rusqlite written by hand.
//!
//! The loops do what a careful engineer would write for this one table: typed structs that borrow
//! from the line, prepared statements, large transactions. The program knows the table only from its
//! file of declared projections, keeps its offset and counters, and tells repeated events.

pub mod event;
pub mod guarded_loop;
pub mod input;
pub mod plain_loop;
pub mod random;
pub mod read_model;
pub mod report;
pub mod subject;
pub mod verify;
