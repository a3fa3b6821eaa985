//! A rebuild that empties the tables in use.

use nix::sys::signal::Signal;

use crate::common::eventually;
use crate::scene::{State, assert_same, by_hand, ran, rebuilt, traces};

const WRONG: &str = "UPDATE baskets SET lines = 77; DELETE FROM projectionist_dead_letters;
                     UPDATE projectionist_guard SET sequence = 1000";

#[test]
fn without_an_owner_the_command_reads_all_events_again() {
    let place = ran(1_200);
    let right = State::of(&place);
    by_hand(&place, WRONG);
    let told = rebuilt(&place, &["--in-place"]).stdout;
    assert!(told.contains("1200 event(s) read again"), "{told}");
    assert_same(&State::of(&place), &right, "");
    assert_eq!(traces(&place), [].into());
}

#[test]
fn an_owner_reads_them_again_itself() {
    let place = ran(1_200);
    let right = State::of(&place);
    let live = place.follow(&[]);
    eventually("the run has its lanes", || {
        let lanes = place.client().lanes();
        lanes.values().all(|lane| lane.is_held).then_some(())
    });
    by_hand(&place, WRONG);
    let told = rebuilt(&place, &["--in-place"]).stdout;
    assert!(told.contains(&live.label()), "{told}");
    eventually("the tables are right", || {
        (State::of(&place) == right).then_some(())
    });
    let ended = live.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_same(&State::of(&place), &right, "");
}
