//! `status`: where every projection stands, and whether its owner lives.

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::common::process::{command, ended};
use crate::common::{Ended, Place, Running, eventually};
use crate::{TWO, counted, visits};

fn as_text(place: &Place) -> Ended {
    ended(command().args(["status", "--store", &place.target()]))
}

/// What `status` says of the projection `visits`.
fn visits_of(place: &Place) -> Value {
    let status = place.status();
    assert_eq!((status.code, status.stderr.as_str()), (0, ""), "{status:?}");
    let projections = &status.last_line_as_json()["projections"];
    let lanes = projections["visits"].as_array().unwrap();
    assert_eq!(lanes.len(), 1, "{lanes:?}");
    lanes[0].clone()
}

fn followed(place: &Place, more: &[&str]) -> Running {
    let run = place.follow(more);
    eventually("the visits are counted", || {
        let client = crate::common::Client::open(&place.views())?;
        let lanes = client.lanes();
        let done = |name: &str| lanes.get(name).is_some_and(|lane| lane.counts["read"] == 3);
        (done("visits") && done("names")).then_some(())
    });
    run
}

#[test]
fn a_living_owner_is_running_and_a_killed_one_is_told() {
    let place = Place::with_events(TWO, visits(1..=3));
    let run = followed(&place, &[]);
    let label = run.label();
    let lane = eventually("it is idle", || {
        let lane = visits_of(&place);
        (lane["state"] == "idle").then_some(lane)
    });
    assert_eq!(lane["owner"]["label"], label);
    assert_eq!((&lane["key"], &lane["epoch"]), (&json!("all"), &json!(1)));
    assert_eq!(lane["counters"]["applied"], 3);
    assert_eq!(lane["counters"]["pending"], 0);
    assert_eq!(lane["manifest"], "file");
    let offset = lane["offset"].as_str().unwrap();
    let length = std::fs::metadata(place.events()).unwrap().len();
    assert!(offset.starts_with(&format!("{length}:3:")), "{offset}");
    let text = as_text(&place);
    let line = text.stdout.lines().find(|line| line.starts_with("visits"));
    let line = line.unwrap_or_else(|| panic!("{text:?}"));
    assert!(line.contains("idle"), "{text:?}");
    run.kill();
    let dead = visits_of(&place);
    assert_eq!(dead["state"], "stopped (died)");
    assert!(
        dead["reason"]
            .as_str()
            .unwrap()
            .starts_with(&format!("{label} died"))
    );
    assert!(as_text(&place).stdout.contains(&format!("{label} died")));
    // Looking took nothing over and changed nothing.
    assert_eq!(visits_of(&place)["epoch"], 1);
    assert_eq!(counted(&place), 3);
}

#[test]
fn an_owner_that_stopped_is_told() {
    let place = Place::with_events(TWO, visits(1..=3));
    let ended = followed(&place, &[]).stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(visits_of(&place)["state"], "stopped");
}

#[test]
fn an_owner_that_is_silent_for_too_long_is_told() {
    let place = Place::with_events(TWO, visits(1..=3));
    let run = followed(&place, &["--claim-ttl", "1"]);
    let silent = format!("{} has not renewed its claim", run.label());
    run.send(Signal::SIGSTOP);
    eventually("the owner is told to be silent", || {
        let lane = visits_of(&place);
        let reason = lane["reason"].as_str().unwrap();
        (lane["state"] == "silent" && reason.starts_with(&silent)).then_some(())
    });
    run.send(Signal::SIGCONT);
    let ended = run.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn a_target_that_nothing_has_run_into_is_told_and_not_made() {
    let place = Place::with(TWO);
    for status in [place.status(), as_text(&place)] {
        assert_eq!((status.code, status.stdout.as_str()), (1, ""), "{status:?}");
        assert!(
            status.stderr.contains("there is no such file"),
            "{status:?}"
        );
    }
    assert!(!place.views().exists());
    let other = rusqlite::Connection::open(place.views()).unwrap();
    other.execute_batch("CREATE TABLE precious (x)").unwrap();
    let status = place.status();
    assert_eq!(status.code, 1, "{status:?}");
    assert!(
        status.stderr.contains("no projection has run into it"),
        "{status:?}"
    );
    assert_eq!(place.client().table_names().len(), 1);
    other
        .execute_batch("DROP TABLE precious; CREATE TABLE visits (x)")
        .unwrap();
    // A run that is refused leaves no lane.
    std::fs::write(place.events(), visits(1..=1)).unwrap();
    assert_eq!(place.ended(&[]).code, 4);
    let status = as_text(&place);
    assert_eq!(status.code, 0, "{status:?}");
    assert_eq!(status.stdout, "no projection has run into this target\n");
    assert_eq!(place.status().last_line_as_json()["projections"], json!({}));
}
