//! What a source, a handler and a store must do: one trait a file.
//!
//! Every trait says under the same headings what an implementer promises and what a caller may
//! rely on: contract, ordering, durability, cancellation, errors, example.

pub mod dead_letter_store;
pub mod event_codec;
pub mod handler;
pub mod management;
pub mod observer;
pub mod offset_store;
pub mod read_model;
pub mod sequence_guard;
pub mod source;
pub mod transactional;

pub use dead_letter_store::{DeadLetterFilter, DeadLetterStore, StoredDeadLetter};
pub use event_codec::EventCodec;
pub use handler::{
    Context, GroupContext, GroupReport, GroupedTransactionalHandler, Handler, HandlerFn,
    HandlerResult, handler_fn,
};
pub use management::{ManagementStore, PauseFlag};
pub use observer::{NoObserver, Observer};
pub use offset_store::{OffsetStore, Placement};
pub use read_model::ReadModel;
pub use sequence_guard::{GuardEntry, GuardScope, SequenceGuard};
pub use source::{Mode, SourceProvider, StartPosition, Stream, start_after};
pub use transactional::TransactionalOffsetStore;
