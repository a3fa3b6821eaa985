//! What the program does when a stream cannot be written or read, when its tables are gone, and
//! when one event would take all memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::fs::{self, File, OpenOptions};
use std::process::{Command, Stdio};

use common::process::{command, ended};
use common::{Ended, Place, eventually};
use rusqlite::Connection;
use serde_json::json;

const VISITS: &str = r#"
projections:
  visits:
    source_events: [VISITED, LEFT]
    target: { table: visits, primary_key: [id] }
    fields: { id: TEXT, visits: BIGINT }
    derive: { id: event.entityId }
    mutations: { VISITED: { op: increment, by: { visits: 1 } }, LEFT: { op: delete } }
"#;

fn event(event_type: &str, number: u64) -> String {
    let event = json!({
        "eventType": event_type, "entityId": "ada", "sequenceNumber": number, "payload": {},
    });
    format!("{event}\n")
}

/// Every command, with everything that it can print, over a place that has run before.
fn printing(place: &Place) -> Vec<Command> {
    let with = |words: &[&str], format: &str| {
        let mut command = command();
        command.args(words).args(["--format", format]);
        command
    };
    let file = place.projections().display().to_string();
    let target = place.target();
    let mut all = Vec::new();
    for format in ["text", "json"] {
        all.push(with(&["check", &file], format));
        for words in [
            &["status"][..],
            &["status", "visits"],
            &["pause", "visits"],
            &["resume", "visits"],
            &["offset", "get", "visits"],
            &["offset", "clear", "visits", "--dry-run"],
        ] {
            all.push(with(&[words, &["--store", &target]].concat(), format));
        }
        all.push(place.run(&["--once", "--format", format]));
        all.push(place.run(&["--once", "--show", "--format", format]));
    }
    all
}

/// Runs a command to its end with these as its output streams.
fn exit_code(command: &mut Command, stdout: Stdio, stderr: Stdio) -> Option<i32> {
    let mut child = command.stdout(stdout).stderr(stderr).spawn().unwrap();
    eventually("it ends", || child.try_wait().unwrap()).code()
}

/// A stream that is full.
fn full() -> Stdio {
    let full = OpenOptions::new().write(true).open("/dev/full");
    full.unwrap().into()
}

/// A stream whose reader has gone.
fn without_reader() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn place_that_has_run() -> Place {
    let place = Place::with_events(VISITS, event("VISITED", 1));
    place.run_once(&[]);
    place
}

#[test]
fn a_full_output_is_a_failure_that_is_told() {
    let place = place_that_has_run();
    for mut command in printing(&place) {
        let said = place.path("said");
        let stderr = File::create(&said).unwrap();
        let code = exit_code(&mut command, full(), stderr.into());
        let said = fs::read_to_string(said).unwrap();
        assert_eq!(code, Some(1), "{command:?}: {said}");
        assert!(said.contains("cannot write to standard output"), "{said}");
        assert!(said.contains("No space left"), "{said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let place = place_that_has_run();
    for mut command in printing(&place) {
        let said = place.path("said");
        let stderr = File::create(&said).unwrap();
        let code = exit_code(&mut command, without_reader(), stderr.into());
        let said = fs::read_to_string(said).unwrap();
        assert_eq!(code, Some(0), "{command:?}: {said}");
        assert!(!said.contains("rror"), "{command:?}: {said}");
    }
}

#[test]
fn nobody_who_hears_is_no_panic() {
    let place = place_that_has_run();
    for stderr in [full, without_reader] {
        for mut command in printing(&place) {
            command.env("PROJECTIONIST_LOG", "debug");
            assert_eq!(
                exit_code(&mut command, Stdio::null(), stderr()),
                Some(0),
                "{command:?}"
            );
        }
        let mut ignored_start = place.run(&["--once", "--start", "latest"]);
        assert_eq!(
            exit_code(&mut ignored_start, Stdio::null(), stderr()),
            Some(0)
        );
        let mut failed = place.run(&["--once", "--only", "unknown"]);
        assert_eq!(exit_code(&mut failed, Stdio::null(), stderr()), Some(2));
    }
}

#[test]
fn faults_keep_their_exit_code_when_they_cannot_be_printed() {
    let place = Place::with("projections: {}\n");
    let mut check = command();
    check.arg("check").arg(place.projections());
    check.args(["--format", "json"]);
    assert_eq!(exit_code(&mut check, full(), Stdio::null()), Some(3));
}

#[test]
fn standard_input_that_cannot_be_read_fails_behind_the_summary() {
    let place = Place::with(VISITS);
    let mut run = place.run_from("-", &["--format", "json"]);
    let folder = File::open(place.path("")).unwrap();
    let ended = ended(run.stdin(folder));
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(ended.last_line_as_json()["source"]["read"], 0);
    let said = "cannot read standard input any further: Is a directory";
    assert!(ended.stderr.contains(said), "{ended:?}");
}

fn assert_missing(ended: &Ended, table: &str, applied: u64) {
    assert_eq!(ended.code, 4, "{ended:?}");
    let applied = format!("applied {applied} event(s)");
    for words in ["nothing was done", "projection visits", table, &applied] {
        assert!(ended.stderr.contains(words), "{words}: {ended:?}");
    }
}

fn execute(place: &Place, sql: &str) {
    let connection = Connection::open(place.views()).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn a_table_that_was_renamed_in_the_file_does_not_begin_in_the_middle() {
    let place = place_that_has_run();
    place.append(event("VISITED", 2));
    let renamed = VISITS.replace("table: visits", "table: seen");
    fs::write(place.projections(), renamed).unwrap();
    let ended = place.ended(&[]);
    assert_eq!(ended.code, 4, "{ended:?}");
    for words in ["nothing was done", "projection visits", "`seen`", "middle"] {
        assert!(ended.stderr.contains(words), "{words}: {ended:?}");
    }
    assert!(!place.client().table_names().contains("seen"));
    assert_eq!(place.client().lanes()["visits"].counts["read"], 1);

    fs::write(place.projections(), VISITS).unwrap();
    place.run_once(&[]);
    assert_eq!(place.client().rows("visits")[0]["visits"], 2);
}

#[test]
fn a_table_that_was_dropped_does_not_begin_in_the_middle_whatever_the_source() {
    let place = place_that_has_run();
    execute(&place, "DROP TABLE visits");
    assert_missing(&place.ended(&[]), "table visits", 1);
    let stream = ended(&mut place.run_from("-", &["--format", "json"]));
    assert_missing(&stream, "table visits", 1);
}

#[test]
fn a_table_that_is_empty_or_of_a_tenant_only_is_there() {
    let deleted_only = Place::with_events(VISITS, event("LEFT", 1));
    let tenant = event("VISITED", 1).replacen('{', "{\"tenantSchema\":\"acme\",", 1);
    let tenant_only = Place::with_events(VISITS, tenant);
    for place in [deleted_only, tenant_only] {
        let first = place.run_once(&[]);
        assert_eq!(first["projections"]["visits"]["applied"], 1);
        place.append(event("VISITED", 2));
        let second = place.run_once(&[]);
        assert_eq!(second["projections"]["visits"]["applied"], 2);
    }
}

#[test]
fn a_projection_that_applied_nothing_needs_no_table() {
    let place = Place::with_events(VISITS, event("OTHER", 1));
    place.run_once(&[]);
    assert!(!place.client().table_names().contains("visits"));
    place.append(event("VISITED", 2));
    let second = place.run_once(&[]);
    assert_eq!(second["projections"]["visits"]["applied"], 1);
}

/// What the program may take in all, in KiB. Threads and libraries take a part of it.
const ADDRESS_SPACE_KIB: u64 = 1 << 20;

#[test]
fn an_event_that_makes_a_million_long_rows_is_a_dead_letter() {
    let place = Place::with_events(
        r#"
projections:
  lines:
    source_events: [SET]
    target: { table: lines, primary_key: [basket, line] }
    fields: { basket: TEXT, line: BIGINT, a: TEXT, b: TEXT, c: TEXT }
    derive: { basket: event.entityId, line: item, a: event.note, b: event.note, c: event.note }
    mutations:
      SET: { op: replace, filter: { basket: event.entityId }, each: event.lines }
"#,
        [("x", 2), ("ada", 1_000_000), ("y", 1)]
            .map(|(entity, lines)| set(entity, lines))
            .concat(),
    );
    let program = place.run(&["--once", "--format", "json"]);
    let mut limited = Command::new("sh");
    let script = format!("ulimit -v {ADDRESS_SPACE_KIB} && exec \"$0\" \"$@\"");
    limited.args(["-c", &script]).arg(program.get_program());
    let ended = ended(limited.args(program.get_args()));
    assert_eq!(ended.code, 0, "{ended:?}");
    let summary = &ended.last_line_as_json()["projections"]["lines"];
    assert_eq!(summary["applied"], 2, "{summary}");
    assert_eq!(summary["dead_lettered"], 1, "{summary}");
    assert_eq!(place.client().rows("lines").len(), 3);
    let letters = place.client().letters();
    let words = "the event makes too many rows or too much text";
    assert!(letters[0].error.contains(words), "{}", letters[0].error);
}

/// An event that sets so many lines, each with a note of a kilobyte.
fn set(entity: &str, lines: usize) -> String {
    let lines: Vec<usize> = (0..lines).map(|line| line % 10).collect();
    let payload = json!({ "note": "n".repeat(1_000), "lines": lines });
    let event = json!({
        "eventType": "SET", "entityId": entity, "sequenceNumber": 1, "payload": payload,
    });
    format!("{event}\n")
}
