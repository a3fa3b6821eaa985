//! A stream of bytes that is read once, such as standard input.

mod blocks;
mod position;
mod source;

pub use position::StreamPosition;
pub use source::{ReaderStream, StreamSource};
