//! Random scripts against a naive model: whatever happens, in whatever order, the guarantee holds
//! after every step.
//!
//! Two [processes](world) share a store and a source. They start, stop, steal, die and lose their
//! claims; source, store and [handler](subject) meet faults; people [ask](asked) for things. All of
//! it leaves a [trace], by which the [model](oracle) knows what may be in the store.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers included"
)]

mod asked;
mod blueprint;
mod blueprint_by_key;
#[path = "../engine/common/mod.rs"]
mod common;
mod guarantee;
mod life;
mod oracle;
mod script;
mod subject;
mod trace;
mod traced_source;
mod world;
mod written;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use common::crash::lives;
use guarantee::Guarantee;
use script::Script;
use world::World;

/// So many scripts are played in every run of the tests, over all guarantees.
const SCRIPTS: u64 = 10_000;

/// So many scripts are played in a soak, over all guarantees.
const SOAK_SCRIPTS: u64 = 1_000_000;

/// What some scripts came to.
#[derive(Debug, Default)]
struct Totals {
    steps: usize,
    handled: usize,
    commits: usize,
    answers: usize,
}

/// Plays so many scripts for one guarantee.
fn play(guarantee: Guarantee, scripts: u64, seed: u64) -> Totals {
    println!("seed: {seed} (again: PROJECTIONIST_SEED={seed})");
    silence_planned_panics();
    let mut totals = Totals::default();
    for number in 0..scripts {
        let seed = seed.wrapping_add(number);
        let script = Script::drawn(guarantee, seed);
        let played = catch_unwind(AssertUnwindSafe(|| {
            lives(async {
                let mut world = World::new(&script);
                for step in &script.steps {
                    world.take(step).await;
                    world.check().await;
                }
                world.finish().await
            })
        }));
        match played {
            Ok(outcome) => {
                totals.steps += script.steps.len();
                totals.handled += outcome.handled;
                totals.commits += outcome.commits;
                totals.answers += outcome.answers;
            }
            Err(panic) => {
                println!("seed {seed} is the one that fails; its script: {script:#?}");
                resume_unwind(panic);
            }
        }
    }
    totals
}

/// Panics that scripts ask for are no news.
fn silence_planned_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload_as_str().unwrap_or_default();
            let planned = ["panic ", "the store panics", "the test source panics"];
            if !planned.iter().any(|begin| text.starts_with(begin)) {
                told(info);
            }
        }));
    });
}

fn some(guarantee: Guarantee) {
    let each = SCRIPTS.div_ceil(Guarantee::ALL.len() as u64);
    play(guarantee, each, common::random::seed());
}

#[test]
fn at_least_once_keeps_its_guarantee() {
    some(Guarantee::AtLeastOnce);
}

#[test]
fn settled_at_least_once_keeps_its_guarantee() {
    some(Guarantee::SettledAtLeastOnce);
}

#[test]
fn at_most_once_keeps_its_guarantee() {
    some(Guarantee::AtMostOnce);
}

#[test]
fn exactly_once_keeps_its_guarantee() {
    some(Guarantee::ExactlyOnce);
}

#[test]
fn grouped_at_least_once_keeps_its_guarantee() {
    some(Guarantee::GroupedAtLeastOnce);
}

#[test]
fn grouped_exactly_once_keeps_its_guarantee() {
    some(Guarantee::GroupedExactlyOnce);
}

#[test]
fn keyed_at_least_once_keeps_its_guarantee() {
    some(Guarantee::KeyedAtLeastOnce);
}

#[test]
fn parking_at_least_once_keeps_its_guarantee() {
    some(Guarantee::ParkingAtLeastOnce);
}

#[test]
fn parking_exactly_once_keeps_its_guarantee() {
    some(Guarantee::ParkingExactlyOnce);
}

/// Scripts that found something are played for ever.
#[test]
fn scripts_that_found_a_fault_find_none_any_more() {
    // A save under way as the lane was paused: its envelope is handled, or it is lost.
    play(Guarantee::AtMostOnce, 1, 18_212_487_120_550_771_976);
    // A save that panicked: no envelope is in flight any more, and who waits is told.
    play(Guarantee::AtMostOnce, 1, 5_825_254_031_543_220_141);
    // A commit long after the last call of several has ended: that one did not run out of time.
    play(Guarantee::KeyedAtLeastOnce, 1, 8_354_993_530_615_755_331);
}

/// A million random scripts of faults, crashes, steals and management; none breaks a guarantee.
#[test]
#[ignore = "long: run by `cargo xtask soak`"]
fn soak_engine_model() {
    let seed = common::random::seed();
    let each = SOAK_SCRIPTS.div_ceil(Guarantee::ALL.len() as u64);
    for guarantee in Guarantee::ALL {
        let Totals {
            steps,
            handled,
            commits,
            answers,
        } = play(guarantee, each, seed);
        println!(
            "figure: engine_model guarantee={guarantee:?} scripts={each} steps={steps} \
             handled={handled} commits={commits} answers={answers} broken=0"
        );
    }
}
