//! A file of lines that may grow.

mod blocks;
mod first_at;
mod head;
mod identity;
mod latest;
mod position;
mod source;
mod tail;

pub use identity::FileIdentity;
pub use position::FilePosition;
pub use source::{FileSource, FileStream};
