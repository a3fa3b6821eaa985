//! `status` from another process: every state by its cause, what a script is told, and the width of
//! a terminal.

use std::fs;

use nix::sys::signal::Signal;
use serde_json::json;

use crate::common::Place;
use crate::common::process::{command, ended};
use crate::desk::{SUMS, added, becomes, followed, lane, ones, stopped, suspend, tell};

#[test]
fn what_ended_is_told_when_its_process_has_gone() {
    let place = Place::with_events(SUMS, ones(1..=3));
    place.run_once(&[]);
    let seen = lane(&place);
    assert_eq!(
        (&seen["state"], &seen["owner"]),
        (&json!("completed"), &json!(null))
    );
    assert_eq!(
        (&seen["lag_events"], &seen["lag_seconds"]),
        (&json!(0), &json!(0.0))
    );
    let run = followed(&place, 3, &[]);
    becomes(&place, "idle");
    stopped(run);
    let seen = lane(&place);
    assert_eq!(
        (&seen["state"], &seen["reason"]),
        (&json!("stopped"), &json!("stopped"))
    );
    // Another file in the place of this one ends the projection.
    fs::write(place.events(), added(9, 9)).unwrap();
    let failed = place.ended(&[]);
    assert_eq!(failed.code, 1, "{failed:?}");
    let seen = lane(&place);
    assert_eq!(
        (&seen["state"], &seen["owner"]),
        (&json!("failed"), &json!(null))
    );
    let error = seen["last_error"]["text"].as_str().unwrap();
    assert!(failed.stderr.contains(error), "{error}: {failed:?}");
    assert!(seen["reason"].as_str().unwrap().contains(error), "{seen}");
    let text = tell(&place, &["status"]);
    assert!(text.stdout.contains("failed"), "{text:?}");
}

#[test]
fn what_lives_is_told_with_its_owner() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &[]);
    let seen = becomes(&place, "idle");
    let owner = &seen["owner"];
    assert_eq!(
        (&owner["label"], &owner["liveness"]),
        (&json!(run.label()), &json!("alive"))
    );
    assert_eq!((&seen["epoch"], &seen["restarts"]), (&json!(1), &json!(0)));
    // Another run stands by: the owner is who it was.
    let second = place.follow(&[]);
    second.says(&["standing by", &run.label()]);
    let seen = lane(&place);
    assert_eq!(
        (&seen["state"], &seen["owner"]["label"]),
        (&json!("idle"), &json!(run.label()))
    );
    stopped(second);
    suspend(&place, &run);
    let seen = lane(&place);
    assert_eq!(
        (&seen["state"], &seen["owner"]["liveness"]),
        (&json!("silent"), &json!("silent"))
    );
    assert!(
        seen["reason"]
            .as_str()
            .unwrap()
            .contains("waiting for events"),
        "{seen}"
    );
    run.send(Signal::SIGCONT);
    becomes(&place, "idle");
    let label = run.label();
    run.kill();
    let seen = lane(&place);
    assert_eq!(
        (&seen["state"], &seen["owner"]["liveness"]),
        (&json!("stopped (died)"), &json!("dead"))
    );
    assert_eq!(seen["owner"]["label"], json!(label));
    assert_eq!(seen["said"], "idle");
}

/// The file cannot be read for a while: the run fails and is tried again.
#[test]
fn a_run_that_is_tried_again_is_told_with_its_error() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &[]);
    becomes(&place, "idle");
    let lock = rusqlite::Connection::open(place.views()).unwrap();
    // The table goes away under the projection: its events fail until it is back.
    lock.busy_timeout(crate::common::wait::AT_MOST).unwrap();
    lock.execute_batch(
        "CREATE TRIGGER refuses BEFORE UPDATE ON sums BEGIN SELECT RAISE(ABORT, 'not now'); END",
    )
    .unwrap();
    place.append(ones(4..=4));
    let seen = becomes(&place, "retrying");
    let error = seen["last_error"]["text"].as_str().unwrap();
    assert!(error.contains("not now"), "{seen}");
    assert!(seen["failing"]["attempts"].as_u64().unwrap() >= 1, "{seen}");
    let text = tell(&place, &["status"]);
    assert!(text.stdout.contains("not now"), "{text:?}");
    let stalled = tell(&place, &["status", "--fail-if", "stalled"]);
    assert_eq!(stalled.code, 1, "{stalled:?}");
    assert!(
        stalled.stderr.starts_with("sums/all: retrying: "),
        "{stalled:?}"
    );
    lock.execute_batch("DROP TRIGGER refuses").unwrap();
    becomes(&place, "idle");
    stopped(run);
}

#[test]
fn what_is_declared_and_what_is_declared_no_more_is_told() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let file = place.projections().display().to_string();
    let deployed = ended(command().args(["deploy", &file, "--into", &place.target()]));
    assert_eq!(deployed.code, 0, "{deployed:?}");
    let seen = lane(&place);
    assert_eq!(
        (&seen["state"], &seen["key"]),
        (&json!("not started"), &json!(null))
    );
    let refused = tell(&place, &["offset", "clear", "sums"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("has not run"), "{refused:?}");
}

#[test]
fn a_script_is_told_by_the_exit_code_and_which_projection_it_is() {
    let place = Place::with_events(SUMS, format!("{}{}", ones(1..=3), added(4, 1)));
    let mut lines = fs::read_to_string(place.events()).unwrap();
    lines.push_str("{\"eventType\":\"ADDED\",\"entityId\":\"ada\",\"sequenceNumber\":5,\"payload\":{\"amount\":\"x\"}}\n");
    fs::write(place.events(), lines).unwrap();
    fs::write(place.projections(), SUMS.replace("1000", "0")).unwrap();
    place.run_once(&[]);
    let asked = |condition: &str| tell(&place, &["status", "--fail-if", condition]);
    for fine in [
        "failed",
        "stalled",
        "paused",
        "stopped",
        "lag-events>0",
        "lag-seconds>0",
    ] {
        let ended = asked(fine);
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (0, ""),
            "{fine}: {ended:?}"
        );
    }
    let met = asked("failed,dead-letters");
    assert_eq!(
        (met.code, met.stderr.as_str()),
        (1, "sums/all: 1 dead letter(s)\n")
    );
    assert!(
        met.stdout.contains("completed"),
        "the table is printed too: {met:?}"
    );
    assert_eq!(tell(&place, &["pause", "sums"]).code, 0);
    assert_eq!(
        asked("paused").stderr,
        "sums/all: paused; it is completed\n"
    );
    let wrong = asked("broken");
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("lag-events>N"), "{wrong:?}");
}

#[test]
fn the_table_fits_a_terminal_and_a_name_asks_for_everything() {
    let name = "a_projection_with_a_name_that_is_as_long_as_it_is_allowed_to_be";
    let projections = SUMS.replace("  sums:", &format!("  {name}:"));
    let place = Place::with_events(&projections, ones(1..=3));
    place.run_once(&[]);
    tell(&place, &["pause", name]);
    for words in [&["status"][..], &["status", name]] {
        let text = tell(&place, words);
        assert_eq!((text.code, text.stderr.as_str()), (0, ""), "{text:?}");
        for line in text.stdout.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    let text = tell(&place, &["status", name]);
    for words in ["offset: ", "events: 3 read, 3 applied", "epoch 1"] {
        assert!(text.stdout.contains(words), "{words}: {text:?}");
    }
    let unknown = tell(&place, &["status", "sums"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.stderr.contains(name), "{unknown:?}");
}
