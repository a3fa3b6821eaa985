//! Events from lines of text: a file that may grow and be rotated, several files, or a byte stream
//! such as standard input.
//!
//! [`FileSource`] reads files and can follow them; its [`FilePosition`] remembers which file it
//! belongs to, so that a rotated file is found again and a replaced one is refused instead of
//! misread. [`StreamSource`] reads a stream once, to its end.
//!
//! Both split lines by the same rules and know nothing of what a line holds: that is the
//! [`EventCodec`](projectionist_core::contract::EventCodec)'s business.
//!
//! # Lines
//! * `\n` ends a line; `\r` before it is dropped.
//! * Lines of nothing but spaces, tabs and carriage returns are passed over, and counted.
//! * A UTF-8 byte order mark at byte 0 is dropped. Any other byte reaches the codec as it is.
//! * A line above `max_record_bytes` becomes a malformed record that keeps its first 64 KiB;
//!   memory stays bounded however long the line is.
//! * A line that the codec refuses becomes a malformed record, whole.

mod envelope;
mod fault;
mod file;
mod lines;
mod options;
mod stream;

pub use envelope::{FileEnvelope, LineEnvelope, StreamEnvelope};
pub use fault::Fault;
pub use file::{FileIdentity, FilePosition, FileSource, FileStream, Packing};
pub use options::{FileOptions, StreamOptions};
pub use stream::{ReaderStream, StreamPosition, StreamSource};
