//! A projection is killed at every moment, and another one goes on with what it left.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use projectionist_core::contract::{
    Context, HandlerResult, Mode, OffsetStore, TransactionalHandler,
};
use projectionist_core::{Clock, ProjectionId};
use projectionist_engine::{Delivery, Projection, ProjectionRuntime};
use projectionist_store_memory::{MemoryStore, Tx};
use projectionist_testkit::{
    CrashPoint, CrashStore, Recorder, TestClock, TestEnvelope, TestSource,
};

type Memory = CrashStore<MemoryStore>;

/// The events that are handled, 1, 2 and 3.
const EVENTS: u64 = 3;

fn id() -> ProjectionId {
    ProjectionId::new("orders", "all").unwrap()
}

async fn stored(store: &MemoryStore) -> u64 {
    let row = store.lane(&id()).await.unwrap().unwrap();
    row.offset.map_or(0, |offset| offset.text.parse().unwrap())
}

/// A store and the clock by which its claims end.
fn world() -> (MemoryStore, Arc<dyn Clock>) {
    let clock: Arc<dyn Clock> = Arc::new(TestClock::new());
    (MemoryStore::with_clock(Arc::clone(&clock)), clock)
}

/// Runs the projection over the events until it ends; `false` when it died before.
async fn lives<D>(
    projection: Projection<TestSource<u64>, Memory, D>,
    store: &Memory,
    clock: &Arc<dyn Clock>,
) -> bool
where
    D: Delivery<TestSource<u64>, Memory>,
{
    let runtime = ProjectionRuntime::with_clock(Arc::clone(clock));
    let running = runtime.spawn(projection.with_mode(Mode::Current)).unwrap();
    tokio::select! {
        () = store.crashed() => false,
        completed = running.wait() => {
            completed.unwrap();
            true
        }
    }
}

/// What became of an at-least-once projection that was killed and of the one that went on.
#[derive(Debug)]
struct TwoLives {
    /// How many of the events the first one handled, from the first event on.
    handled: u64,
    /// The offset that it left.
    left: u64,
    /// What both handled.
    all: Vec<u64>,
}

/// Kills a projection at `point` when it comes there for the `count`th time, and lets another one
/// go on. `None` when there is no such moment.
async fn killed_at(point: CrashPoint, count: u64) -> Option<TwoLives> {
    let (inner, clock) = world();
    let (source, recorder) = (TestSource::of(1..=EVENTS), Recorder::<u64>::default());
    let projection = |store: &Memory| {
        let (store, recorder) = (store.clone(), recorder.clone());
        let factory = {
            let store = store.clone();
            move || store.handler(recorder.handler())
        };
        Projection::at_least_once(id(), source.clone(), store, factory)
    };
    let first = CrashStore::over(inner.clone());
    first.crash_at(point, count);
    if lives(projection(&first), &first, &clock).await {
        return None;
    }
    let handled = recorder.handled().len().try_into().unwrap();
    let left = stored(&inner).await;
    let second = CrashStore::over(inner.clone());
    assert!(lives(projection(&second), &second, &clock).await);
    assert_eq!(stored(&inner).await, EVENTS);
    Some(TwoLives {
        handled,
        left,
        all: recorder.handled(),
    })
}

#[tokio::test(start_paused = true)]
async fn at_least_once_goes_on_where_it_was_saved() {
    for point in [
        CrashPoint::AfterHandle,
        CrashPoint::BeforeSave,
        CrashPoint::AfterSave,
    ] {
        let mut moments = 0;
        while let Some(lives) = killed_at(point, moments + 1).await {
            moments += 1;
            assert!(lives.left <= lives.handled, "{point:?} {lives:?}");
            let expected = (1..=lives.handled).chain(lives.left + 1..=EVENTS);
            assert!(
                lives.all.iter().copied().eq(expected),
                "{point:?} {lives:?}"
            );
            if point == CrashPoint::AfterHandle {
                assert_eq!(lives.handled, moments);
            }
        }
        assert!(moments > 0, "{point:?} is never reached");
    }
}

/// Counts in the transaction how often each event was applied.
struct Count;

impl TransactionalHandler<TestEnvelope<u64>, Tx> for Count {
    async fn process(
        &mut self,
        tx: &mut Tx,
        envelope: &TestEnvelope<u64>,
        _: &Context<'_>,
    ) -> HandlerResult {
        let key = envelope.event.to_string();
        let before = tx.get("applied", &key).map_or(Ok(0), str::parse::<u64>)?;
        tx.put("applied", &key, (before + 1).to_string());
        Ok(())
    }
}

/// The first so many events, each applied once.
fn each_once(events: u64) -> BTreeMap<String, String> {
    let events = 1..=events;
    events
        .map(|event| (event.to_string(), "1".to_owned()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn exactly_once_applies_every_event_once() {
    for point in [
        CrashPoint::AfterHandle,
        CrashPoint::InTransaction,
        CrashPoint::AtCommit,
    ] {
        for count in 1..=EVENTS {
            let (inner, clock) = world();
            let source = TestSource::of(1..=EVENTS);
            let projection = |store: &Memory| {
                let store = store.clone();
                let factory = {
                    let store = store.clone();
                    move || store.handler(Count)
                };
                Projection::exactly_once(id(), source.clone(), store, factory)
            };
            let first = CrashStore::over(inner.clone());
            first.crash_at(point, count);
            assert!(!lives(projection(&first), &first, &clock).await);
            let committed = if point == CrashPoint::AtCommit {
                count
            } else {
                count - 1
            };
            assert_eq!(stored(&inner).await, committed, "{point:?} {count}");
            assert_eq!(inner.entries("applied").await, each_once(committed));

            let second = CrashStore::over(inner.clone());
            assert!(lives(projection(&second), &second, &clock).await);
            assert_eq!(stored(&inner).await, EVENTS, "{point:?} {count}");
            assert_eq!(inner.entries("applied").await, each_once(EVENTS));
        }
    }
}
