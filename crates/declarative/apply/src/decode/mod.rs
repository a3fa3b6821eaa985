//! From the bytes of a record to an event, in one pass.
//!
//! The places that the projections of a program read are known before the first record is: they
//! are compiled into a [trie](trie::Trie), and the parser asks it at every key whether the value
//! is wanted. A wanted value is kept as its span, everything else is skipped. No tree of values is
//! built, and no value is converted before a projection asks for it.

mod codec;
mod containers;
mod depth;
mod envelope;
mod metadata;
mod plan;
mod text;
mod trie;

pub use codec::{DeclaredCodec, DecodeScratch};
pub(crate) use plan::EventPlan;
pub(crate) use text::unescape;
pub(crate) use trie::Trie;
