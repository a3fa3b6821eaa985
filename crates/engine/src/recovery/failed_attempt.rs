//! An attempt that failed, as the hook of a projection sees it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use projectionist_core::contract::FailureAction;
use projectionist_core::{OffsetText, ProjectionId};

/// An attempt that failed, as the hook of a projection sees it.
/// See [`crate::Projection::on_failure`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct FailedAttempt<'a, E> {
    /// The projection, and the lane it reads.
    pub lane: &'a ProjectionId,
    /// What was tried: one envelope, or a group.
    pub envelopes: &'a [E],
    /// Where the last of them stands.
    pub position: &'a dyn OffsetText,
    /// 1 for the first attempt in this run.
    pub attempt: u32,
    /// Why it failed.
    pub error: &'a (dyn std::error::Error + 'static),
    /// What follows.
    pub action: FailureAction,
}

impl<E> fmt::Debug for FailedAttempt<'_, E> {
    /// Coordinates, and no payload.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailedAttempt")
            .field("lane", self.lane)
            .field("envelopes", &self.envelopes.len())
            .field("position", &self.position.offset())
            .field("attempt", &self.attempt)
            .field("error", &self.error)
            .field("action", &self.action)
            .finish()
    }
}

/// Sees every failed attempt of a projection, with its envelopes.
pub(crate) struct FailureHook<E>(Option<Arc<Hook<E>>>);

type Hook<E> = dyn Fn(&FailedAttempt<'_, E>) + Send + Sync;

impl<E> FailureHook<E> {
    pub(crate) fn none() -> Self {
        Self(None)
    }

    pub(crate) fn new(hook: impl Fn(&FailedAttempt<'_, E>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hook)))
    }

    /// Calls it; a panic in it changes nothing.
    pub(crate) fn call(&self, failed: &FailedAttempt<'_, E>) {
        if let Some(hook) = &self.0 {
            // The panic hook has told it already.
            let _panicked = catch_unwind(AssertUnwindSafe(|| hook(failed)));
        }
    }
}

impl<E> Clone for FailureHook<E> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<E> fmt::Debug for FailureHook<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "a hook" } else { "none" })
    }
}
