//! A test kit for projections: sources that a test steers, and handlers that record.
//!
//! [`TestSource`] delivers [`TestEnvelope`]s without any service; [`Recorder`] keeps what a handler
//! was given, and fails where a test says so. [`eventually`] waits for a condition, bounded.

pub mod envelope;
pub mod recorder;
pub mod source;
pub mod wait;

pub use envelope::{TestEnvelope, TestPosition};
pub use recorder::{Recorder, RecordingHandler};
pub use source::TestSource;
pub use wait::eventually;
