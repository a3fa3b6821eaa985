//! What cannot be rebuilt, and what is only told.

use crate::common::Place;
use crate::common::process;
use crate::scene::{DECLARED, State, assert_same, events, ran, rebuild, rebuilt, schema};

#[test]
fn standard_input_is_not_read_again() {
    let place = Place::with(DECLARED);
    let run = &mut place.run_from("-", &["--once"]);
    let ended = process::ended_with_input(run, events(0..100).as_bytes());
    assert_eq!(ended.code, 0, "{ended:?}");
    let before = State::of(&place);
    for arguments in [
        &["baskets"][..],
        &["baskets", "--from", "-"],
        &["--in-place"],
    ] {
        let refused = process::ended(&mut rebuild(&place, arguments));
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains("--from FILE"), "{refused:?}");
    }
    assert_same(&State::of(&place), &before, "");
    // With all events in a file it can be.
    place.append(events(0..100));
    let events = place.events().display().to_string();
    rebuilt(&place, &["--from", &events]);
    assert_eq!(State::of(&place).rows, before.rows);
}

#[test]
fn a_name_that_is_not_declared_is_told_with_those_that_are() {
    let place = ran(10);
    let refused = process::ended(&mut rebuild(&place, &["basket"]));
    assert_eq!(refused.code, 2, "{refused:?}");
    for word in ["`basket`", "baskets", "skus"] {
        assert!(refused.stderr.contains(word), "{word}: {refused:?}");
    }
}

#[test]
fn a_dry_run_changes_nothing() {
    let place = ran(100);
    let (before, names) = (State::of(&place), schema(&place));
    let told = rebuilt(&place, &["--dry-run"]).stdout;
    assert!(told.contains("baskets: would be built anew"), "{told}");
    assert_eq!((State::of(&place), schema(&place)), (before, names));
}

#[test]
fn a_source_that_is_gone_is_told_and_what_is_in_use_stays() {
    let place = ran(100);
    let before = State::of(&place);
    std::fs::remove_file(place.events()).unwrap();
    let refused = process::ended(&mut rebuild(&place, &["baskets"]));
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("events.jsonl"), "{refused:?}");
    assert_same(&State::of(&place), &before, "");
}

#[test]
fn the_names_of_what_stands_beside_cannot_be_declared() {
    let declared = DECLARED.replace("  skus:", "  'projectionist:rebuild:skus':");
    let place = Place::with_events(&declared, events(0..10));
    let refused = place.ended(&[]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.stderr.contains("reserved"), "{refused:?}");
}
