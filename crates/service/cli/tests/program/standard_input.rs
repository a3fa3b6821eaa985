//! Events from standard input: a new stream each run, read to its end by every projection.

use std::io::Write;
use std::process::Stdio;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::common::process::ended_with_input;
use crate::common::{Ended, Place, Running, eventually};
use crate::{TWO, count, counted, event, visits};

fn run(place: &Place, input: impl AsRef<[u8]>) -> Ended {
    ended_with_input(
        &mut place.run_from("-", &["--format", "json"]),
        input.as_ref(),
    )
}

fn summary(place: &Place, input: impl AsRef<[u8]>) -> Value {
    let ended = run(place, input);
    assert_eq!(ended.code, 0, "{ended:?}");
    ended.last_line_as_json()
}

#[test]
fn every_projection_reads_the_whole_stream_and_a_second_run_is_a_new_one() {
    let place = Place::with(TWO);
    // More than the program holds for a slow projection.
    let padding = format!("{{\"padding\":\"{}\",", "x".repeat(2_000));
    let widened = |events: &str| -> String {
        let lines = events.lines();
        lines
            .map(|line| line.replacen('{', &padding, 1) + "\n")
            .collect()
    };
    let wide = widened(&(event("NAMED", 1) + &visits(2..=1500)));
    assert!(wide.len() > 2 << 20);
    let first = summary(&place, &wide);
    for name in ["names", "visits"] {
        assert_eq!(count(&first, name, "read"), 1500);
    }
    assert_eq!(counted(&place), 1499);
    let second = summary(&place, wide + &visits(1501..=1502));
    assert_eq!(count(&second, "visits", "read"), 3002);
    assert_eq!(count(&second, "visits", "stale"), 1499);
    assert_eq!(count(&second, "visits", "applied"), 1501);
    assert_eq!(count(&second, "names", "stale"), 1);
    assert_eq!(counted(&place), 1501);
}

#[test]
fn the_end_of_the_stream_ends_its_last_line() {
    let place = Place::with(TWO);
    let summary = summary(&place, visits(1..=2) + visits(3..=3).trim_end());
    assert_eq!(count(&summary, "visits", "applied"), 3);
    let place = Place::with(TWO);
    let ended = run(&place, visits(1..=2) + "{\"eventType\":");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.last_line_as_json()["source"]["malformed"], 1);
    assert_eq!(place.client().letters()[0].event, b"{\"eventType\":");
}

#[test]
fn an_empty_stream_is_no_failure() {
    let place = Place::with(TWO);
    assert_eq!(count(&summary(&place, ""), "visits", "read"), 0);
}

#[test]
fn a_stream_and_a_file_have_lanes_of_their_own() {
    let place = Place::with_events(TWO, visits(1..=3));
    place.run_once(&[]);
    let streamed = summary(&place, visits(2..=5));
    assert_eq!(count(&streamed, "visits", "read"), 4);
    assert_eq!(count(&streamed, "visits", "stale"), 2);
    assert_eq!(counted(&place), 5);
    let lanes = place.client().lanes();
    assert_eq!(lanes["visits"].counts["read"], 3);
    assert_eq!(lanes["visits/stdin"].counts["read"], 4);
}

#[test]
fn a_stream_that_goes_on_can_be_stopped() {
    let place = Place::with(TWO);
    let mut running = Running::start(
        place
            .run_from("-", &["--format", "json"])
            .stdin(Stdio::piped()),
    );
    let mut stdin = running.child.stdin.take().unwrap();
    stdin.write_all(visits(1..=3).as_bytes()).unwrap();
    eventually("the visits are counted", || {
        let client = crate::common::Client::open(&place.views())?;
        let lane = client.lanes().remove("visits/stdin")?;
        (lane.counts["applied"] == 3).then_some(())
    });
    let ended = running.stop(Signal::SIGINT);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(count(&ended.last_line_as_json(), "visits", "applied"), 3);
    drop(stdin);
}
