//! Sees what happens to a projection and changes nothing.

use std::fmt::Debug;

use crate::{Error, ManagementCommand, Offset, OffsetText, ProjectionId};

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureAction {
    /// Another attempt, after a delay.
    Retry,
    /// The envelope at fault is looked for in parts of the group.
    Isolate,
    /// It is passed over.
    Skip,
    /// It is parked, with what follows of its key.
    Park,
    /// The run fails, and another one begins after the backoff.
    Restart,
    /// The projection fails and is not restarted.
    Stop,
}

/// Something that management did to a projection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManagementAction {
    /// It was paused.
    Paused,
    /// It was resumed.
    Resumed,
    /// A command was carried out.
    Done(ManagementCommand),
    /// A command was refused, for this reason.
    Refused(ManagementCommand, String),
}

/// Sees what happens to a projection and changes nothing.
///
/// # Contract
/// Every method has an empty default. Calls are made from the projection's own task, in place: a
/// slow observer is a slow projection. A panic in an observer is caught and changes nothing.
///
/// # Ordering
/// In the order of the events. On a crash: `error` for each attempt, then `failed`, `stopped`, and
/// after the backoff `started`.
///
/// # Durability
/// None: what an observer is told may be undone by a crash, except that
/// [`progress`](Self::progress) is called after the store has answered.
///
/// # Cancellation
/// Does not apply: the methods are synchronous.
///
/// # Errors
/// None can be returned.
///
/// # Example
/// ```
/// use projectionist_core::contract::Observer;
/// use projectionist_core::{Error, ProjectionId};
///
/// #[derive(Debug)]
/// struct Pager;
///
/// impl Observer for Pager {
///     fn failed(&self, lane: &ProjectionId, error: &Error) {
///         eprintln!("{lane} failed: {error}");
///     }
/// }
/// ```
pub trait Observer: Debug + Send + Sync + 'static {
    /// A run began: the lane is claimed, the handler started, the source open.
    fn started(&self, lane: &ProjectionId) {
        let _ = lane;
    }

    /// A run failed; a restart or the end follows.
    fn failed(&self, lane: &ProjectionId, error: &Error) {
        let _ = (lane, error);
    }

    /// A run ended, for whatever reason.
    fn stopped(&self, lane: &ProjectionId) {
        let _ = lane;
    }

    /// An envelope, or the last one of a group of `envelopes`, goes to the handler.
    fn before_process(&self, lane: &ProjectionId, position: &dyn OffsetText, envelopes: usize) {
        let _ = (lane, position, envelopes);
    }

    /// An envelope, or a group, was handled. In exactly-once after its transaction committed.
    fn after_process(&self, lane: &ProjectionId, position: &dyn OffsetText, envelopes: usize) {
        let _ = (lane, position, envelopes);
    }

    /// An attempt failed. `attempt` is 1 for the first; `action` is what follows.
    fn error(
        &self,
        lane: &ProjectionId,
        position: &dyn OffsetText,
        attempt: u32,
        error: &(dyn std::error::Error + 'static),
        action: FailureAction,
    ) {
        let _ = (lane, position, attempt, error, action);
    }

    /// Management did something.
    fn managed(&self, lane: &ProjectionId, action: &ManagementAction) {
        let _ = (lane, action);
    }

    /// The stored offset moved.
    fn progress(&self, lane: &ProjectionId, offset: &Offset) {
        let _ = (lane, offset);
    }
}

/// The observer that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
