//! The words and contracts of projectionist: no I/O, no driver.
//!
//! An event travels **source → engine → handler → store**. This crate names what passes between
//! those four and what each may rely on; it moves nothing itself.
//!
//! * [`contract`] has one trait a file: what a source, a handler and a store must do.
//! * [`row`] is what a read model is told to write: typed rows, folded to one effect a key.
//! * Everything else is a word of the field: [`ProjectionId`], [`Offset`], [`Claim`], [`Counters`].
//!
//! A store knows nothing of the engine and nothing of declared projections; a source knows no
//! store. Both meet only here.

pub mod ahead;
pub mod claim;
pub mod clock;
pub mod commit;
pub mod contract;
pub mod counters;
pub mod dead_letter;
pub mod decimal_text;
pub mod envelope;
pub mod error;
pub mod flow;
pub mod lane;
pub mod management;
pub mod offset;
pub mod owner_report;
pub mod parked;
pub mod position;
pub mod projection_id;
pub mod rebuild;
pub mod row;
mod words;

pub use ahead::{Ahead, SettledRange};
pub use claim::{Claim, ClaimOutcome, ClaimRequest, Epoch, Holder, Owner, ProcessIdentity, Take};
pub use clock::{Clock, SystemClock, Timestamp};
pub use commit::Commit;
pub use counters::{COUNTER_NAMES, Counters};
pub use dead_letter::{DeadLetter, DeadLetterFate, DeadLetterId, DeadLetterOrigin, Defect};
pub use decimal_text::push_decimal;
pub use envelope::{Malformed, SourceItem};
pub use error::{BoxError, Error, ErrorClass, Result};
pub use flow::{FlowContext, FlowContexts, FlowFeed, FlowInput};
pub use lane::LaneState;
pub use management::{
    LaneManagement, ManagementCommand, ManagementRequest, Pause, PauseScope, RequestAnswer,
    RequestId,
};
pub use offset::{Offset, OffsetText};
pub use owner_report::{
    FailingEnvelope, OwnerReport, OwnerState, Pace, ReportedError, SetPause, StoredOwnerReport,
    Survey, SurveyedLane,
};
pub use parked::{ParkedEnvelope, ParkedKey};
pub use position::Position;
pub use projection_id::ProjectionId;
