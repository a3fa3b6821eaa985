//! What a rebuild beside the tables in use leaves.

use std::fs;

use crate::common::Place;
use crate::common::client::assert_same_tables;
use crate::common::events::{Events, file_of};
use crate::common::oracle::Oracle;
use crate::common::random;
use crate::common::world::PROJECTIONS;
use crate::scene::{DECLARED, State, assert_same, by_hand, events, fresh, ran, rebuilt, traces};

#[test]
fn every_projection_of_a_target_becomes_what_its_events_give() {
    let seed = random::seed();
    let lines = Events::seeded(seed, 30).lines(3_000);
    let place = Place::with_events(PROJECTIONS, file_of(&lines));
    place.run_once(&[]);
    let ran = State::of(&place);
    rebuilt(&place, &[]);
    assert_same(&State::of(&place), &ran, "");
    assert_same_tables(&place.client().tables(), &Oracle::of(&lines).tables());
    assert_eq!(traces(&place), [].into());
    // And once more, with what the first one has left.
    rebuilt(&place, &["--keep"]);
    rebuilt(&place, &[]);
    assert_same(&State::of(&place), &ran, "");
    assert_eq!(traces(&place), [].into());
}

#[test]
fn what_was_changed_by_hand_is_healed_and_told_by_key() {
    let place = ran(3_000);
    let right = State::of(&place);
    by_hand(
        &place,
        "UPDATE baskets SET lines = 77 WHERE basket_id = 'b-3';
         DELETE FROM acme__baskets WHERE basket_id = 'b-1';
         INSERT INTO globex__baskets (basket_id) VALUES ('b-x');
         DELETE FROM projectionist_dead_letters;
         UPDATE projectionist_guard SET sequence = 1000;
         UPDATE projectionist_lanes SET applied = 5",
    );
    assert_ne!(State::of(&place), right);
    let told = rebuilt(&place, &["baskets"]).stderr;
    for line in [
        "basket_id=b-3: other lines",
        "basket_id=b-1: only built anew",
        "basket_id=b-x: only in use",
        "1 of them differ",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    rebuilt(&place, &["skus"]);
    assert_same(&State::of(&place), &right, "");
}

#[test]
fn a_tenant_that_stands_on_one_side_only_goes_or_comes() {
    let place = ran(600);
    by_hand(
        &place,
        "DROP TABLE acme__baskets;
         CREATE TABLE nobody__baskets AS SELECT * FROM baskets",
    );
    let told = rebuilt(&place, &["baskets"]).stderr;
    assert!(told.contains("acme.baskets: missing in use"), "{told}");
    assert!(told.contains("nobody.baskets"), "{told}");
    let healed = State::of(&place);
    assert_eq!(healed.rows, fresh(&place, DECLARED).rows);
    assert!(healed.shapes.iter().all(|shape| !shape.contains("nobody")));
}

#[test]
fn what_others_have_made_stands_on_the_table_that_takes_the_place() {
    let place = ran(600);
    by_hand(
        &place,
        "CREATE INDEX by_quantity ON baskets (quantity) WHERE quantity > 5;
         CREATE TABLE seen (id TEXT);
         CREATE TRIGGER notice AFTER UPDATE ON baskets BEGIN INSERT INTO seen VALUES (new.basket_id); END;
         CREATE VIEW big AS SELECT basket_id FROM baskets WHERE quantity > 5",
    );
    let before = State::of(&place);
    for keep in [["baskets", "--keep"].as_slice(), &["baskets"]] {
        rebuilt(&place, keep);
        assert_same(&State::of(&place), &before, "");
    }
    place.append(events(600..700));
    place.run_once(&[]);
    let seen = place.client().rows("seen");
    assert!(!seen.is_empty(), "the trigger runs");
    assert!(!place.client().rows("big").is_empty(), "the view reads");
}

#[test]
fn events_that_follow_go_into_the_rebuilt_tables() {
    let place = ran(600);
    rebuilt(&place, &[]);
    place.append(events(600..900));
    place.run_once(&[]);
    assert_same(&State::of(&place), &fresh(&place, DECLARED), "");
}

#[test]
fn a_given_source_takes_the_place_of_the_first_one() {
    let place = ran(600);
    let moved = place.path("moved.jsonl");
    fs::write(&moved, events(0..700)).unwrap();
    fs::remove_file(place.events()).unwrap();
    rebuilt(&place, &["--from", moved.to_str().unwrap()]);
    fs::rename(&moved, place.events()).unwrap();
    assert_same(&State::of(&place), &fresh(&place, DECLARED), "");
    let client = place.client();
    let source: String = client
        .connection
        .query_row(
            "SELECT DISTINCT source FROM projectionist_declarations",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(source.ends_with("moved.jsonl"), "{source}");
}
