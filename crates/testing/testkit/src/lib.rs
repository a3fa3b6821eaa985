//! A test kit for projections: sources that a test steers, handlers and an observer that record,
//! stores that die, and a time that costs nothing.
//!
//! **Sources.** [`TestSource`] delivers [`TestEnvelope`]s without any service. It fails, hangs or
//! ends where a test says so, vouches for positions or refuses them, and delivers at the pace of a
//! [`PaceProbe`]. [`TestLanes`] gives and takes lanes, each with such a source behind it;
//! [`TestLaneGroup`] moves them between several consumers.
//!
//! **Handlers and observers.** [`Recorder`] keeps what they were given, in one order, and makes
//! handlers fail, panic or wait.
//!
//! **Stores.** [`CrashStore`] is a store whose process dies at a [`CrashPoint`].
//! [`LowWaterStore`] is one that keeps the low-water mark alone and writes a commit in two steps.
//!
//! **Time.** [`TestClock`] is the wall clock of tokio's time. A test with `start_paused = true`
//! lets time [`pass`] without spending any; [`eventually`] waits for a condition, bounded.
//!
//! **Together.** [`ProjectionTestKit`] runs a projection until what a test says of it holds.
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
mod failure;
mod fault;
mod handler;
mod kit;
mod lanes;
mod misuse;
mod observer;
mod recorder;
mod source;
mod store;
mod wait;

pub use clock::TestClock;
pub use envelope::{TestEnvelope, TestPosition};
pub use handler::RecordingHandler;
pub use kit::{Assertion, ProjectionTestKit, TestKitError};
pub use lanes::{Handover, TestLaneGroup, TestLanes};
pub use observer::RecordingObserver;
pub use recorder::Recorder;
pub use source::{PaceProbe, TestSource};
pub use store::{BetweenSteps, CrashHandler, CrashPoint, CrashStore, LowWaterStore};
pub use wait::{AT_MOST, eventually, pass};
