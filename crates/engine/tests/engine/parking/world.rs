//! A source of keyed events, a store, and projections that park over them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use projectionist_core::contract::{
    Context, Handler, HandlerResult, Mode, OffsetStore, ParkedStore, TransactionalHandler,
    TransactionalOffsetStore,
};
use projectionist_core::{
    ClaimOutcome, ClaimRequest, Commit, Counters, Owner, ParkedEnvelope, Take,
};
use projectionist_engine::{
    ParkConfig, Projection, ProjectionHandle, ProjectionRuntime, RetryDelay, SaveConfig,
};
use projectionist_store_memory::{MemoryStore, Tx};
use projectionist_testkit::{
    CrashStore, Recorder, RecordingHandler, TestClock, TestEnvelope, TestSource, eventually, pass,
};

use crate::common::{id, lane, millis, secs, steady_restarts, stored};

/// Which guarantee is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guarantee {
    AtLeastOnce,
    ExactlyOnce,
}

pub(crate) const BOTH: [Guarantee; 2] = [Guarantee::AtLeastOnce, Guarantee::ExactlyOnce];

/// The table of the read model: by key, the events that were applied, in their order.
const LOG: &str = "log";

/// Appends every event to the log of its key, in the transaction that it is lent. The faults of its
/// recorder strike after that, so that only a rollback undoes it.
pub(crate) struct Log(RecordingHandler<u64>);

impl TransactionalHandler<TestEnvelope<u64>, Tx> for Log {
    async fn process(
        &mut self,
        tx: &mut Tx,
        envelope: &TestEnvelope<u64>,
        context: &Context<'_>,
    ) -> HandlerResult {
        let key = envelope.persistence_id.as_str();
        let before = tx.get(LOG, key).unwrap_or_default();
        let after = format!("{before} {}", envelope.event);
        tx.put(LOG, key, after);
        Handler::process(&mut self.0, envelope, context).await
    }
}

pub(crate) struct World {
    pub(crate) source: TestSource<u64>,
    pub(crate) recorder: Recorder<u64>,
    pub(crate) clock: TestClock,
    pub(crate) store: MemoryStore,
    pub(crate) config: ParkConfig,
    pub(crate) mode: Mode,
    /// The keys of the events, from position 1 on.
    pub(crate) keys: Vec<String>,
}

impl World {
    /// One event a letter, whose key the letter is: event and position are the same. An envelope is
    /// parked at its first failure, and tried again after 1 s, 2 s, and then every 4 s.
    pub(crate) fn of(keys: &str) -> Self {
        let clock = TestClock::new();
        let mut world = Self {
            source: TestSource::of([]),
            recorder: Recorder::default(),
            store: MemoryStore::with_clock(Arc::new(clock.clone())),
            clock,
            config: ParkConfig {
                retries: 0,
                delay: RetryDelay::Fixed(millis(100)),
                min_backoff: secs(1),
                max_backoff: secs(4),
                ..ParkConfig::default()
            },
            mode: Mode::Live,
            keys: Vec::new(),
        };
        world.push(keys);
        world
    }

    pub(crate) fn push(&mut self, keys: &str) {
        for key in keys.chars() {
            self.keys.push(key.to_string());
            let position = self.keys.len() as u64;
            self.source.push_for(&key.to_string(), position);
        }
    }

    pub(crate) fn last(&self) -> u64 {
        self.keys.len() as u64
    }

    pub(crate) fn spawn(&self, guarantee: Guarantee) -> ProjectionHandle {
        match guarantee {
            Guarantee::AtLeastOnce => self.at_least_once(self.store.clone()),
            Guarantee::ExactlyOnce => self.exactly_once(self.store.clone()),
        }
    }

    pub(crate) fn at_least_once<S: OffsetStore + ParkedStore>(&self, store: S) -> ProjectionHandle {
        let recorder = self.recorder.clone();
        self.at_least_once_with(store, move || recorder.handler())
    }

    pub(crate) fn at_least_once_with<S, H>(
        &self,
        store: S,
        factory: impl Fn() -> H + Send + Sync + 'static,
    ) -> ProjectionHandle
    where
        S: OffsetStore + ParkedStore,
        H: Handler<TestEnvelope<u64>>,
    {
        let projection = Projection::at_least_once(id(), self.source.clone(), store, factory)
            .with_restart(steady_restarts())
            .with_observer(self.recorder.observer())
            .with_mode(self.mode)
            .parking(self.config, |envelope, key| {
                key.push_str(&envelope.persistence_id);
            })
            .with_save(SaveConfig {
                after_envelopes: 3,
                max_unsaved: 5,
                ..SaveConfig::default()
            });
        self.runtime().spawn(projection).unwrap()
    }

    pub(crate) fn exactly_once<S>(&self, store: S) -> ProjectionHandle
    where
        S: TransactionalOffsetStore<Tx = Tx> + ParkedStore,
    {
        let recorder = self.recorder.clone();
        self.exactly_once_with(store, move || Log(recorder.handler()))
    }

    pub(crate) fn exactly_once_with<S, H>(
        &self,
        store: S,
        factory: impl Fn() -> H + Send + Sync + 'static,
    ) -> ProjectionHandle
    where
        S: TransactionalOffsetStore<Tx = Tx> + ParkedStore,
        H: TransactionalHandler<TestEnvelope<u64>, Tx>,
    {
        let projection = Projection::exactly_once(id(), self.source.clone(), store, factory)
            .with_restart(steady_restarts())
            .with_observer(self.recorder.observer())
            .with_mode(self.mode)
            .parking(self.config, |envelope, key| {
                key.push_str(&envelope.persistence_id);
            });
        self.runtime().spawn(projection).unwrap()
    }

    /// As [`spawn`](Self::spawn), in a process that can die.
    pub(crate) fn spawn_dying(
        &self,
        guarantee: Guarantee,
        store: &CrashStore<MemoryStore>,
    ) -> ProjectionHandle {
        let (dying, recorder) = (store.clone(), self.recorder.clone());
        match guarantee {
            Guarantee::AtLeastOnce => {
                let factory = move || dying.handler(recorder.handler());
                self.at_least_once_with(store.clone(), factory)
            }
            Guarantee::ExactlyOnce => {
                let factory = move || dying.handler(Log(recorder.handler()));
                self.exactly_once_with(store.clone(), factory)
            }
        }
    }

    fn runtime(&self) -> ProjectionRuntime {
        ProjectionRuntime::with_clock(Arc::new(self.clock.clone()))
    }

    /// What is parked: by key, in order, the position and the attempts.
    pub(crate) async fn parked(&self) -> BTreeMap<String, Vec<(u64, u32)>> {
        let mut parked = BTreeMap::new();
        for key in self.store.parked_keys(&id(), usize::MAX).await.unwrap() {
            let key = key.first.key;
            let envelopes = self.envelopes(&key).await;
            let of_key = envelopes
                .iter()
                .map(|one| (one.offset.text.parse().unwrap(), one.attempts));
            parked.insert(key, of_key.collect());
        }
        parked
    }

    pub(crate) async fn envelopes(&self, key: &str) -> Vec<ParkedEnvelope> {
        self.store.parked(&id(), key, usize::MAX).await.unwrap()
    }

    /// Writes a parked envelope into the store, and nothing else, as an owner between two others.
    pub(crate) async fn write_parked(&self, parked: ParkedEnvelope) {
        let request = ClaimRequest {
            lane: id(),
            owner: Owner {
                instance: "another version".to_owned(),
                process: None,
            },
            ttl: secs(10),
            take: Take::Free,
        };
        let outcome = self.store.claim(&request).await.unwrap();
        let ClaimOutcome::Granted { claim, lane } = outcome else {
            panic!("the lane is held: {outcome:?}");
        };
        let commit = Commit {
            expected: lane.offset,
            parked: vec![parked],
            ..Commit::default()
        };
        self.store.commit(&claim, &commit).await.unwrap();
        self.store.release(&claim).await.unwrap();
    }

    /// Waits until so many envelopes are parked.
    pub(crate) async fn has_parked(&self, envelopes: usize) {
        eventually("envelopes are parked", async || {
            self.parked().await.values().map(Vec::len).sum::<usize>() == envelopes
        })
        .await;
    }

    /// Waits until everything is handled and stored, and nothing is parked.
    pub(crate) async fn is_drained(&self) {
        let look = async {
            while stored(&self.store).await != Some(self.last()) || !self.parked().await.is_empty()
            {
                pass(millis(20)).await;
            }
        };
        let drained = tokio::time::timeout(secs(600), look).await;
        assert!(drained.is_ok(), "left: {:?}", self.parked().await);
    }

    pub(crate) async fn counters(&self) -> Counters {
        lane(&self.store).await.counters
    }

    /// The read model: what was applied, by key.
    pub(crate) async fn log(&self) -> BTreeMap<String, Vec<u64>> {
        let logs = self.store.entries(LOG).await.into_iter();
        let numbers = |log: String| log.split_whitespace().map(|n| n.parse().unwrap()).collect();
        logs.map(|(key, log)| (key, numbers(log))).collect()
    }

    /// What these events give, each applied once and in the order of its key.
    pub(crate) fn fold(&self) -> BTreeMap<String, Vec<u64>> {
        let mut fold = BTreeMap::<String, Vec<u64>>::new();
        for (event, key) in (1..).zip(&self.keys) {
            fold.entry(key.clone()).or_default().push(event);
        }
        fold
    }

    /// What the handlers have handled, by key and in their order, repeats included.
    pub(crate) fn handled(&self) -> BTreeMap<String, Vec<u64>> {
        let mut handled = BTreeMap::<String, Vec<u64>>::new();
        for event in self.recorder.handled() {
            let key = &self.keys[usize::try_from(event).unwrap() - 1];
            handled.entry(key.clone()).or_default().push(event);
        }
        handled
    }

    /// Everything was handled, and none before an earlier one of its key. A crash may have repeated
    /// some.
    pub(crate) fn assert_at_least_once_in_order(&self) {
        let handled = self.handled();
        for (key, all) in self.fold() {
            let of_key = handled.get(&key).map_or(&[][..], Vec::as_slice);
            let mut next = 0;
            for event in of_key {
                let index = all.iter().position(|one| one == event).unwrap();
                assert!(index <= next, "{key}: {event} overtook: {of_key:?}");
                next = next.max(index + 1);
            }
            assert_eq!(next, all.len(), "{key}: not all were handled: {of_key:?}");
        }
    }
}

/// Counters of so many events that were handled, so many of which had been parked.
pub(crate) fn mended(events: u64, parked: u64) -> Counters {
    Counters {
        read: events,
        applied: events,
        parked_total: parked,
        unparked_total: parked,
        ..Counters::ZERO
    }
}

/// Longer than any test runs.
pub(crate) const NEVER: Duration = Duration::from_secs(1_000_000);
