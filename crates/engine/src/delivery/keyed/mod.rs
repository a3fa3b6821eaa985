//! At-least-once by key: in order for each key, out of order across keys, several handlers at once.

mod desk;
mod dispatch;
mod hooks;
mod intake;
mod key_queues;
mod status;
mod wakes;
mod worker;

use std::marker::PhantomData;

use projectionist_core::contract::{Handler, OffsetStore, SourceProvider};

use super::Delivery;
use super::at_least_once::AtLeastOnce;
use super::incarnation::{Incarnation, RunResult};
use super::kinds::Retrying;
use super::save::SaveConfig;
use super::sealed::Sealed;
use super::single_call::Single;
use crate::progress::WindowLimits;
use crate::{NoParking, Projection};

/// How many envelopes are handled at once, and how many are taken from the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyedConfig {
    /// Handlers, each from the factory: so many envelopes of different keys are handled at once.
    /// Default 8; 0 is 1.
    pub handlers: usize,
    /// How much may be taken from the source and not settled.
    pub window: WindowLimits,
}

impl Default for KeyedConfig {
    fn default() -> Self {
        Self {
            handlers: 8,
            window: WindowLimits::default(),
        }
    }
}

/// At-least-once by key: the envelopes of one key are handled in the order of the source, those of
/// different keys at once and in any order.
///
/// Any handler takes the next envelope of any key, so one that keeps something of its keys in
/// memory must not rely on seeing all of a key. An envelope whose attempt failed keeps its handler
/// while it waits for the next one, and holds up its own key and no other; keys wait for each other
/// only when all handlers are taken. (Keys are told apart by a hash of 64 bits: two keys that share
/// one are handled as if they were the same.)
///
/// All handlers run in the projection's own task: they gain from waiting at once, not from working
/// at once. A crash repeats what was handled and not saved: at most
/// [`SaveConfig::max_unsaved`] envelopes. What is settled ahead of an envelope that is not is saved
/// as well, where the store keeps that; where it does not, all of it counts as unsaved.
#[derive(Clone, Debug)]
pub struct KeyedAtLeastOnce<F, K> {
    factory: F,
    save: SaveConfig,
    config: KeyedConfig,
    key: K,
}

impl<P: SourceProvider, S, F> Projection<P, S, AtLeastOnce<F>> {
    /// Handles several envelopes at once, those of one key in order. `key` appends the key of an
    /// envelope to an empty buffer.
    ///
    /// Not for a handler that must see the envelopes in order, and not for a source whose positions
    /// are not strictly ordered.
    #[must_use]
    pub fn keyed<K>(self, config: KeyedConfig, key: K) -> Projection<P, S, KeyedAtLeastOnce<F, K>>
    where
        K: Fn(&P::Envelope, &mut String) + Send + Sync + 'static,
    {
        let Self {
            id,
            provider,
            store,
            delivery:
                AtLeastOnce {
                    factory,
                    save,
                    parking: NoParking,
                },
            settings,
            hook,
        } = self;
        Projection {
            id,
            provider,
            store,
            delivery: KeyedAtLeastOnce {
                factory,
                save,
                config,
                key,
            },
            settings,
            hook,
        }
    }
}

impl<P: SourceProvider, S, F, K> Projection<P, S, KeyedAtLeastOnce<F, K>> {
    /// When progress is saved.
    #[must_use]
    pub fn with_save(mut self, save: SaveConfig) -> Self {
        self.delivery.save = save;
        self
    }
}

impl<F, K> Sealed for KeyedAtLeastOnce<F, K> {}
impl<F, K> Retrying for KeyedAtLeastOnce<F, K> {}

impl<P, S, F, H, K> Delivery<P, S> for KeyedAtLeastOnce<F, K>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: Handler<P::Envelope>,
    K: Fn(&P::Envelope, &mut String) + Send + Sync + 'static,
{
    type Parks = NoParking;

    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || Single {
            handler: (self.factory)(),
            envelope: PhantomData,
        };
        dispatch::run_keyed(run, &factory, &self.key, self.save, self.config).await
    }
}
