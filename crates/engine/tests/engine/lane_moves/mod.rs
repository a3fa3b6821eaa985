//! Lanes that are moved between three processes under load, of which some freeze and some are
//! killed: the guarantees hold, and a lane has one owner at a time.

mod ledger;
mod process;
mod world;

use crate::common::crash::lives;
use process::Guarantee;
use world::{Outcome, World};

fn play(guarantee: Guarantee, moves: usize, seed: u64) -> Outcome {
    println!("seed: {seed} (again: PROJECTIONIST_SEED={seed})");
    lives(async {
        let mut world = World::new(guarantee, seed);
        while world.moved() < moves {
            world.step().await;
        }
        world.finish().await
    })
}

#[test]
fn lanes_that_move_fifty_times_keep_both_guarantees() {
    let seed = crate::common::random::seed();
    for guarantee in [Guarantee::AtLeastOnce, Guarantee::GroupedExactlyOnce] {
        let outcome = play(guarantee, 50, seed);
        assert!(outcome.events > 100, "{outcome:?}");
    }
}

/// A thousand moves of lanes between processes that freeze and die; no guarantee breaks.
#[test]
#[ignore = "long: run by `cargo xtask soak`"]
fn soak_lane_moves() {
    let seed = crate::common::random::seed();
    for guarantee in [Guarantee::AtLeastOnce, Guarantee::GroupedExactlyOnce] {
        let Outcome {
            events,
            repeats,
            kills,
            freezes,
            overdue,
        } = play(guarantee, 1_000, seed);
        println!(
            "figure: lane_moves guarantee={guarantee:?} moves=1000 events={events} kills={kills} \
             freezes={freezes} overdue={overdue} repeated={repeats} broken=0"
        );
    }
}
