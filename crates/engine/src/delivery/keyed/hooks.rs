//! The handlers of a keyed run: built, started and stopped, once each.

use futures::future::join_all;
use projectionist_core::contract::SourceProvider;

use crate::delivery::handler_slot::{HandlerSlot, Hooks, hook_ended};
use crate::delivery::incarnation::{Incarnation, RunResult};
use crate::recovery::drive::{Call, drive};
use crate::signals::Interruption;

/// Builds so many handlers and starts them, at once. Those that started are stopped again when
/// another one did not.
pub(super) async fn start_all<'f, P, S, F, H>(
    run: &mut Incarnation<'_, P, S>,
    factory: &'f F,
    count: usize,
) -> RunResult<P, Result<Vec<HandlerSlot<'f, F, H>>, Interruption>>
where
    P: SourceProvider,
    F: Fn() -> H,
    H: Hooks,
{
    let mut slots = Vec::with_capacity(count);
    for _ in 0..count {
        slots.push(HandlerSlot::build(factory).map_err(|error| run.hook_failed(error))?);
    }
    let (signals, limits) = (run.signals, run.hook_limits());
    let starts = slots.iter_mut();
    let starts = starts.map(|slot| drive(slot.run_start(), signals, limits, |_| ()));
    let started = join_all(starts).await;
    if started.iter().all(is_good) {
        return Ok(Ok(slots));
    }
    let mut good = started.iter().map(is_good);
    slots.retain(|_| good.next() == Some(true));
    // Why the run does not begin is told below.
    let _stopped = stop_all(run, slots).await;
    for start in started {
        if let Some(interruption) = hook_ended(run, start)? {
            return Ok(Err(interruption));
        }
    }
    Ok(Ok(Vec::new()))
}

/// Stops the handlers, at once. The first that failed is told.
pub(super) async fn stop_all<P, S, F, H>(
    run: &mut Incarnation<'_, P, S>,
    slots: Vec<HandlerSlot<'_, F, H>>,
) -> RunResult<P, ()>
where
    P: SourceProvider,
    F: Fn() -> H,
    H: Hooks,
{
    let (signals, limits) = (run.signals, run.hook_limits());
    let stops = slots.into_iter();
    let stops = stops.map(|slot| drive(slot.stop(), signals, limits, |_| ()));
    for stopped in join_all(stops).await {
        hook_ended(run, stopped)?;
    }
    Ok(())
}

fn is_good(call: &Call) -> bool {
    matches!(call, Call::Returned(Ok(())))
}
