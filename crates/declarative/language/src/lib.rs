//! The language of declared projections: from the text of a file to a checked model.
//!
//! * [`parse()`] reads YAML or JSON and gives a [`Program`], or all [`Faults`] of the file at once.
//! * [`model`] is what comes out: names resolved, types fitting, keys complete.
//! * [`mod@coerce`] turns a value of an event or of the file into a cell of a column's type.
//!
//! On the way a file is a tree with places (`tree`), its expressions are read (`expression`), and
//! everything is checked against everything else (`check`).

mod check;
pub mod coerce;
mod expression;
pub mod fault;
pub mod model;
pub mod parse;
mod report;
mod source;
mod suggest;
mod tree;

pub use coerce::{CoerceError, JsonValue, coerce};
pub use fault::{Fault, Faults};
pub use model::{
    ColumnValue, Expression, Literal, Metadata, Mutation, Operation, Path, Program, Projection,
    Sequence, Step,
};
pub use parse::{MAX_FILE_BYTES, parse};
