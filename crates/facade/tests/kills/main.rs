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
mod life;
mod mode;
mod oracle;
mod points;
#[path = "../../../engine/tests/engine/common/random.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod random;
mod source;
mod told_store;

use life::Place;
use mode::Mode;
use oracle::Oracle;
use points::Kill;
use random::Random;

/// More events than one process comes to handle before it is killed.
const EVENTS_A_LIFE: u64 = 80;

/// What the kills of one mode came to.
#[derive(Debug, Default)]
struct Totals {
    kills: u64,
    events: u64,
    repeated: u64,
    lost: u64,
}

/// Kills a projection of this mode so often, and lets the last process come to its end.
fn kills(mode: Mode, kills: u64, seed: u64) -> Totals {
    child::run_if_this_is_one(mode);
    println!("seed: {seed} (again: PROJECTIONIST_SEED={seed})");
    let mut random = Random::seeded(seed);
    let events = EVENTS_A_LIFE * (kills + 1);
    let place = Place::with_events(events);
    let mut oracle = Oracle::of(mode);
    for number in 1..=kills {
        let kill = Kill::drawn(mode, &mut random);
        place.live_until(mode, &kill);
        let what = format!("{mode:?}, seed {seed}, kill {number} at {kill:?}");
        oracle.judge(&place.seen(), &what);
    }
    assert!(oracle.settled() < events, "the last life has work left");
    place.live_to_the_end(mode);
    let what = format!("{mode:?}, seed {seed}, at the end");
    oracle.judge_the_end(&place.seen(), events, &what);
    Totals {
        kills,
        events,
        repeated: oracle.repeated(),
        lost: oracle.lost(),
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
        } = kills(mode, each, seed);
        println!(
            "figure: delivery_kills mode={} kills={kills} events={events} repeated={repeated} \
             lost={lost} bounds_broken=0",
            mode.name()
        );
    }
}
