//! Commands to an owner that is frozen or dies, and commands that die themselves.

use nix::sys::signal::Signal;

use crate::common::process::command;
use crate::common::{Place, Running, eventually};
use crate::desk::{
    SUMS, becomes, followed, has_read, lane, ones, open_requests, stopped, suspend, tell, total,
};

/// Starts a command, and waits until its request stands in the store.
fn asking(place: &Place, words: &[&str]) -> Running {
    let mut asking = command();
    asking.args(words).args(["--store", &place.target()]);
    let asking = Running::start(&mut asking);
    eventually("the request is there", || {
        (open_requests(place) == 1).then_some(())
    });
    asking
}

#[test]
fn a_frozen_owner_is_named_and_what_was_asked_is_taken_back() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &["--claim-ttl", "600"]);
    becomes(&place, "idle");
    suspend(&place, &run);
    let before = lane(&place)["offset"].clone();
    let held = tell(&place, &["offset", "clear", "sums", "--wait", "0.5"]);
    assert_eq!((held.code, held.stdout.as_str()), (1, ""), "{held:?}");
    for words in [
        run.label().as_str(),
        "holds it until 2",
        "is silent",
        "is taken back",
    ] {
        assert!(held.stderr.contains(words), "{words}: {held:?}");
    }
    assert_eq!(open_requests(&place), 0);
    run.send(Signal::SIGCONT);
    becomes(&place, "idle");
    place.append(ones(4..=4));
    has_read(&place, 4);
    assert_ne!(lane(&place)["offset"], before);
    stopped(run);
}

#[test]
fn an_owner_whose_time_is_over_is_passed_by_and_fenced_when_it_wakes() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &["--claim-ttl", "1"]);
    becomes(&place, "idle");
    suspend(&place, &run);
    eventually("the claim is over", || {
        let lane = lane(&place);
        let reason = lane["reason"].as_str().unwrap();
        reason.contains("has not renewed its claim").then_some(())
    });
    let moved = tell(&place, &["offset", "clear", "sums", "--wait", "0.5"]);
    assert_eq!(moved.code, 0, "{moved:?}");
    run.send(Signal::SIGCONT);
    // It meets the new epoch, takes the lane anew, and reads again.
    has_read(&place, 6);
    assert_eq!(total(&place), 3);
    becomes(&place, "idle");
    stopped(run);
}

#[test]
fn an_owner_that_is_killed_over_a_request_is_not_waited_for() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &["--claim-ttl", "600"]);
    becomes(&place, "idle");
    suspend(&place, &run);
    let asking = asking(&place, &["offset", "clear", "sums", "--wait", "600"]);
    run.kill();
    let moved = asking.end();
    assert_eq!((moved.code, moved.stderr.as_str()), (0, ""), "{moved:?}");
    assert_eq!((open_requests(&place), total(&place)), (0, 3));
    assert_eq!(lane(&place)["offset"], serde_json::Value::Null);
    place.run_once(&[]);
    assert_eq!(total(&place), 3);
}

#[test]
fn a_command_that_is_killed_before_its_answer_is_obeyed_once() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &["--claim-ttl", "600"]);
    becomes(&place, "idle");
    suspend(&place, &run);
    let asking = asking(&place, &["offset", "clear", "sums", "--wait", "600"]);
    asking.kill();
    let lane_before = lane(&place);
    let command = lane_before["requests"][0]["command"].as_str().unwrap();
    assert_eq!(command, "clear", "status tells what waits for an answer");
    run.send(Signal::SIGCONT);
    has_read(&place, 6);
    assert_eq!((open_requests(&place), total(&place)), (0, 3));
    becomes(&place, "idle");
    assert_eq!(lane(&place)["counters"]["stale"], 3);
    stopped(run);
}
