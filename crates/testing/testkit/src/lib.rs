//! A test kit for projections: a source that a test steers, handlers and an observer that record,
//! and a time that costs nothing.
//!
//! * [`TestSource`] delivers [`TestEnvelope`]s without any service, and fails, hangs or ends where
//!   a test says so.
//! * [`Recorder`] keeps what handlers and an observer were given, in one order, and makes handlers
//!   fail, panic or wait.
//! * [`TestClock`] is the wall clock of tokio's time. A test with `start_paused = true` lets time
//!   [`pass`] without spending any.
//! * [`eventually`] waits for a condition, bounded.
//!
//! ```
//! use projectionist_testkit::{Recorder, TestSource};
//!
//! let source = TestSource::of(["placed", "shipped"]);
//! source.push_malformed("no JSON", b"{");
//! source.push("cancelled");
//! let recorder = Recorder::default();
//! recorder.fail_at(2, 1);
//! # let _: (TestSource<&str>, Recorder<&str>) = (source, recorder);
//! // A projection over `source.clone()` whose factory is `move || recorder.handler()` handles 1,
//! // fails once at 2, and passes over the malformed record at 3.
//! ```

mod clock;
mod envelope;
mod fault;
mod handler;
mod observer;
mod recorder;
mod source;
mod wait;

pub use clock::TestClock;
pub use envelope::{TestEnvelope, TestPosition};
pub use handler::RecordingHandler;
pub use observer::RecordingObserver;
pub use recorder::Recorder;
pub use source::TestSource;
pub use wait::{AT_MOST, eventually, pass};
