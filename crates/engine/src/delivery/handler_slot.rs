//! The handler of a run: built by the factory, started, and stopped once.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use projectionist_core::contract::{HandlerResult, SourceProvider};
use projectionist_core::{BoxError, Error};

use super::incarnation::Incarnation;

use crate::recovery::drive::panic_message;

/// The hooks that every kind of handler has.
pub(crate) trait Hooks: Send {
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send;
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send;
}

/// The handler of a run.
///
/// Its hooks run once each. A handler that panicked is dropped without its `stop`, and a fresh one
/// takes its place.
pub(crate) struct HandlerSlot<'a, F, H> {
    factory: &'a F,
    handler: H,
}

impl<'a, F, H> HandlerSlot<'a, F, H>
where
    F: Fn() -> H,
    H: Hooks,
{
    /// Builds the handler and runs its `start`.
    pub(crate) async fn start(factory: &'a F) -> Result<Self, BoxError> {
        let mut handler = factory();
        guarded(handler.start()).await?;
        Ok(Self { factory, handler })
    }

    pub(crate) fn handler(&mut self) -> &mut H {
        &mut self.handler
    }

    /// Puts a fresh handler into the place of one that panicked.
    pub(crate) async fn replace(&mut self) -> HandlerResult {
        self.handler = (self.factory)();
        guarded(self.handler.start()).await
    }

    /// Runs `stop`. What it says changes nothing any more: the run has ended.
    pub(crate) async fn stop(mut self) -> HandlerResult {
        guarded(self.handler.stop()).await
    }
}

/// Runs a hook; a panic in it is an error.
async fn guarded(hook: impl Future<Output = HandlerResult>) -> HandlerResult {
    AssertUnwindSafe(hook)
        .catch_unwind()
        .await
        .unwrap_or_else(|payload| Err(panic_message("the handler", payload.as_ref()).into()))
}

/// The error of a hook that failed.
pub(super) fn hook_failed<P: SourceProvider, S>(
    incarnation: &Incarnation<'_, P, S>,
    error: BoxError,
) -> (Error, Option<P::Position>) {
    let low = incarnation
        .progress
        .stored()
        .as_ref()
        .map_or("the beginning", |offset| offset.text.as_str());
    let (lane, offset) = (incarnation.lane().clone(), low.to_owned());
    (
        Error::Handler {
            lane,
            offset,
            attempts: 1,
            source: error,
        },
        None,
    )
}
