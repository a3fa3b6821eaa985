//! `offset get | set | clear`: with an owner that lives and without one; what is unsafe is refused.

use serde_json::{Value, json};

use crate::common::Place;
use crate::common::process::ended_with_input;
use crate::desk::{
    SUMS, UNGUARDED, followed, has_read, lane, ones, open_requests, stopped, tell, told, total,
};

/// The offset of the lane, as the command tells it.
fn offset(place: &Place) -> String {
    let got = tell(place, &["offset", "get", "sums"]);
    assert_eq!((got.code, got.stderr.as_str()), (0, ""), "{got:?}");
    got.stdout.trim_end().to_owned()
}

/// What a refused command says on standard error.
fn refused(place: &Place, words: &[&str]) -> String {
    let ended = tell(place, words);
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{ended:?}");
    ended.stderr
}

#[test]
fn a_living_owner_moves_back_and_the_guard_keeps_the_rows() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &[]);
    let before = offset(&place);
    assert_eq!(json!(before), lane(&place)["offset"]);
    let moved = told(&place, &["offset", "clear", "sums", "--expect", &before]);
    assert_eq!(moved["outcome"], "moved");
    assert_eq!(
        (&moved["offset_before"], &moved["offset_after"]),
        (&json!(before), &Value::Null)
    );
    let detail = moved["detail"].as_str().unwrap();
    for words in [
        "line(s) 1 to 3 are read again",
        "count as stale",
        "`rebuild`",
    ] {
        assert!(detail.contains(words), "{words}: {detail}");
    }
    has_read(&place, 6);
    assert_eq!((total(&place), offset(&place)), (3, before));
    assert_eq!(lane(&place)["counters"]["stale"], 3);
    stopped(run);
}

#[test]
fn a_lane_that_nobody_runs_is_moved_at_once_and_the_next_run_obeys() {
    let place = Place::with_events(SUMS, ones(1..=2));
    place.run_once(&[]);
    let earlier = offset(&place);
    place.append(ones(3..=5));
    place.run_once(&[]);
    let later = offset(&place);
    let back = told(&place, &["offset", "set", "sums", &earlier]);
    let detail = back["detail"].as_str().unwrap();
    assert!(detail.contains("line(s) 3 to 5 are read again"), "{detail}");
    assert_eq!(offset(&place), earlier);
    // Forward again: what is passed over is said.
    let on = told(&place, &["offset", "set", "sums", &later]);
    let detail = on["detail"].as_str().unwrap();
    assert!(
        detail.contains("line(s) 3 to 5 are passed over"),
        "{detail}"
    );
    told(&place, &["offset", "clear", "sums"]);
    assert_eq!(offset(&place), "none");
    place.run_once(&[]);
    assert_eq!(
        (total(&place), lane(&place)["counters"]["stale"].clone()),
        (5, json!(5))
    );
}

#[test]
fn without_numbers_it_is_said_that_events_count_twice() {
    let place = Place::with_events(UNGUARDED, ones(1..=2));
    place.run_once(&[]);
    let moved = told(&place, &["offset", "clear", "sums"]);
    let detail = moved["detail"].as_str().unwrap();
    assert!(detail.contains("increments count twice"), "{detail}");
    place.run_once(&[]);
    assert_eq!(total(&place), 4);
}

#[test]
fn what_is_unsafe_is_refused_with_the_reason_and_changes_nothing() {
    let place = Place::with_events(SUMS, ones(1..=2));
    place.run_once(&[]);
    let before = (offset(&place), lane(&place)["epoch"].clone());
    let stored = before.0.as_str();
    for (words, reason) in [
        (
            &["offset", "set", "sums", "12"][..],
            "it must be BYTE:LINE:LENGTH-HASH",
        ),
        (
            &["offset", "set", "sums", stored, "--manifest", "stream"],
            "the lane's source writes `file`",
        ),
        (
            &["offset", "clear", "sums", "--expect", "none"],
            "not `none`: nothing was changed",
        ),
        (
            &["offset", "clear", "sums", "--expect", "1:1:0-x"],
            "the lane holds",
        ),
    ] {
        for dry_run in [false, true] {
            let dry_run = if dry_run { &["--dry-run"][..] } else { &[] };
            // A dry run tells the refusal too, and that it is one.
            let ended = tell(&place, &[words, dry_run].concat());
            assert_eq!(ended.code, 1, "{ended:?}");
            assert!(ended.stderr.contains(reason), "{reason}: {ended:?}");
        }
    }
    assert_eq!((offset(&place), lane(&place)["epoch"].clone()), before);
    let unknown = tell(&place, &["offset", "clear", "sms"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(
        unknown.stderr.contains("did you mean `sums`?"),
        "{unknown:?}"
    );
}

#[test]
fn a_stream_that_is_read_once_is_not_moved() {
    let place = Place::with(SUMS);
    let mut run = place.run_from("-", &[]);
    let ended = ended_with_input(&mut run, ones(1..=2).as_bytes());
    assert_eq!(ended.code, 0, "{ended:?}");
    let reason = refused(&place, &["offset", "clear", "sums"]);
    assert!(reason.contains("never resumed"), "{reason}");
}

#[test]
fn a_dry_run_tells_what_would_be_read_again_and_changes_nothing() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &[]);
    let before = (offset(&place), lane(&place)["epoch"].clone());
    let would = tell(&place, &["offset", "clear", "sums", "--dry-run"]);
    assert_eq!((would.code, would.stderr.as_str()), (0, ""), "{would:?}");
    for words in [
        "sums/all: would move",
        &run.label(),
        "line(s) 1 to 3 are read again",
        "nothing is applied twice",
        "a dry run: nothing was changed",
    ] {
        assert!(would.stdout.contains(words), "{words}: {would:?}");
    }
    assert_eq!((offset(&place), lane(&place)["epoch"].clone()), before);
    assert_eq!(open_requests(&place), 0);
    stopped(run);
}

#[test]
fn several_lanes_are_told_apart_by_their_keys() {
    let place = Place::with_events(SUMS, ones(1..=2));
    place.run_once(&[]);
    let mut run = place.run_from("-", &[]);
    ended_with_input(&mut run, ones(3..=3).as_bytes());
    let which = tell(&place, &["offset", "clear", "sums"]);
    assert_eq!(which.code, 2, "{which:?}");
    assert!(which.stderr.contains("--key: all, stdin"), "{which:?}");
    let got = tell(&place, &["offset", "get", "sums"]);
    let lines: Vec<&str> = got.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{got:?}");
    assert!(
        lines[0].starts_with("sums/all ") && lines[1].starts_with("sums/stdin "),
        "{got:?}"
    );
    told(&place, &["offset", "clear", "sums", "--key", "all"]);
}
