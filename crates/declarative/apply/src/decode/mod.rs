//! From the bytes of a record to an event, in one pass.
//!
//! The places that the projections of a program read are known before the first record is: they
//! are compiled into a [trie](trie::Trie), and the parser asks it at every key whether the value
//! is wanted. A wanted value is kept as its span, everything else is skipped. No tree of values is
//! built, and no value is converted before a projection asks for it.
//!
//! The envelope `causet` is read together with its payload. The others name places of the record,
//! which are found by a trie of their own; the payload is one of them, and is read where it was
//! found.

mod at_place;
mod codec;
mod containers;
mod debezium;
mod depth;
mod envelope;
mod metadata;
mod places;
mod plan;
mod record;
mod trie;

pub use codec::{DeclaredCodec, DecodeScratch};
pub(crate) use plan::{EventPlan, reads_payload};
pub(crate) use trie::Trie;
