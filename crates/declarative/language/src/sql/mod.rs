//! The SQL that belongs to a declared projection, as text, in each dialect.
//!
//! It is for people: to read, to review, and to make tables by hand. A store makes its statements
//! itself, from the declaration; what an IR brings is compared with these texts and never run.
//!
//! Every name is quoted. A statement tells the meaning of its parameters, in their order, as
//! expressions of the file.

mod ddl;
mod dialect;
mod literal;
pub mod names;
mod postgres;
mod shape;
mod sqlite;

pub use dialect::{DIALECTS, Dialect, ProjectionSql, Statement, of_projection};
pub use names::schema_name;
