//! What travels as JSON. Times are Unix milliseconds, durations say their unit in their name.

pub mod command;
pub mod dead_letter;
pub mod failure;
pub mod health;
pub mod history;
pub mod lane;
pub mod rebuild;

pub use command::{Done, OffsetSet, OffsetView, PauseRequest, PauseScope, SkipRequest, Skipped};
pub use dead_letter::{
    DeadLetterPage, DeadLetterQuery, DeadLetterSelection, DeadLetterView, LetterDone, LettersDone,
    ReplayRequest,
};
pub use failure::FailureView;
pub use health::{NotReady, Readiness};
pub use history::{History, LaneHistory, Sample};
pub use lane::{Capabilities, CountersView, LaneStatus, LaneView, Overview, State};
pub use rebuild::{RebuildPhase, RebuildStart, RebuildView};
