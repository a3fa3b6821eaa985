//! The language of declared projections: from the text of a file to a checked model.
//!
//! * [`parse()`] reads YAML or JSON and gives a [`Program`], or all [`Faults`] of the file at once.
//! * [`model`] is what comes out: names resolved, types fitting, keys complete.
//! * [`fixtures`] reads test cases: events of the file, and the rows that they must lead to.
//! * [`json_schema`] describes the file for editors, from the same table of keys as the checks.
//! * [`mod@coerce`] turns a value of an event or of the file into a cell of a column's type.
//! * [`mod@cel`] evaluates the expressions that are more than a path or a literal.
//!
//! On the way a file is a tree with places (`tree`), its expressions are read (`expression`), and
//! everything is checked against everything else (`check`).

pub mod cel;
mod check;
pub mod coerce;
pub mod diff;
mod expression;
pub mod fault;
pub mod fixtures;
pub mod ir;
pub mod model;
pub mod parse;
mod report;
pub mod schema;
mod source;
pub mod sql;
mod suggest;
mod tree;
mod vocabulary;

pub use coerce::{CoerceBuffer, CoerceError, JsonValue, coerce};
pub use diff::{Change, Class, diff};
pub use fault::{Fault, Faults, render_warnings};
pub use ir::{compile, declaration_hash, declaration_text, program_hash};
pub use model::{
    CelExpression, ColumnRules, ColumnValue, Envelope, EnvelopePlaces, Expression, Literal,
    Metadata, Mutation, NulRule, OnGap, OnMissing, Operation, Path, Program, Projection, Retries,
    Sequence, Start, Step, Zone,
};
pub use parse::{Inspection, MAX_FILE_BYTES, inspect, parse};
pub use schema::json_schema;
pub use sql::schema_name;
pub use suggest::did_you_mean;
