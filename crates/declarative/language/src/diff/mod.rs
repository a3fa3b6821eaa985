//! What a change of declarations asks of the tables that are there.
//!
//! [`diff`] compares two programs by what they mean, each change with a [`Class`]: whether the
//! tables can be migrated as they are, must be built anew from the events, or neither.

mod change;
mod columns;
mod mutations;
mod program;
mod settings;

pub use change::{Change, Class};
pub use program::{diff, diff_all};
