//! What was kept comes back as it was.

use crate::common::process;
use crate::scene::{
    DECLARED, State, assert_same, by_hand, events, fresh, ran, rebuild, rebuilt, traces,
};

#[test]
fn a_revert_restores_rows_offset_counters_letters_and_guard() {
    let place = ran(1_200);
    by_hand(&place, "UPDATE baskets SET lines = 77");
    let before = State::of(&place);
    rebuilt(&place, &["baskets", "--keep"]);
    let after = State::of(&place);
    assert_same(&after, &fresh(&place, DECLARED), "");
    rebuilt(&place, &["baskets", "--revert"]);
    assert_same(&State::of(&place), &before, "");
    // And back again: what was in use is the kept one now.
    rebuilt(&place, &["baskets", "--revert"]);
    assert_same(&State::of(&place), &after, "");
}

#[test]
fn after_a_revert_the_events_that_came_since_are_read() {
    let place = ran(1_200);
    rebuilt(&place, &["--keep"]);
    place.append(events(1_200..1_500));
    place.run_once(&[]);
    let all = fresh(&place, DECLARED);
    assert_same(&State::of(&place), &all, "");
    rebuilt(&place, &["--revert"]);
    assert_ne!(State::of(&place), all);
    place.run_once(&[]);
    assert_same(&State::of(&place), &all, "");
}

#[test]
fn a_rebuild_that_keeps_nothing_drops_what_an_earlier_one_has_kept() {
    let place = ran(600);
    rebuilt(&place, &["--keep"]);
    rebuilt(&place, &[]);
    let refused = process::ended(&mut rebuild(&place, &["--revert"]));
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("--keep"), "{refused:?}");
    let kept = place.client().table_names().into_iter();
    let kept: Vec<String> = kept.filter(|name| name.contains("kept")).collect();
    assert_eq!(kept, [""; 0]);
    assert_eq!(traces(&place), [].into());
}
