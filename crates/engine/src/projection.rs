//! The inert blueprint of a projection.

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::ProjectionId;
use projectionist_core::contract::{
    FlowHandler, GroupedHandler, GroupedTransactionalHandler, Handler, Mode, Observer, OffsetStore,
    ParkedStore, SettlingHandler, SourceProvider, StartPosition, TransactionalHandler,
    TransactionalOffsetStore,
};

use crate::delivery::groups::GroupRules;
use crate::delivery::kinds::{Grouped, Retrying};
use crate::delivery::{
    AtLeastOnce, AtMostOnce, ExactlyOnce, FlowAtLeastOnce, FlowConfig, GroupConfig,
    GroupedAtLeastOnce, GroupedExactlyOnce, SaveConfig, SettledAtLeastOnce,
};
use crate::parking::{NoParking, ParkConfig, Parking, ParkingDelivery};
use crate::recovery::failed_attempt::FailureHook;
use crate::{
    ClaimConfig, FailedAttempt, FailurePolicy, LossRecovery, Recovery, RestartBackoff, Settings,
    WhenExhausted,
};

/// The blueprint of a projection: a source, a store, and a delivery guarantee with its handler.
///
/// It is inert: nothing is opened, claimed or built before [`crate::ProjectionRuntime::spawn`].
/// Spawned again after a stop it resumes where it was.
#[derive(Debug)]
pub struct Projection<P: SourceProvider, S, D> {
    pub(crate) id: ProjectionId,
    pub(crate) provider: Arc<P>,
    pub(crate) store: S,
    pub(crate) delivery: D,
    pub(crate) settings: Settings,
    pub(crate) hook: FailureHook<P::Envelope>,
}

/// By hand: the source is shared, so it need not be clonable, nor its envelopes.
impl<P: SourceProvider, S: Clone, D: Clone> Clone for Projection<P, S, D> {
    fn clone(&self) -> Self {
        Self {
            id: self.id.clone(),
            provider: Arc::clone(&self.provider),
            store: self.store.clone(),
            delivery: self.delivery.clone(),
            settings: self.settings.clone(),
            hook: self.hook.clone(),
        }
    }
}

impl<P: SourceProvider, S, F> Projection<P, S, AtLeastOnce<F>> {
    /// Every envelope is handled, then its position is saved. A crash repeats the envelopes that
    /// were handled and not saved, so the handler must be idempotent.
    ///
    /// `factory` builds a fresh handler for every run.
    pub fn at_least_once<H>(id: ProjectionId, provider: P, store: S, factory: F) -> Self
    where
        S: OffsetStore,
        F: Fn() -> H + Send + Sync + 'static,
        H: Handler<P::Envelope>,
    {
        let save = SaveConfig::default();
        let parking = NoParking;
        let delivery = AtLeastOnce {
            factory,
            save,
            parking,
        };
        Self::new(id, provider, store, delivery)
    }
}

impl<P: SourceProvider, S, F, R> Projection<P, S, AtLeastOnce<F, R>> {
    /// When progress is saved.
    #[must_use]
    pub fn with_save(mut self, save: SaveConfig) -> Self {
        self.delivery.save = save;
        self
    }
}

impl<P: SourceProvider, S, F> Projection<P, S, SettledAtLeastOnce<F>> {
    /// At-least-once with a handler that says what is to become of each envelope: acknowledged,
    /// dropped, or tried again.
    ///
    /// `factory` builds a fresh handler for every run.
    pub fn settled_at_least_once<H>(id: ProjectionId, provider: P, store: S, factory: F) -> Self
    where
        S: OffsetStore,
        F: Fn() -> H + Send + Sync + 'static,
        H: SettlingHandler<P::Envelope>,
    {
        let save = SaveConfig::default();
        let parking = NoParking;
        let delivery = SettledAtLeastOnce {
            factory,
            save,
            parking,
        };
        Self::new(id, provider, store, delivery)
    }
}

impl<P: SourceProvider, S, F, R> Projection<P, S, SettledAtLeastOnce<F, R>> {
    /// When progress is saved.
    #[must_use]
    pub fn with_save(mut self, save: SaveConfig) -> Self {
        self.delivery.save = save;
        self
    }
}

impl<P: SourceProvider, S, F> Projection<P, S, AtMostOnce<F>> {
    /// The position of every envelope is saved, then it is handled. A crash loses the envelope in
    /// flight and repeats none.
    ///
    /// An envelope is tried once: there are no retries to choose. `factory` builds a fresh handler
    /// for every run.
    pub fn at_most_once<H>(id: ProjectionId, provider: P, store: S, factory: F) -> Self
    where
        S: OffsetStore,
        F: Fn() -> H + Send + Sync + 'static,
        H: Handler<P::Envelope>,
    {
        let recovery = LossRecovery::default();
        Self::new(id, provider, store, AtMostOnce { factory, recovery })
    }

    /// What is done when handling fails. Default [`LossRecovery::Fail`].
    #[must_use]
    pub fn with_recovery(mut self, recovery: LossRecovery) -> Self {
        self.delivery.recovery = recovery;
        self
    }
}

impl<P: SourceProvider, S, F> Projection<P, S, ExactlyOnce<F>> {
    /// Every envelope is handled in the transaction that also moves the lane: what the handler
    /// wrote and the offset are both there, or neither.
    ///
    /// `factory` builds a fresh handler for every run.
    pub fn exactly_once<H>(id: ProjectionId, provider: P, store: S, factory: F) -> Self
    where
        S: TransactionalOffsetStore,
        F: Fn() -> H + Send + Sync + 'static,
        H: TransactionalHandler<P::Envelope, S::Tx>,
    {
        let parking = NoParking;
        Self::new(id, provider, store, ExactlyOnce { factory, parking })
    }
}

impl<P: SourceProvider, S, F> Projection<P, S, GroupedAtLeastOnce<F>> {
    /// Every group is handled, then the position of its last envelope is saved. A crash repeats
    /// one group at most, so the handler must be idempotent.
    ///
    /// `factory` builds a fresh handler for every run.
    pub fn grouped_at_least_once<H>(id: ProjectionId, provider: P, store: S, factory: F) -> Self
    where
        S: OffsetStore,
        F: Fn() -> H + Send + Sync + 'static,
        H: GroupedHandler<P::Envelope>,
    {
        let rules = GroupRules::default();
        Self::new(id, provider, store, GroupedAtLeastOnce { factory, rules })
    }
}

impl<P: SourceProvider, S, F> Projection<P, S, GroupedExactlyOnce<F>> {
    /// Every group is handled in the transaction that also moves the lane: what the handler wrote
    /// and the offset are both there, or neither.
    ///
    /// `factory` builds a fresh handler for every run.
    pub fn grouped_exactly_once<H>(id: ProjectionId, provider: P, store: S, factory: F) -> Self
    where
        S: TransactionalOffsetStore,
        F: Fn() -> H + Send + Sync + 'static,
        H: GroupedTransactionalHandler<P::Envelope, S::Tx>,
    {
        let rules = GroupRules::default();
        Self::new(id, provider, store, GroupedExactlyOnce { factory, rules })
    }
}

impl<P: SourceProvider, S, F> Projection<P, S, FlowAtLeastOnce<F>> {
    /// Every envelope goes through the flow of the run; when its context comes out, its position is
    /// saved. A crash repeats the envelopes that were handled and not saved, so the flow must be
    /// idempotent.
    ///
    /// A flow that fails fails the run: there are no retries to choose. `factory` builds a fresh
    /// handler for every run.
    ///
    /// ```
    /// use futures::{Stream, StreamExt};
    /// use projectionist_core::contract::FlowHandler;
    /// use projectionist_core::{BoxError, FlowContexts, FlowInput, ProjectionId};
    /// use projectionist_engine::Projection;
    /// use projectionist_store_memory::MemoryStore;
    /// use projectionist_testkit::{TestEnvelope, TestSource};
    ///
    /// /// Prints words, ten at a time.
    /// struct Printer;
    ///
    /// impl FlowHandler<TestEnvelope<&'static str>> for Printer {
    ///     fn flow(
    ///         &mut self,
    ///         words: FlowInput<TestEnvelope<&'static str>>,
    ///     ) -> impl Stream<Item = Result<FlowContexts, BoxError>> + Send + 'static {
    ///         words.ready_chunks(10).map(|batch| {
    ///             let printed = |(word, context)| {
    ///                 println!("{word:?}");
    ///                 context
    ///             };
    ///             Ok(batch.into_iter().map(printed).collect())
    ///         })
    ///     }
    /// }
    ///
    /// # fn main() -> projectionist_core::Result<()> {
    /// let id = ProjectionId::new("words", "all")?;
    /// let source = TestSource::of(["abc", "def"]);
    /// let projection = Projection::flow(id, source, MemoryStore::new(), || Printer);
    /// # drop(projection);
    /// # Ok(())
    /// # }
    /// ```
    pub fn flow<H>(id: ProjectionId, provider: P, store: S, factory: F) -> Self
    where
        S: OffsetStore,
        F: Fn() -> H + Send + Sync + 'static,
        H: FlowHandler<P::Envelope>,
    {
        Self::new(id, provider, store, FlowAtLeastOnce::new(factory))
    }

    /// When progress is saved.
    #[must_use]
    pub fn with_save(mut self, save: SaveConfig) -> Self {
        self.delivery.save = save;
        self
    }

    /// How much may be with the flow, and when it is told that nothing comes out.
    #[must_use]
    pub fn with_flow(mut self, flow: FlowConfig) -> Self {
        self.delivery.flow = flow;
        self
    }
}

impl<P: SourceProvider, S, D> Projection<P, S, D> {
    /// When a group is closed.
    #[must_use]
    pub fn with_group(mut self, group: GroupConfig) -> Self
    where
        D: Grouped,
    {
        self.delivery.rules_mut().group = group;
        self
    }

    /// A group that fails with an error of class [`Data`](projectionist_core::ErrorClass::Data) is
    /// halved until the envelope at fault stands alone; that one becomes a dead letter and its
    /// neighbours are applied. Off by default: then recovery is asked.
    #[must_use]
    pub fn isolating_data_errors(mut self) -> Self
    where
        D: Grouped,
    {
        self.delivery.rules_mut().isolates_data_errors = true;
        self
    }

    /// How often an envelope with a data error is tried again, once it
    /// [stands alone](Self::isolating_data_errors), before it becomes a dead letter; with the delays
    /// of the [`Recovery`], or without any from 500 ms doubling to 30 s. Default 0: the same data
    /// fails again.
    #[must_use]
    pub fn with_data_retries(mut self, retries: u32) -> Self
    where
        D: Grouped,
    {
        self.delivery.rules_mut().data_retries = retries;
        self
    }

    /// Recovery passes over envelopes only for what may be their own fault. An error of class
    /// [`Outage`](projectionist_core::ErrorClass::Outage) is tried again without limit, with the
    /// delays of the [`Recovery`], and counts as none of its retries. Another
    /// [`Error`](projectionist_core::Error) of the store or of a setting, under which every envelope
    /// would fail, fails the run. Off by default: then recovery is asked in every case.
    #[must_use]
    pub fn waiting_out_outages(mut self) -> Self
    where
        D: Grouped,
    {
        self.delivery.rules_mut().waits_out_outages = true;
        self
    }

    /// A group that recovery would pass over is halved until the envelope at fault stands alone;
    /// only that one is passed over. Off by default: then the whole group is.
    #[must_use]
    pub fn bisecting(mut self) -> Self
    where
        D: Grouped,
    {
        self.delivery.rules_mut().bisects = true;
        self
    }
}

impl<P: SourceProvider, S, D> Projection<P, S, D> {
    /// Parks what cannot be handled instead of letting the run fail: when the retries of `config`
    /// are over, the envelope waits in the store, and with it all later ones of its key, in their
    /// order, while all other keys go on. It is tried again with a backoff, or by
    /// [`retry_parked`](crate::ProjectionHandle::retry_parked). When all of a key is handled, the
    /// key goes on as before.
    ///
    /// `key` writes the key of an envelope into an empty text: what must stay in order, such as the
    /// entity. It must tell the same of the same envelope, also after a restart.
    ///
    /// The projection's [`Recovery`] is not asked any more. With
    /// [`Mode::Current`](projectionist_core::contract::Mode::Current) a projection completes with
    /// the keys that are parked by then: they are tried again when it is started again.
    ///
    /// ```no_run
    /// # use projectionist_core::contract::{Handler, OffsetStore, ParkedStore, SourceProvider};
    /// # use projectionist_core::{ProjectionId, Result};
    /// # fn example<P, S, H>(orders: P, store: S, handler: fn() -> H) -> Result<()>
    /// # where
    /// #     P: SourceProvider<Envelope = (String, u64)>,
    /// #     S: OffsetStore + ParkedStore,
    /// #     H: Handler<(String, u64)>,
    /// # {
    /// use projectionist_engine::{ParkConfig, Projection};
    ///
    /// let id = ProjectionId::new("orders", "all")?;
    /// let projection = Projection::at_least_once(id, orders, store, handler)
    ///     .parking(ParkConfig::default(), |envelope, key| key.push_str(&envelope.0));
    /// # drop(projection);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn parking<K, Parks>(self, config: ParkConfig, key: K) -> Projection<P, S, Parks>
    where
        D: ParkingDelivery<K, Parking = Parks>,
        S: ParkedStore,
        K: Fn(&P::Envelope, &mut String) + Send + Sync + 'static,
    {
        let Self {
            id,
            provider,
            store,
            delivery,
            settings,
            hook,
        } = self;
        Projection {
            id,
            provider,
            store,
            delivery: delivery.with_parking(Parking { config, key }),
            settings,
            hook,
        }
    }
}

impl<P: SourceProvider, S, D: Retrying> Projection<P, S, D> {
    /// What is done when an attempt fails. Default [`Recovery::Fail`].
    #[must_use]
    pub fn with_recovery(mut self, recovery: Recovery) -> Self {
        self.settings.failures.recovery = recovery;
        self
    }
}

impl<P: SourceProvider, S, D> Projection<P, S, D> {
    fn new(id: ProjectionId, provider: P, store: S, delivery: D) -> Self {
        Self {
            id,
            provider: Arc::new(provider),
            store,
            delivery,
            settings: Settings::default(),
            hook: FailureHook::none(),
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

    /// What becomes of failures, all of it: one of the presets of [`FailurePolicy`].
    #[must_use]
    pub fn with_failure_policy(mut self, failures: FailurePolicy) -> Self
    where
        D: Retrying,
    {
        self.settings.failures = failures;
        self
    }

    /// What follows when recovery is exhausted. Default [`WhenExhausted::Restart`].
    #[must_use]
    pub fn when_exhausted(mut self, when_exhausted: WhenExhausted) -> Self {
        self.settings.failures.when_exhausted = when_exhausted;
        self
    }

    /// Keeps what is passed over as dead letters, in the commit that passes it. Off by default:
    /// then it is counted as skipped, and logged.
    #[must_use]
    pub fn keeping_dead_letters(mut self) -> Self {
        self.settings.dead_letters = true;
        self
    }

    /// How long one call of a handler may take. Default: no limit.
    #[must_use]
    pub fn with_handler_timeout(mut self, timeout: Duration) -> Self {
        self.settings.handler_timeout = Some(timeout);
        self
    }

    /// How often the store is asked what other processes want. Default 500 ms.
    #[must_use]
    pub fn with_management_interval(mut self, interval: Duration) -> Self {
        self.settings.management_interval = interval;
        self
    }

    /// All settings at once, as a configuration gives them. Settings that are made later override
    /// them.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sees every failed attempt, with its envelopes and what follows. It is called in place,
    /// before the wait; a panic in it changes nothing.
    #[must_use]
    pub fn on_failure(
        mut self,
        hook: impl Fn(&FailedAttempt<'_, P::Envelope>) + Send + Sync + 'static,
    ) -> Self {
        self.hook = FailureHook::new(hook);
        self
    }

    /// When a failed run is started again.
    #[must_use]
    pub fn with_restart(mut self, restart: RestartBackoff) -> Self {
        self.settings.failures.restart = restart;
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
