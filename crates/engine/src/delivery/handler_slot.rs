//! The handler of a run: built by the factory, started, and stopped once.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;
use projectionist_core::BoxError;
use projectionist_core::contract::{HandlerResult, SourceProvider};

use super::incarnation::{Incarnation, RunResult};
use crate::recovery::drive::{Call, panic_message};
use crate::signals::Interruption;

/// The hooks that every kind of handler has.
pub(crate) trait Hooks: Send {
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send;
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send;
}

/// The handler of a run.
///
/// Its hooks run once each. A handler that panicked, or whose call was given up, is dropped without
/// its `stop`, and a fresh one takes its place.
pub(crate) struct HandlerSlot<'a, F, H> {
    factory: &'a F,
    handler: H,
    /// It is broken and not to be called again.
    discarded: bool,
}

impl<'a, F, H> HandlerSlot<'a, F, H>
where
    F: Fn() -> H,
    H: Hooks,
{
    /// Builds the handler.
    pub(crate) fn build(factory: &'a F) -> Result<Self, BoxError> {
        Ok(Self {
            factory,
            handler: built(factory)?,
            discarded: false,
        })
    }

    /// Runs `start`.
    pub(crate) async fn run_start(&mut self) -> HandlerResult {
        guarded(async { self.handler.start().await }).await
    }

    pub(crate) fn handler(&mut self) -> &mut H {
        &mut self.handler
    }

    /// The handler panicked, or its call was given up.
    pub(crate) fn discard(&mut self) {
        self.discarded = true;
    }

    /// Puts a fresh handler into the place of a broken one.
    pub(crate) async fn replace(&mut self) -> HandlerResult {
        self.handler = built(self.factory)?;
        self.discarded = false;
        self.run_start().await
    }

    /// Runs `stop`. An error fails a run that ended well otherwise.
    pub(crate) async fn stop(mut self) -> HandlerResult {
        if self.discarded {
            return Ok(());
        }
        guarded(async { self.handler.stop().await }).await
    }
}

/// Builds a handler; a panic of the factory is an error.
fn built<H>(factory: &impl Fn() -> H) -> Result<H, BoxError> {
    catch_unwind(AssertUnwindSafe(factory))
        .map_err(|payload| panic_message("the handler factory", payload.as_ref()).into())
}

/// Runs a hook; a panic in it is an error.
async fn guarded(hook: impl Future<Output = HandlerResult>) -> HandlerResult {
    AssertUnwindSafe(hook)
        .catch_unwind()
        .await
        .unwrap_or_else(|payload| Err(panic_message("the handler", payload.as_ref()).into()))
}

/// What follows the call of a hook: nothing, or the interruption that gave it up; a hook that failed
/// fails the run.
pub(super) fn hook_ended<P: SourceProvider, S>(
    run: &Incarnation<'_, P, S>,
    call: Call,
) -> RunResult<P, Option<Interruption>> {
    match call {
        Call::Returned(Ok(())) => Ok(None),
        Call::Returned(Err(error)) | Call::Broken(error) => Err(run.hook_failed(error)),
        Call::Abandoned(interruption) => Ok(Some(interruption)),
    }
}
