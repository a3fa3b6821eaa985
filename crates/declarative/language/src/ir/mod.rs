//! The compiled form of declared projections: what `causet.projections.json` holds.
//!
//! An IR is a file of the language in its one canonical form, with a hash of its meaning and the
//! SQL that belongs to it. [`compile`] writes one; [`parse()`](crate::parse()) reads one as it reads
//! any other file, and checks that nothing in it was changed.
//!
//! * [`json`] is JSON as a tree, written in one way.
//! * `expression_text` and `derive` go back from the model to the words of the file.
//! * [`declaration`] is a projection in its canonical form, [`hash`] what tells its meaning.
//! * `document` is the file around them, `read` the way back.

pub mod declaration;
mod derive;
mod document;
mod envelope;
mod expression_text;
mod fields;
pub mod hash;
pub(crate) mod json;
mod mutation;
pub(crate) mod read;

pub use declaration::declaration_text;
pub use document::{COMPILER, FORMAT, compile};
pub(crate) use expression_text::expression as expression_json;
pub use hash::{declaration_hash, program_hash};
pub use read::newer_format;
