//! How a run ends that saves beside its handlers: the settled tail is saved, and what went wrong is
//! told in the order of its weight.

use std::any::Any;

use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{Error, Result};

use super::handler_slot::{HandlerSlot, Hooks, hook_ended};
use super::incarnation::{End, Failed, Incarnation, RunResult, unplaced};
use super::save::Saver;
use crate::recovery::drive::{drive, panic_message};
use crate::signals::Interruption;

/// Saves the settled tail: before a stop, a completion and a restart. Under a claim that was
/// superseded the store refuses it, which is as it should be.
pub(super) async fn save_tail<P: SourceProvider, S: OffsetStore>(
    run: &mut Incarnation<'_, P, S>,
    mut saver: Saver<'_, S>,
) -> Result<()> {
    let (signals, timeout) = (run.signals, run.settings.stop_timeout);
    let flushed = saver.flush(&mut run.progress, signals, timeout).await;
    run.waiters.passed(run.progress.low());
    flushed
}

/// What a run ended with that delivered until `ended`, whose tail was `saved`, and whose handlers
/// were `stopped`.
pub(super) fn conclude<P: SourceProvider>(
    ended: RunResult<P>,
    saved: Result<()>,
    stopped: RunResult<P, ()>,
) -> RunResult<P> {
    if let Err(error @ Error::Fenced { .. }) = saved {
        // Whatever else ended the run: another owner is at work, and this one must not go on.
        return Err(unplaced(error));
    }
    let end = ended?;
    if end != End::Interrupted(Interruption::ClaimLost) {
        saved.map_err(unplaced)?;
    }
    stopped?;
    Ok(end)
}

/// Ends a run with one handler: saves the tail and stops the handler. `delivered` says how the
/// delivering ended, or the panic that ended it.
pub(super) async fn end_run<P, S, F, H>(
    run: &mut Incarnation<'_, P, S>,
    slot: HandlerSlot<'_, F, H>,
    saver: Saver<'_, S>,
    delivered: std::result::Result<RunResult<P>, Box<dyn Any + Send>>,
) -> RunResult<P>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H,
    H: Hooks,
{
    let ended = delivered.unwrap_or_else(|payload| Err(panicked(run, payload.as_ref())));
    let saved = save_tail(run, saver).await;
    let stopped = drive(slot.stop(), run.signals, run.hook_limits(), |_| ()).await;
    conclude::<P>(ended, saved, hook_ended(run, stopped).map(drop))
}

/// The failure of a run in which the source panicked.
pub(super) fn panicked<P: SourceProvider, S>(
    run: &Incarnation<'_, P, S>,
    payload: &(dyn Any + Send),
) -> Failed<P> {
    unplaced(Error::Source {
        action: format!("run {}", run.lane()),
        retryable: true,
        source: panic_message("the source", payload).into(),
    })
}
