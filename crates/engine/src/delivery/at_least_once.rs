//! At-least-once: handle, then save.

use std::marker::PhantomData;

use projectionist_core::contract::{Handler, OffsetStore, SettlingHandler, SourceProvider};

use super::Delivery;
use super::incarnation::{Incarnation, RunResult};
use super::save::SaveConfig;
use super::single_call::{Settling, Single};
use super::singles::run_singles;
use crate::parking::{NoParking, ParkRule};

/// At-least-once: every envelope is handled before its position is saved.
///
/// A crash repeats what was handled and not saved: at most [`SaveConfig::max_unsaved`] envelopes.
#[derive(Clone, Debug)]
pub struct AtLeastOnce<F, R = NoParking> {
    pub(crate) factory: F,
    pub(crate) save: SaveConfig,
    pub(crate) parking: R,
}

impl<P, S, F, H, R> Delivery<P, S> for AtLeastOnce<F, R>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: Handler<P::Envelope>,
    R: ParkRule<P, S>,
{
    type Parks = R;

    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || Single {
            handler: (self.factory)(),
            envelope: PhantomData,
        };
        run_singles(run, &factory, self.save, &self.parking).await
    }
}

/// At-least-once with a handler that says what is to become of each envelope.
#[derive(Clone, Debug)]
pub struct SettledAtLeastOnce<F, R = NoParking> {
    pub(crate) factory: F,
    pub(crate) save: SaveConfig,
    pub(crate) parking: R,
}

impl<P, S, F, H, R> Delivery<P, S> for SettledAtLeastOnce<F, R>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: SettlingHandler<P::Envelope>,
    R: ParkRule<P, S>,
{
    type Parks = R;

    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || Settling {
            handler: (self.factory)(),
            envelope: PhantomData,
        };
        run_singles(run, &factory, self.save, &self.parking).await
    }
}
