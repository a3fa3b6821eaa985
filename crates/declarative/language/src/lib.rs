//! The language of declared projections: file, faults, model, expressions.

pub mod coerce;
pub mod model;

pub use coerce::{CoerceError, JsonValue, coerce};
pub use model::{
    ColumnValue, Expression, Literal, Metadata, Mutation, Operation, Path, Program, Projection,
    Sequence, Step,
};
