//! Exactly-once into SQLite, beside a loop over rusqlite written by hand.
//!
//! Both run the same statements on a file of the same tables: the transaction is opened, the lane's
//! row is checked, the handler's upsert runs once an envelope, the row is moved under the same
//! condition with offset and counters, and the transaction is committed. What the engine has beside
//! them is what is measured.

pub mod by_hand;
pub mod case;
pub mod engine;
pub mod file;
pub mod instructions;
pub mod report;
pub mod run;
pub mod verify;
