//! The inert blueprint of a projection.

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::ProjectionId;
use projectionist_core::contract::{
    GroupedTransactionalHandler, Handler, Mode, Observer, OffsetStore, SourceProvider,
    StartPosition, TransactionalOffsetStore,
};

use crate::delivery::{AtLeastOnce, GroupConfig, GroupedExactlyOnce, SaveConfig};
use crate::{ClaimConfig, Recovery, RestartBackoff, Settings};

/// The blueprint of a projection: a source, a store, and a delivery guarantee with its handler.
///
/// It is inert: nothing is opened, claimed or built before [`crate::ProjectionRuntime::spawn`].
/// Spawned again after a stop it resumes where it was.
#[derive(Clone, Debug)]
pub struct Projection<P, S, D> {
    pub(crate) id: ProjectionId,
    pub(crate) provider: Arc<P>,
    pub(crate) store: S,
    pub(crate) delivery: D,
    pub(crate) settings: Settings,
}

impl<P, S, F> Projection<P, S, AtLeastOnce<F>> {
    /// Every envelope is handled, then its position is saved. A crash repeats the envelopes that
    /// were handled and not saved, so the handler must be idempotent.
    ///
    /// `factory` builds a fresh handler for every run.
    pub fn at_least_once<H>(id: ProjectionId, provider: P, store: S, factory: F) -> Self
    where
        P: SourceProvider,
        S: OffsetStore,
        F: Fn() -> H + Send + Sync + 'static,
        H: Handler<P::Envelope>,
    {
        let delivery = AtLeastOnce {
            factory,
            save: SaveConfig::default(),
        };
        Self::new(id, provider, store, delivery)
    }

    /// When progress is saved.
    #[must_use]
    pub fn with_save(mut self, save: SaveConfig) -> Self {
        self.delivery.save = save;
        self
    }
}

impl<P, S, F> Projection<P, S, GroupedExactlyOnce<F>> {
    /// Every group is handled in the transaction that also moves the lane: what the handler wrote
    /// and the offset are both there, or neither.
    ///
    /// `factory` builds a fresh handler for every run.
    pub fn grouped_exactly_once<H>(id: ProjectionId, provider: P, store: S, factory: F) -> Self
    where
        P: SourceProvider,
        S: TransactionalOffsetStore,
        F: Fn() -> H + Send + Sync + 'static,
        H: GroupedTransactionalHandler<P::Envelope, S::Tx>,
    {
        let group = GroupConfig::default();
        let delivery = GroupedExactlyOnce {
            factory,
            group,
            isolate_data_errors: false,
        };
        Self::new(id, provider, store, delivery)
    }

    /// When a group is closed.
    #[must_use]
    pub fn with_group(mut self, group: GroupConfig) -> Self {
        self.delivery.group = group;
        self
    }

    /// A group that fails with an error of class [`Data`](projectionist_core::ErrorClass::Data) is
    /// halved until the envelope at fault stands alone; that one becomes a dead letter and its
    /// neighbours are applied. Off by default: then a data error fails the run.
    #[must_use]
    pub fn isolating_data_errors(mut self) -> Self {
        self.delivery.isolate_data_errors = true;
        self
    }
}

impl<P, S, D> Projection<P, S, D> {
    fn new(id: ProjectionId, provider: P, store: S, delivery: D) -> Self {
        let settings = Settings::default();
        Self {
            id,
            provider: Arc::new(provider),
            store,
            delivery,
            settings,
        }
    }

    /// Its identity.
    #[must_use]
    pub fn id(&self) -> &ProjectionId {
        &self.id
    }

    /// Whether the source is followed. Default [`Mode::Live`].
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.settings.mode = mode;
        self
    }

    /// Where a lane begins that has no stored offset. Default [`StartPosition::Earliest`].
    #[must_use]
    pub fn with_start(mut self, start: StartPosition) -> Self {
        self.settings.start = start;
        self
    }

    /// How the lane is claimed.
    #[must_use]
    pub fn with_claim(mut self, claim: ClaimConfig) -> Self {
        self.settings.claim = claim;
        self
    }

    /// What is done when an attempt fails. Default [`Recovery::Fail`].
    #[must_use]
    pub fn with_recovery(mut self, recovery: Recovery) -> Self {
        self.settings.recovery = recovery;
        self
    }

    /// When a failed run is started again.
    #[must_use]
    pub fn with_restart(mut self, restart: RestartBackoff) -> Self {
        self.settings.restart = restart;
        self
    }

    /// How long a stop waits for a handler before its future is dropped. Default 10 s.
    #[must_use]
    pub fn with_stop_timeout(mut self, stop_timeout: Duration) -> Self {
        self.settings.stop_timeout = stop_timeout;
        self
    }

    /// Sees what happens.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.settings.observer = observer;
        self
    }
}
