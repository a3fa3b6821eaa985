//! Random keys, failures, crashes and restarts, against the fold of the same events.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use projectionist_engine::RetryDelay;
use projectionist_testkit::{CrashPoint, CrashStore, LowWaterStore, pass};

use crate::common::SteeredStore;
use crate::common::crash::dies_after;
use crate::common::millis;
use crate::common::random::{Random, seed};
use crate::common::store::{Fault, Verb};
use crate::parking::world::{BOTH, Guarantee, World};

/// How many worlds each test makes.
const WORLDS: u64 = 40;

/// A world of random events and failures, and small bounds.
fn world(random: &mut Random) -> World {
    let events = random.within(5..=60);
    let keys: String = (0..events)
        .map(|_| char::from(b'a' + u8::try_from(random.within(0..=6)).unwrap()))
        .collect();
    let mut world = World::of(&keys);
    for position in 1..=events {
        if random.once_in(4) {
            let times = usize::try_from(random.within(1..=5)).unwrap();
            world.recorder.fail_at(position, times);
        } else if random.once_in(20) {
            world.recorder.panic_at(position);
        }
    }
    world.config.retries = u32::try_from(random.within(0..=2)).unwrap();
    world.config.delay = RetryDelay::Fixed(millis(50));
    world.config.min_backoff = millis(random.within(1..=500));
    world.config.max_backoff = millis(random.within(100..=1_000));
    world.config.max_keys = usize::try_from(random.within(0..=5)).unwrap();
    world.config.max_envelopes = usize::try_from(random.within(1..=20)).unwrap();
    world
}

async fn check(guarantee: Guarantee, world: &World) {
    world.is_drained().await;
    if guarantee == Guarantee::ExactlyOnce {
        assert_eq!(world.log().await, world.fold());
    } else {
        world.assert_at_least_once_in_order();
    }
    let counters = world.counters().await;
    assert_eq!(
        (counters.read, counters.applied),
        (world.last(), world.last())
    );
    assert_eq!((counters.parked(), counters.pending()), (0, 0));
}

/// Plays many seeds, and says which one failed.
fn play(game: impl Fn(Guarantee, u64)) {
    let first = seed();
    for number in 0..WORLDS {
        let seed = first.wrapping_add(number);
        for guarantee in BOTH {
            let played = catch_unwind(AssertUnwindSafe(|| game(guarantee, seed)));
            if let Err(failure) = played {
                eprintln!("PROJECTIONIST_SEED={seed} {guarantee:?}");
                resume_unwind(failure);
            }
        }
    }
}

#[test]
fn the_order_of_every_key_is_that_of_the_source() {
    play(|guarantee, seed| {
        dies_after(async {
            let world = world(&mut Random::seeded(seed));
            let handle = world.spawn(guarantee);
            check(guarantee, &world).await;
            // Without a crash nothing was repeated.
            assert_eq!(world.handled(), world.fold());
            handle.stop_and_wait().await.unwrap();
        });
    });
}

#[test]
fn whatever_is_killed_when() {
    play(|guarantee, seed| {
        dies_after(async {
            let mut random = Random::seeded(seed);
            let world = world(&mut random);
            for _ in 0..3 {
                let dying = CrashStore::over(world.store.clone());
                let point = CrashPoint::ALL[usize::try_from(random.within(0..=4)).unwrap()];
                dying.crash_at(point, random.within(1..=15));
                let handle = world.spawn_dying(guarantee, &dying);
                let life = millis(random.within(100..=20_000));
                tokio::select! {
                    () = dying.crashed() => drop(handle),
                    () = pass(life) => { handle.stop_and_wait().await.unwrap(); }
                }
            }
            let _last = world.spawn(guarantee);
            check(guarantee, &world).await;
        });
    });
}

#[test]
fn whatever_the_store_refuses() {
    play(|guarantee, seed| {
        dies_after(async {
            let mut random = Random::seeded(seed);
            let world = world(&mut random);
            let store = SteeredStore::over(world.store.clone());
            let _handle = match guarantee {
                Guarantee::AtLeastOnce => world.at_least_once(store.clone()),
                Guarantee::ExactlyOnce => world.exactly_once(store.clone()),
            };
            for _ in 0..random.within(1..=8) {
                let verbs = [Verb::Commit, Verb::Commit, Verb::Load, Verb::Begin];
                let faults = [Fault::Refused, Fault::AnswerLost, Fault::Panics];
                let verb = verbs[usize::try_from(random.within(0..=3)).unwrap()];
                let fault = faults[usize::try_from(random.within(0..=2)).unwrap()];
                store.plan(verb, fault);
                pass(millis(random.within(1..=3_000))).await;
            }
            check(guarantee, &world).await;
        });
    });
}

#[test]
fn a_store_with_the_low_water_mark_alone() {
    play(|guarantee, seed| {
        if guarantee == Guarantee::ExactlyOnce {
            return;
        }
        dies_after(async {
            let world = world(&mut Random::seeded(seed));
            let low = LowWaterStore::over(world.store.clone());
            let _handle = world.at_least_once(low);
            check(guarantee, &world).await;
            assert_eq!(world.handled(), world.fold());
        });
    });
}
