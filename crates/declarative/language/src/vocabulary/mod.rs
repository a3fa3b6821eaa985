//! The words of the language, each once: the keys of every mapping, what may stand under them, and
//! the operations.
//!
//! The checks and the JSON Schema are both made from these tables, so neither can know a key that
//! the other does not.

mod column;
mod envelope;
mod file;
mod key;
pub(crate) mod limits;
mod mutation;
mod operation;
mod other_words;
mod projection;
mod target;

pub(crate) use column::COLUMN;
pub(crate) use envelope::{DEBEZIUM, ENVELOPE, PRESETS};
pub(crate) use file::FILE;
pub(crate) use key::{Key, Level, Refused, Shape, Word, levels};
pub(crate) use mutation::MUTATION;
pub(crate) use operation::{OPERATIONS, OperationWord, operation};
pub(crate) use other_words::called_here;
pub(crate) use projection::PROJECTION;
pub(crate) use target::TARGET;
