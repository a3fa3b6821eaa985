//! Declared projections at work: decode, derive, fold, write.
//!
//! ```text
//! record ──DeclaredCodec──▶ DeclaredEvent ──┐
//!                                           ▼ one group, one transaction
//!   DeclaredHandler:  match ▶ tenant ▶ guard ▶ derive ▶ fold ▶ write ▶ guard
//! ```
//!
//! * A [`DeclaredCodec`] reads a record once, without a tree of values, and keeps where the values
//!   stand that any projection of the program reads.
//! * A [`DeclaredHandler`] runs one projection: it skips what its guard has seen, turns each event
//!   into typed rows, folds the rows of a group to one effect a key, and writes those.
//! * A [`LetterReplay`] gives a dead letter to such a handler once more.
//! * [`EventKeys`] tell which rows an event is about, without applying it.
//!
//! An event is applied whole or not at all, and the table after a group is the one that its events
//! would have left one by one, whatever the size of the groups.

mod decode;
mod derive;
mod event;
mod fault;
mod fold;
mod gaps;
mod group;
mod guard;
mod handler;
mod keys;
mod options;
mod projection;
mod replay;
mod span;
mod tenants;

pub use decode::{DeclaredCodec, DecodeScratch};
pub use event::DeclaredEvent;
pub use handler::DeclaredHandler;
pub use keys::{Concern, EventKeys};
pub use options::ApplyOptions;
pub use projection::DeclaredProjection;
pub use replay::{LetterReplay, Replayed};
pub use tenants::{check_tenant, plain_table};
