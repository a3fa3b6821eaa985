//! Crashes at every moment, and a second owner.

use projectionist_core::contract::{Handler, Mode, OffsetStore};
use projectionist_engine::{
    ClaimConfig, Completion, Projection, ProjectionRuntime, SaveConfig, WhenHeld,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{
    CrashPoint, CrashStore, LowWaterStore, TestEnvelope, TestSource, pass,
};

use crate::common::crash::{dies_after, lives};
use crate::common::store::Verb;
use crate::common::{SteeredStore, applied, id, lane, millis, numbers, secs, stored};
use crate::keyed::book::{Book, Clerk, fold};
use crate::keyed::projection::{Keyed, handlers, key, saving};

const KEYS: u64 = 5;
const EVENTS: u64 = 60;

fn clerk(book: &Book) -> Clerk {
    Clerk {
        book: book.clone(),
        keys: KEYS,
        // One key is slow: there is always something settled ahead of it.
        takes: |event| millis(if event % KEYS == 0 { 50 } else { event % 3 }),
    }
}

/// At work until its source ends, with a claim that is stolen from whoever holds it.
fn projection<S: OffsetStore, F, H>(
    source: &TestSource<u64>,
    store: &S,
    save: SaveConfig,
    factory: F,
) -> Keyed<S, F, impl Fn(&TestEnvelope<u64>, &mut String) + Clone + Send + Sync + use<S, F, H>>
where
    F: Fn() -> H + Clone + Send + Sync + 'static,
    H: Handler<TestEnvelope<u64>>,
{
    let claim = ClaimConfig {
        when_held: WhenHeld::Steal,
        ..ClaimConfig::default()
    };
    Projection::at_least_once(id(), source.clone(), store.clone(), factory)
        .with_mode(Mode::Current)
        .with_claim(claim)
        .with_save(save)
        .keyed(handlers(4), key(KEYS))
}

/// Each life handles each key in order; together they handle everything.
fn check(lives: &[&Book], max_unsaved: u64, what: &str) {
    let mut all = Vec::new();
    for life in lives {
        let handled = life.handled();
        for list in fold(handled.iter().copied(), KEYS).values() {
            assert!(list.is_sorted(), "{what}: {list:?}");
        }
        all.extend(handled);
    }
    let total = all.len() as u64;
    all.sort_unstable();
    all.dedup();
    assert_eq!(all, numbers(EVENTS), "{what}: nothing lost");
    let repeated = total - EVENTS;
    assert!(repeated <= max_unsaved, "{what}: {repeated} repeated");
}

/// Kills the process at the `count`th `point`, and lets another one go on; gives whether the first
/// one came so far.
fn crash_at<S: OffsetStore>(inner: &S, point: CrashPoint, count: u64, save: SaveConfig) -> bool {
    let source = TestSource::of(numbers(EVENTS));
    let (first, second) = (Book::default(), Book::default());
    let dying = CrashStore::over(inner.clone());
    dying.crash_at(point, count);
    let crashed = dies_after(async {
        let factory = {
            let (dying, first) = (dying.clone(), first.clone());
            move || dying.handler(clerk(&first))
        };
        let projection = projection(&source, &dying, save, factory);
        let handle = ProjectionRuntime::new().spawn(projection).unwrap();
        let mut status = handle.status_receiver();
        let died = tokio::select! {
            () = dying.crashed() => true,
            _ = status.wait_for(|status| status.is_terminal()) => false,
        };
        std::mem::forget(handle);
        died
    });
    lives(async {
        let factory = {
            let second = second.clone();
            move || clerk(&second)
        };
        let projection = projection(&source, inner, save, factory);
        let handle = ProjectionRuntime::new().spawn(projection).unwrap();
        assert_eq!(handle.wait().await.unwrap(), Completion::Completed);
    });
    let what = format!("{point:?} {count}, {save:?}");
    check(&[&first, &second], save.max_unsaved, &what);
    crashed
}

const POINTS: [CrashPoint; 3] = [
    CrashPoint::AfterHandle,
    CrashPoint::BeforeSave,
    CrashPoint::AfterSave,
];

#[test]
fn a_crash_at_any_moment_repeats_at_most_max_unsaved() {
    let mut crashes = 0;
    for save in [saving(1, 1), saving(3, 7), saving(10, 10), saving(100, 20)] {
        for point in POINTS {
            for count in 1.. {
                let store = MemoryStore::new();
                if !crash_at(&store, point, count, save) {
                    break;
                }
                crashes += 1;
                let row = lives(lane(&store));
                assert_eq!(row.counters, applied(EVENTS), "{point:?} {count} {save:?}");
                assert_eq!(row.offset.unwrap().text, EVENTS.to_string());
                assert!(row.ahead.is_empty());
            }
        }
    }
    assert!(crashes > 400, "{crashes} crashes tried");
}

#[test]
fn so_it_is_over_a_store_that_keeps_the_low_water_mark_alone() {
    let mut crashes = 0;
    for save in [saving(1, 1), saving(3, 7), saving(100, 20)] {
        for point in POINTS {
            for count in 1.. {
                let store = LowWaterStore::over(MemoryStore::new());
                if !crash_at(&store, point, count, save) {
                    break;
                }
                crashes += 1;
                let offset = lives(stored(store.inner()));
                assert_eq!(offset, Some(EVENTS));
            }
        }
    }
    assert!(crashes > 200, "{crashes} crashes tried");
}

#[tokio::test(start_paused = true)]
async fn after_a_steal_nothing_of_the_first_owner_is_saved() {
    let (source, store) = (TestSource::of(numbers(EVENTS)), SteeredStore::default());
    let (first, second) = (Book::default(), Book::default());
    let save = saving(5, 20);
    store.hold(Verb::Commit);
    let factory = {
        let first = first.clone();
        move || clerk(&first)
    };
    let held = ProjectionRuntime::new()
        .spawn(projection(&source, &store, save, factory))
        .unwrap();
    pass(secs(1)).await;
    assert_eq!(first.handled().len(), 20, "it waits for its save");
    let (theirs, factory) = (store.beside(), {
        let second = second.clone();
        move || clerk(&second)
    });
    let thief = ProjectionRuntime::new()
        .spawn(projection(&source, &theirs, save, factory))
        .unwrap();
    assert_eq!(thief.wait().await.unwrap(), Completion::Completed);
    store.let_go(Verb::Commit);
    held.wait().await.unwrap_err();
    assert_eq!(store.history(), [], "the first one saved nothing");
    assert_eq!(fold(second.handled(), KEYS), fold(numbers(EVENTS), KEYS));
    check(&[&first, &second], 20, "a steal");
    let row = lane(&store.inner).await;
    assert_eq!(row.counters, applied(EVENTS));
    assert_eq!(row.offset.unwrap().text, EVENTS.to_string());
}
