//! `status --watch`: again and again, until a condition holds or nobody reads any more.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use nix::sys::signal::Signal;

use crate::common::process::command;
use crate::common::{Place, Running, eventually};
use crate::desk::{SUMS, becomes, followed, ones, tell};

#[test]
fn it_prints_again_and_ends_when_a_condition_holds() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &[]);
    becomes(&place, "idle");
    let mut watch = command();
    watch.args(["status", "--store", &place.target(), "--format", "json"]);
    watch.args(["--watch", "0.1", "--fail-if", "paused"]);
    let watch = Running::start(&mut watch);
    assert_eq!(tell(&place, &["pause", "sums"]).code, 0);
    let ended = watch.end();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.starts_with("sums/all: paused"), "{ended:?}");
    // Every line is an object of its own.
    for line in ended.stdout.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    assert_eq!(run.stop(Signal::SIGTERM).code, 0);
}

#[test]
fn it_ends_when_nobody_reads_any_more() {
    let place = Place::with_events(SUMS, ones(1..=3));
    place.run_once(&[]);
    let mut watch = command();
    watch.args(["status", "--store", &place.target(), "--watch", "0.1"]);
    let mut watch = watch.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    // Two tables, with an empty line between them, and nothing that a terminal obeys.
    let seen: Vec<String> = lines.by_ref().take(5).map(Result::unwrap).collect();
    assert_eq!((&seen[0], &seen[1]), (&seen[3], &seen[4]), "{seen:?}");
    assert_eq!(seen[2], "", "{seen:?}");
    assert!(!seen.concat().contains('\u{1b}'), "{seen:?}");
    drop(lines);
    let ended = eventually("it ends", || watch.try_wait().unwrap());
    assert_eq!(ended.code(), Some(0));
}
