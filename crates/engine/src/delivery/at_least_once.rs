//! At-least-once: handle, then save.

use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use projectionist_core::Error;
use projectionist_core::contract::{Handler, OffsetStore, SourceProvider};

use super::handler_slot::{HandlerSlot, hook_ended, hook_failed};
use super::incarnation::{End, Incarnation, RunResult};
use super::save::{SaveConfig, Saver};
use super::singles::{Single, Singles, unplaced};
use super::{Delivery, observe};
use crate::recovery::drive::{drive, panic_message};
use crate::signals::Interruption;

/// At-least-once: every envelope is handled before its position is saved.
///
/// A crash repeats what was handled and not saved: at most [`SaveConfig::max_unsaved`] envelopes.
#[derive(Clone, Debug)]
pub struct AtLeastOnce<F> {
    pub(crate) factory: F,
    pub(crate) save: SaveConfig,
}

impl<P, S, F, H> Delivery<P, S> for AtLeastOnce<F>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: Handler<P::Envelope>,
{
    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || Single {
            handler: (self.factory)(),
            envelope: PhantomData,
        };
        let slot = HandlerSlot::build(&factory);
        let mut slot = slot.map_err(|error| hook_failed(run, error))?;
        let (signals, stop_timeout) = (run.signals, run.settings.stop_timeout);
        let started = drive(slot.run_start(), signals, stop_timeout, |_| ()).await;
        if let Some(interruption) = hook_ended(run, started)? {
            return Ok(End::Interrupted(interruption));
        }
        let observer = run.settings.observer.clone();
        let (store, claim) = (run.store, run.claim);
        let saver = Saver::new(store, claim, self.save, observer.as_ref());
        observe(|| observer.started(&claim.lane));
        let mut singles = Singles { run, slot, saver };
        let delivered = AssertUnwindSafe(singles.deliver()).catch_unwind().await;
        let Singles {
            run,
            slot,
            mut saver,
        } = singles;
        let ended = delivered.unwrap_or_else(|payload| {
            Err(unplaced(Error::Source {
                action: format!("run {}", claim.lane),
                retryable: true,
                source: panic_message("the source", payload.as_ref()).into(),
            }))
        });
        // The settled tail is saved before a stop, a completion and a restart. Under a claim that
        // was superseded the store refuses it, which is as it should be.
        let flushed = saver.flush(&mut run.progress, signals, stop_timeout).await;
        drop(saver);
        let stopped = drive(slot.stop(), signals, stop_timeout, |_| ()).await;
        if let Err(error @ Error::Fenced { .. }) = flushed {
            // Whatever else ended the run: another owner is at work, and this one must not go on.
            return Err((error, None));
        }
        let end = ended.map_err(|failed| *failed)?;
        if end != End::Interrupted(Interruption::ClaimLost) {
            flushed.map_err(|error| (error, None))?;
        }
        hook_ended(run, stopped)?;
        Ok(end)
    }
}
