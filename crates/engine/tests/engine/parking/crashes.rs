//! A crash at every moment of a run that parks and mends.

use bytes::Bytes;
use projectionist_core::contract::OffsetStore;
use projectionist_core::{Clock, Offset, ParkedEnvelope};
use projectionist_engine::ParkConfig;
use projectionist_testkit::{
    BetweenSteps, CrashPoint, CrashStore, LowWaterStore, Recorder, TestPosition, eventually, pass,
};

use crate::common::crash::{dies_after, lives};
use crate::common::{id, secs};
use crate::parking::world::{BOTH, Guarantee, World};

/// Three keys; two fail several times, one of them behind its first event.
fn world() -> World {
    let world = World::of("abacbaacb");
    world.recorder.fail_at(1, 3);
    world.recorder.fail_at(5, 2);
    world.recorder.fail_at(6, 1);
    world
}

#[test]
fn a_crash_at_any_moment_loses_nothing_and_lets_nothing_overtake() {
    for guarantee in BOTH {
        let reached = lives(async {
            let world = world();
            let store = CrashStore::over(world.store.clone());
            let handle = world.spawn_dying(guarantee, &store);
            world.is_drained().await;
            handle.stop_and_wait().await.unwrap();
            check(guarantee, &world).await;
            CrashPoint::ALL.map(|point| (point, store.reached(point)))
        });
        let crashes: u64 = reached.iter().map(|(_, times)| times).sum();
        assert!(crashes > 20, "{guarantee:?}: {reached:?}");
        for (point, times) in reached {
            for count in 1..=times {
                dies_after(dies_at(guarantee, point, count));
            }
        }
    }
}

async fn dies_at(guarantee: Guarantee, point: CrashPoint, count: u64) {
    let world = world();
    let dying = CrashStore::over(world.store.clone());
    dying.crash_at(point, count);
    let handle = world.spawn_dying(guarantee, &dying);
    let context = format!("{guarantee:?} {point:?} {count}");
    tokio::time::timeout(secs(60), dying.crashed())
        .await
        .unwrap_or_else(|_| panic!("{context}: no crash"));
    drop(handle);
    let second = world.spawn(guarantee);
    world.is_drained().await;
    second.stop_and_wait().await.unwrap();
    eprintln!("{context}");
    check(guarantee, &world).await;
}

async fn check(guarantee: Guarantee, world: &World) {
    if guarantee == Guarantee::ExactlyOnce {
        assert_eq!(world.log().await, world.fold());
    } else {
        world.assert_at_least_once_in_order();
    }
    let counters = world.counters().await;
    assert_eq!((counters.read, counters.applied), (9, 9));
    assert_eq!((counters.parked(), counters.pending()), (0, 0));
}

#[test]
fn a_store_that_keeps_the_low_water_mark_alone_loses_nothing() {
    let commits = lives(async {
        let world = world();
        let store = CrashStore::over(LowWaterStore::over(world.store.clone()));
        let _handle = world.at_least_once(store.clone());
        world.is_drained().await;
        store.reached(CrashPoint::AfterSave)
    });
    assert!(commits > 5, "{commits}");
    for happens in [BetweenSteps::Crash, BetweenSteps::Fail] {
        // How many commits go well before that.
        for well in 0..commits {
            dies_after(cut_in_two(happens, well));
        }
    }
}

async fn cut_in_two(happens: BetweenSteps, well: u64) {
    let world = world();
    let low = LowWaterStore::over(world.store.clone());
    let counted = CrashStore::over(low.clone());
    let handle = world.at_least_once(counted.clone());
    eventually("commits went well", async || {
        counted.reached(CrashPoint::AfterSave) >= well
    })
    .await;
    low.between_steps(happens);
    pass(secs(30)).await;
    drop(handle);
    let second = world.at_least_once(LowWaterStore::over(world.store.clone()));
    world.is_drained().await;
    second.stop_and_wait().await.unwrap();
    eprintln!("{happens:?} after {well}");
    world.assert_at_least_once_in_order();
    let counters = world.store.lane(&id()).await.unwrap().unwrap().counters;
    assert_eq!(counters.parked(), 0);
    assert!(counters.read >= 9 && counters.applied >= 9, "{counters:?}");
    if happens == BetweenSteps::Crash {
        assert_eq!(counters.pending(), 0, "{counters:?}");
    }
}

#[test]
fn counters_that_a_crash_kept_from_the_store_are_put_right() {
    lives(async {
        let world = World::of("ab");
        let now = Clock::now(&world.clock);
        let parked = ParkedEnvelope {
            key: "a".to_owned(),
            offset: Offset::of(&TestPosition(1)),
            event: Bytes::from_static(b"1"),
            attempts: 1,
            error: None,
            parked_at: now,
            tried_at: Some(now),
            replay: false,
        };
        // The owner died before it wrote the offset and the counters.
        world.write_parked(parked).await;
        let _handle = world.at_least_once(LowWaterStore::over(world.store.clone()));
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [2, 1]);
        assert_eq!(world.counters().await, crate::parking::world::mended(2, 1));
    });
}

#[test]
fn what_is_parked_already_is_not_parked_or_counted_twice() {
    lives(async {
        let mut world = World::of("aa");
        world.config = ParkConfig {
            min_backoff: secs(50),
            max_backoff: secs(50),
            ..world.config
        };
        world.recorder.fail_at(1, 1);
        let low = LowWaterStore::over(world.store.clone());
        low.between_steps(BetweenSteps::Crash);
        let handle = world.at_least_once(low.clone());
        low.crashed().await;
        drop(handle);
        world.has_parked(2).await;
        assert_eq!(crate::common::stored(&world.store).await, None);

        world.recorder = Recorder::default();
        world.push("ab");
        let _second = world.at_least_once(LowWaterStore::over(world.store.clone()));
        world.recorder.has_handled(1).await;
        world.has_parked(3).await;
        // The attempt is still known.
        assert_eq!(world.parked().await["a"], [(1, 1), (2, 0), (3, 0)]);
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [4, 1, 2, 3]);
        assert_eq!(world.counters().await, crate::parking::world::mended(4, 3));
    });
}
