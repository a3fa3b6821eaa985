//! Every delivery guarantee under `kill -9`: a projection is killed again and again, and what the
//! guarantee promises is compared with the events after each kill.
//!
//! Kills come by progress, never by time. A process is killed where it stands at a chosen
//! [point](points::Point) of its work, or some steps after it while it goes on; the next one starts
//! at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers included"
)]

mod child;
mod handlers;
mod judge;
mod life;
mod mode;
mod oracle;
mod out_of_order;
mod points;
#[path = "../../../engine/tests/engine/common/random.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod random;
mod source;
mod told_store;

use judge::Judge;
use life::Place;
use mode::Mode;
use points::Kill;
use random::Random;

/// More events than one process comes to handle before it is killed.
const EVENTS_A_LIFE: u64 = 80;

/// So many processes come to their end at most until nothing is parked.
const MAX_ENDS: u32 = 60;

/// What the kills of one mode came to.
#[derive(Debug, Default)]
struct Totals {
    kills: u64,
    events: u64,
    repeated: u64,
    lost: u64,
    out_of_order: u64,
}

/// Kills a projection of this mode so often, and lets the last process come to its end.
fn kills(mode: Mode, kills: u64, seed: u64) -> Totals {
    child::run_if_this_is_one(mode);
    println!("seed: {seed} (again: PROJECTIONIST_SEED={seed})");
    let mut random = Random::seeded(seed);
    let events = EVENTS_A_LIFE * (kills + 1);
    let place = Place::with_events(events);
    let mut oracle = Judge::of(mode);
    for number in 1..=kills {
        let kill = Kill::drawn(mode, &mut random);
        place.live_until(mode, &kill);
        let what = format!("{mode:?}, seed {seed}, kill {number} at {kill:?}");
        oracle.judge(&place.seen(), &what);
    }
    assert!(oracle.settled() < events, "the last life has work left");
    let what = format!("{mode:?}, seed {seed}, at the end");
    // One process brings a parked key on by one failure: what it leaves parked is the next one's.
    for _ in 0..MAX_ENDS {
        place.live_to_the_end(mode);
        let seen = place.seen();
        if seen.parked.is_empty() {
            break;
        }
        oracle.judge(&seen, &what);
    }
    oracle.judge_the_end(&place.seen(), events, &what);
    if mode.settles_out_of_order() {
        let met = oracle.left_out_of_order();
        assert!(met >= kills / 4, "{met} kills met something out of order");
    }
    Totals {
        kills,
        events,
        repeated: oracle.repeated(),
        lost: oracle.lost(),
        out_of_order: oracle.left_out_of_order(),
    }
}

/// So many kills of a mode are met in every run of the tests.
const KILLS: u64 = 50;

/// So many kills are met in a soak, over all modes.
const SOAK_KILLS: u64 = 1_000;

#[test]
fn at_least_once() {
    kills(Mode::AtLeastOnce, KILLS, random::seed());
}

#[test]
fn settled_at_least_once() {
    kills(Mode::SettledAtLeastOnce, KILLS, random::seed());
}

#[test]
fn grouped_at_least_once() {
    kills(Mode::GroupedAtLeastOnce, KILLS, random::seed());
}

#[test]
fn at_most_once() {
    kills(Mode::AtMostOnce, KILLS, random::seed());
}

#[test]
fn exactly_once() {
    kills(Mode::ExactlyOnce, KILLS, random::seed());
}

#[test]
fn grouped_exactly_once() {
    kills(Mode::GroupedExactlyOnce, KILLS, random::seed());
}

#[test]
fn keyed_at_least_once() {
    kills(Mode::KeyedAtLeastOnce, KILLS, random::seed());
}

#[test]
fn flow_at_least_once() {
    kills(Mode::FlowAtLeastOnce, KILLS, random::seed());
}

#[test]
fn parking_at_least_once() {
    kills(Mode::ParkingAtLeastOnce, KILLS, random::seed());
}

#[test]
fn parking_exactly_once() {
    kills(Mode::ParkingExactlyOnce, KILLS, random::seed());
}

/// A thousand kills over all delivery guarantees; each keeps its bound on loss and repeats.
#[test]
#[ignore = "minutes: run by `cargo xtask soak`"]
fn soak_delivery_kills() {
    let seed = random::seed();
    let each = SOAK_KILLS.div_ceil(Mode::ALL.len() as u64);
    for mode in Mode::ALL {
        let Totals {
            kills,
            events,
            repeated,
            lost,
            out_of_order,
        } = kills(mode, each, seed);
        println!(
            "figure: delivery_kills mode={} kills={kills} events={events} repeated={repeated} \
             lost={lost} out_of_order={out_of_order} bounds_broken=0",
            mode.name()
        );
    }
}
