//! The hub before a source, and what its subscribers read.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use futures::stream::BoxStream;
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Result, Timestamp};
use tokio::sync::watch;

use super::HubConfig;
use super::pass::{Membership, Pass};
use super::reader::Reader;
use super::reading::read;
use super::window::{Item, Position};

/// A hub before a source: several projections share one pass over it.
///
/// What the source delivers is decoded once, for all who read. Each subscriber is a projection of
/// its own for everything else: it has its own lane, transaction, failures and restarts, and gets
/// exactly what it would get from the source alone.
///
/// A pass begins at the lowest position that is asked for, and is read as fast as the slowest of
/// its readers, who may be so far apart as [`HubConfig`] says. One that is slower than that leaves
/// and reads alone, and joins again when it has caught up; so does one that begins too far behind.
/// A source that fails does so for all who share the pass. The pass ends when nobody reads it.
/// Followed and present-end reading are two passes.
///
/// ```no_run
/// # fn example<P: projectionist_core::contract::SourceProvider>(source: P) {
/// use projectionist_engine::{Hub, HubConfig};
///
/// let hub = Hub::new(source, HubConfig::default());
/// let (orders, totals) = (hub.subscribe(), hub.subscribe());
/// // Two projections, one over each of them.
/// # }
/// ```
pub struct Hub<P: SourceProvider> {
    shared: Arc<Shared<P>>,
}

impl<P: SourceProvider> Hub<P> {
    /// A hub before `provider`. Nothing is read before a subscriber is.
    #[must_use]
    pub fn new(provider: P, config: HubConfig) -> Self {
        let subscribers = Subscribers {
            sources: 0,
            reading: 0,
            live: Weak::new(),
            current: Weak::new(),
        };
        Self {
            shared: Arc::new(Shared {
                provider: Arc::new(provider),
                config,
                subscribers: Mutex::new(subscribers),
                changed: watch::Sender::new(()),
            }),
        }
    }

    /// A source for one projection. It counts as one that will read until it is dropped: a pass
    /// that begins waits for it, as long as [`HubConfig::gather_for`].
    #[must_use]
    pub fn subscribe(&self) -> HubSource<P> {
        let shared = Arc::clone(&self.shared);
        shared.change(|subscribers| subscribers.sources += 1);
        HubSource { shared }
    }
}

impl<P: SourceProvider> Clone for Hub<P> {
    fn clone(&self) -> Self {
        let shared = Arc::clone(&self.shared);
        Self { shared }
    }
}

impl<P: SourceProvider> fmt::Debug for Hub<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subscribers = self.shared.lock();
        f.debug_struct("Hub")
            .field("sources", &subscribers.sources)
            .field("reading", &subscribers.reading)
            .finish_non_exhaustive()
    }
}

/// What the subscribers of a hub share.
pub(super) struct Shared<P: SourceProvider> {
    pub(super) provider: Arc<P>,
    pub(super) config: HubConfig,
    subscribers: Mutex<Subscribers<P>>,
    changed: watch::Sender<()>,
}

struct Subscribers<P: SourceProvider> {
    sources: usize,
    /// How many of them have a stream open, or ask for one.
    reading: usize,
    live: Weak<Pass<P>>,
    current: Weak<Pass<P>>,
}

impl<P: SourceProvider> Shared<P> {
    /// Makes a reader who begins behind `from` a member of the pass, which begins with it where
    /// there is none.
    pub(super) fn enter(self: &Arc<Self>, from: Option<&Position<P>>, mode: Mode) -> Membership<P> {
        let config = self.config;
        self.enter_or_begin(from, mode, || Pass::gathering(config))
    }

    /// Makes a reader who reads alone, and whose pass is over, a member of another one. One to the
    /// present end shares no later pass: it has an end of its own.
    pub(super) fn enter_again(
        self: &Arc<Self>,
        from: Option<&Position<P>>,
        mode: Mode,
    ) -> Option<Membership<P>> {
        if mode == Mode::Current || self.lock().sources < 2 {
            return None;
        }
        let config = self.config;
        let begin = || Pass::behind(config, from.cloned());
        Some(self.enter_or_begin(from, mode, begin))
    }

    fn enter_or_begin(
        self: &Arc<Self>,
        from: Option<&Position<P>>,
        mode: Mode,
        begin: impl Fn() -> Arc<Pass<P>>,
    ) -> Membership<P> {
        let mut subscribers = self.lock();
        let current = match mode {
            Mode::Live => &mut subscribers.live,
            Mode::Current => &mut subscribers.current,
        };
        let joined = current.upgrade().and_then(|pass| pass.join(from));
        if let Some(membership) = joined {
            return membership;
        }
        loop {
            let pass = begin();
            // A pass that has just been made is not over.
            if let Some(membership) = pass.join(from) {
                *current = Arc::downgrade(&pass);
                drop(subscribers);
                tokio::spawn(read(pass, Arc::clone(self), mode));
                return membership;
            }
        }
    }

    /// Ends when every subscriber reads.
    pub(super) async fn all_read(&self) {
        let mut changed = self.changed.subscribe();
        loop {
            changed.mark_unchanged();
            {
                let subscribers = self.lock();
                if subscribers.reading >= subscribers.sources {
                    return;
                }
            }
            // The sender lives in `self`: the channel cannot close.
            let _open = changed.changed().await;
        }
    }

    fn change(&self, change: impl FnOnce(&mut Subscribers<P>)) {
        change(&mut self.lock());
        self.changed.send_replace(());
    }

    fn lock(&self) -> MutexGuard<'_, Subscribers<P>> {
        let subscribers = self.subscribers.lock();
        subscribers.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts one who reads, until it is dropped.
pub(super) struct Reading<P: SourceProvider>(Arc<Shared<P>>);

impl<P: SourceProvider> Reading<P> {
    pub(super) fn of(hub: &Arc<Shared<P>>) -> Self {
        hub.change(|subscribers| subscribers.reading += 1);
        Self(Arc::clone(hub))
    }
}

impl<P: SourceProvider> Drop for Reading<P> {
    fn drop(&mut self) {
        self.0.change(|subscribers| subscribers.reading -= 1);
    }
}

/// The source of one projection of a [`Hub`]: delivers the envelopes of the source behind it, each
/// shared with the other subscribers.
pub struct HubSource<P: SourceProvider> {
    shared: Arc<Shared<P>>,
}

impl<P: SourceProvider> Drop for HubSource<P> {
    fn drop(&mut self) {
        self.shared.change(|subscribers| subscribers.sources -= 1);
    }
}

impl<P: SourceProvider> fmt::Debug for HubSource<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HubSource").finish_non_exhaustive()
    }
}

impl<P: SourceProvider> SourceProvider for HubSource<P> {
    type Envelope = Arc<P::Envelope>;
    type Position = P::Position;
    type Stream = BoxStream<'static, Result<Item<P>>>;

    async fn open(&self, from: Option<P::Position>, mode: Mode) -> Result<Self::Stream> {
        let reader = Reader::begin(Arc::clone(&self.shared), from, mode).await?;
        Ok(reader.into_stream())
    }

    fn position(&self, envelope: &Arc<P::Envelope>) -> P::Position {
        self.shared.provider.position(envelope)
    }

    fn encode(&self, envelope: &Arc<P::Envelope>, out: &mut Vec<u8>) {
        self.shared.provider.encode(envelope, out);
    }

    fn decode(&self, position: P::Position, event: &Bytes) -> Result<Arc<P::Envelope>, String> {
        self.shared.provider.decode(position, event).map(Arc::new)
    }

    fn created_at(&self, envelope: &Arc<P::Envelope>) -> Option<Timestamp> {
        self.shared.provider.created_at(envelope)
    }

    fn verifies(&self) -> bool {
        self.shared.provider.verifies()
    }

    async fn verify(&self, position: &P::Position) -> Result<bool> {
        self.shared.provider.verify(position).await
    }

    async fn remaining(&self, low: Option<&P::Position>) -> Result<Option<u64>> {
        self.shared.provider.remaining(low).await
    }

    async fn remaining_bytes(&self, low: Option<&P::Position>) -> Result<Option<u64>> {
        self.shared.provider.remaining_bytes(low).await
    }

    fn waiting_for(&self) -> Option<String> {
        self.shared.provider.waiting_for()
    }

    fn size_bytes(&self, envelope: &Arc<P::Envelope>) -> usize {
        self.shared.provider.size_bytes(envelope)
    }

    async fn resolve_start(&self, start: &StartPosition) -> Result<Option<P::Position>> {
        self.shared.provider.resolve_start(start).await
    }
}
