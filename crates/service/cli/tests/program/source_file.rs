//! The file of events: the one that was read before, or a refusal that names the choices.

use std::fs;

use crate::common::{Client, Ended, Place, Running, eventually};
use crate::{TWO, count, counted, event, visits};

/// The source is refused by every projection, and the target stays as it was.
fn assert_refused(place: &Place, ended: &Ended, words: &[&str]) {
    assert_eq!(ended.code, 1, "{ended:?}");
    for name in ["names", "visits"] {
        let failed = format!("projection {name} failed: cannot read ");
        let line = ended.stderr.lines().find(|line| line.starts_with(&failed));
        let line = line.unwrap_or_else(|| panic!("{name}: {ended:?}"));
        for word in words {
            assert!(line.contains(word), "{word}: {line}");
        }
    }
    assert_eq!(counted(place), 3);
    assert_eq!(place.client().lanes()["visits"].counts["read"], 3);
}

const CHOICES: [&str; 2] = ["put the old file back", "new target"];

#[test]
fn a_replaced_file_is_refused_with_the_choices() {
    let place = Place::with_events(TWO, visits(1..=3));
    place.run_once(&[]);
    let old = fs::read(place.events()).unwrap();
    fs::write(place.events(), visits(11..=19)).unwrap();
    assert_refused(
        &place,
        &place.ended(&[]),
        &["was replaced or rewritten", CHOICES[0], CHOICES[1]],
    );
    // The choices are real ones.
    let elsewhere = Place::with_events(TWO, visits(11..=19));
    assert_eq!(count(&elsewhere.run_once(&[]), "visits", "applied"), 9);
    fs::write(place.events(), old).unwrap();
    place.append(visits(4..=4));
    assert_eq!(count(&place.run_once(&[]), "visits", "applied"), 4);
}

#[test]
fn a_truncated_file_is_refused_with_the_choices() {
    let place = Place::with_events(TWO, visits(1..=3));
    place.run_once(&[]);
    fs::write(place.events(), visits(1..=2)).unwrap();
    assert_refused(
        &place,
        &place.ended(&[]),
        &["truncated", CHOICES[0], CHOICES[1]],
    );
    fs::write(place.events(), "").unwrap();
    assert_refused(
        &place,
        &place.ended(&[]),
        &["has 0 bytes", CHOICES[0], CHOICES[1]],
    );
}

#[test]
fn a_file_that_went_away_is_refused() {
    let place = Place::with_events(TWO, visits(1..=3));
    place.run_once(&[]);
    fs::remove_file(place.events()).unwrap();
    assert_refused(
        &place,
        &place.ended(&[]),
        &["there is no file", "check the path"],
    );
    fs::create_dir(place.events()).unwrap();
    assert_refused(&place, &place.ended(&[]), &["not a regular file"]);
}

fn followed(place: &Place) -> Running {
    let run = place.follow(&["--format", "json"]);
    eventually("both projections have read the file", || {
        let lanes = Client::open(&place.views())?.lanes();
        let done = |name: &str| lanes.get(name).is_some_and(|lane| lane.counts["read"] == 3);
        (done("names") && done("visits")).then_some(())
    });
    run
}

#[test]
fn a_file_that_is_replaced_or_cut_while_it_is_followed_is_refused() {
    type Change = fn(&Place);
    let changes: [(Change, &str); 3] = [
        (
            |place| {
                let other = place.path("other");
                fs::write(&other, visits(11..=19)).unwrap();
                fs::rename(other, place.events()).unwrap();
            },
            "was replaced by another file",
        ),
        (
            |place| fs::remove_file(place.events()).unwrap(),
            "was moved or deleted",
        ),
        (
            |place| fs::write(place.events(), event("NAMED", 1)).unwrap(),
            "truncated",
        ),
    ];
    for (change, words) in changes {
        let place = Place::with_events(TWO, visits(1..=3));
        let run = followed(&place);
        change(&place);
        assert_refused(&place, &run.end(), &[words, CHOICES[0], CHOICES[1]]);
    }
}
