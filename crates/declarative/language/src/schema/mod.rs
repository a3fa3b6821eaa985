//! The JSON Schema of a file, for editors that complete and check while one writes.
//!
//! It is made from the tables of `vocabulary`, as the checks are. It describes the structure: which
//! keys stand where and what kind of value they have. Names that must resolve, types that must fit
//! and keys that must be complete are for [`crate::parse()`], which refuses more.

mod document;
mod shape;

pub use document::json_schema;
