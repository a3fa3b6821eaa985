//! Random scripts against a naive model: whatever happens, in whatever order, the guarantee holds
//! after every step.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers included"
)]

#[path = "../common/mod.rs"]
mod common;
mod oracle;
mod script;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use common::crash::lives;
use script::Script;
use world::{Guarantee, World};

/// What some scripts came to.
#[derive(Debug, Default)]
struct Totals {
    steps: usize,
    events: usize,
    repeats: usize,
    failures: usize,
}

/// Plays so many scripts for one guarantee.
fn play(guarantee: Guarantee, scripts: u64, seed: u64) -> Totals {
    println!("seed: {seed} (again: PROJECTIONIST_SEED={seed})");
    let mut totals = Totals::default();
    for number in 0..scripts {
        let seed = seed.wrapping_add(number);
        let script = Script::drawn(guarantee, seed);
        let played = catch_unwind(AssertUnwindSafe(|| {
            lives(async {
                let mut world = World::new(guarantee, &script);
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
                totals.events += outcome.events;
                totals.repeats += outcome.repeats;
                totals.failures += outcome.failures;
            }
            Err(panic) => {
                println!("seed {seed} is the one that fails; its script: {script:#?}");
                resume_unwind(panic);
            }
        }
    }
    totals
}

/// Panics that scripts ask for are no news; those of assertions are told once more at the end.
fn quietly<T>(run: impl FnOnce() -> T) -> T {
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or_default();
        if !text.starts_with("panic ") && !text.starts_with("the store panics") {
            told(info);
        }
    }));
    run()
}

#[test]
fn random_scripts_keep_both_guarantees() {
    quietly(|| {
        let seed = common::random::seed();
        play(Guarantee::AtLeastOnce, 150, seed);
        play(Guarantee::GroupedExactlyOnce, 150, seed);
    });
}

/// Twenty thousand random scripts of faults, stops and steals; none breaks a guarantee.
#[test]
#[ignore = "long: run by `cargo xtask soak`"]
fn soak_engine_model() {
    quietly(|| {
        let seed = common::random::seed();
        for guarantee in [Guarantee::AtLeastOnce, Guarantee::GroupedExactlyOnce] {
            let Totals {
                steps,
                events,
                repeats,
                failures,
            } = play(guarantee, 10_000, seed);
            println!(
                "figure: engine_model guarantee={guarantee:?} scripts=10000 steps={steps} \
                 events={events} failed_runs={failures} repeated={repeats} broken=0"
            );
        }
    });
}
