//! A rebuild that is given up.

use crate::common::process;
use crate::scene::{State, assert_same, by_hand, killed, ran, rebuild, rebuilt, schema, traces};

#[test]
fn nothing_of_it_is_left() {
    let place = ran(30_000);
    // So that the tables of the store itself are those of this build.
    rebuilt(&place, &["--abort"]);
    let (before, names) = (State::of(&place), schema(&place));
    killed(&place, &["baskets"], 1);
    assert_ne!(schema(&place), names);
    assert_same(&State::of(&place), &before, "what is in use is as it was");
    rebuilt(&place, &["baskets", "--abort"]);
    assert_eq!(schema(&place), names);
    assert_eq!(traces(&place), [].into());
    assert_same(&State::of(&place), &before, "");
    let told = rebuilt(&place, &["baskets", "--abort"]).stdout;
    assert!(told.contains("nothing to do"), "{told}");
}

#[test]
fn what_stands_in_the_way_of_the_swap_is_told_and_changes_nothing() {
    let place = ran(600);
    by_hand(
        &place,
        "DROP TABLE acme__baskets; CREATE VIEW acme__baskets AS SELECT 1 AS one",
    );
    let before = State::of(&place);
    let refused = process::ended(&mut rebuild(&place, &["baskets"]));
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.stderr.contains("acme.baskets"), "{refused:?}");
    assert_same(&State::of(&place), &before, "");
    by_hand(&place, "DROP VIEW acme__baskets");
    rebuilt(&place, &["baskets"]);
    assert_eq!(traces(&place), [].into());
}
