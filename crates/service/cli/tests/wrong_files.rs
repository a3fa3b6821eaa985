//! A wrong projections file is refused before anything is touched, with every fault at once: where
//! it is, what is wrong, and the line itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::fs;

use common::place::Place;
use common::process::{self, Ended};

/// What must be told: of every fault its place, and words of its message.
type Faults = &'static [(&'static str, &'static str)];

/// A wrong file: its name, its text, and its faults.
struct Wrong(&'static str, &'static str, Faults);

/// What stands in a right file, and what stands there instead.
type Change = (&'static str, &'static str, Faults);

/// A file that is right but for what is replaced.
const RIGHT: &str = r#"projections:
  orders:
    source_events: [PLACED, ADDED, CANCELLED]
    target: { table: orders, primary_key: [id] }
    fields:
      id: TEXT
      status: TEXT
      total: { type: "NUMERIC(12,2)", default: 0 }
      lines: BIGINT
    derive:
      id: event.entityId
      status: "'open'"
      total: event.total
    mutations:
      PLACED: { op: upsert }
      ADDED: { op: increment, by: { lines: 1 } }
      CANCELLED: { op: delete }
"#;

/// Files that are wrong in one line of [`RIGHT`].
const CHANGES: &[Change] = &[
    (
        "projections:",
        "projection:",
        &[("1:1", "did you mean `projections`")],
    ),
    ("fields:", "fileds:", &[("5:5", "did you mean `fields`")]),
    ("id: TEXT", "id: TXT", &[("6:11", "unknown type `TXT`")]),
    ("id: TEXT", "id: CHAR(20)", &[("6:11", "there is no type")]),
    ("lines: BIGINT", "lines: BIGINT, x", &[("9:14", "")]),
    (
        "NUMERIC(12,2)",
        "NUMERIC(2,12)",
        &[("8:22", "NUMERIC(2,12)")],
    ),
    (
        "default: 0",
        "default: 0.001",
        &[("8:48", "digits after the point")],
    ),
    (
        "primary_key: [id]",
        "primary_key: [key]",
        &[("4:44", "`key` is not in `fields`")],
    ),
    ("primary_key: [id]", "primary_key: []", &[("4:43", "")]),
    (
        "table: orders",
        "table: sqlite_orders",
        &[("4:22", "reserved")],
    ),
    (
        "table: orders",
        "table: projectionist_lanes",
        &[("4:22", "reserved")],
    ),
    (
        "table: orders",
        "table: acme__orders",
        &[("4:22", "separates the tenant")],
    ),
    (
        "event.entityId",
        "entityId",
        &[("11:11", "neither a path nor a literal")],
    ),
    (
        "event.entityId",
        "event.meta.entityID",
        &[("11:22", "did you mean `entityId`")],
    ),
    (
        "\"'open'\"",
        "open",
        &[("12:15", "neither a path nor a literal")],
    ),
    (
        "\"'open'\"",
        "lowr(event.status)",
        &[("12:15", "did you mean `lower`?")],
    ),
    (
        "event.total",
        "\"'a lot'\"",
        &[("13:14", "NUMERIC(12,2) wants a number")],
    ),
    (
        "{ op: upsert }",
        "{ op: upsrt }",
        &[("15:21", "did you mean `upsert`")],
    ),
    (
        "{ op: upsert }",
        "{ op: merge }",
        &[("15:21", "unknown operation `merge`")],
    ),
    (
        "{ op: upsert }",
        "{ op: upsert, when: \"true\" }",
        &[("15:35", "`when` is always true here")],
    ),
    (
        "{ op: upsert }",
        "{ op: patch, on_missing: skip }",
        &[("15:40", "can only be `create`, `ignore` or `error`")],
    ),
    (
        "primary_key: [id]",
        "primary_key: [id], indexes: [status]",
        &[("4:59", "must be a list of columns")],
    ),
    (
        "projections:",
        "checkpoint: kafka\nprojections:",
        &[("1:13", "this build has no Kafka source")],
    ),
    (
        "by: { lines: 1 }",
        "by: { status: 1 }",
        &[("16:45", "cannot be added to")],
    ),
    ("by: { lines: 1 }", "by: {}", &[("16:35", "`by` is empty")]),
    (
        "{ op: delete }",
        "{ op: delete, set: { lines: 1 } }",
        &[("17:32", "takes no `set`")],
    ),
    (
        "[PLACED, ADDED, CANCELLED]",
        "[PLACED, ADDED]",
        &[("17:7", "not in `source_events`")],
    ),
    (
        "CANCELLED]",
        "CANCELLED, LOST]",
        &[("3:47", "`LOST` has no mutation")],
    ),
];

/// Files that are wrong as a whole.
const FILES: &[Wrong] = &[
    Wrong("empty", "", &[("1:1", "the file is empty")]),
    Wrong("only blank lines", "\n\n", &[("1:1", "the file is empty")]),
    Wrong("a list", "- a\n- b\n", &[("1:1", "must be a mapping")]),
    Wrong("a text", "hello", &[("1:1", "must be a mapping")]),
    Wrong(
        "no projections",
        "projections: {}\n",
        &[("1:14", "is empty")],
    ),
    Wrong(
        "an open bracket",
        "projections: { a: 1\n",
        &[("1:19", "not closed")],
    ),
    Wrong("tabs", "projections:\n\torders: {}\n", &[("2:1", "tab")]),
    Wrong(
        "broken JSON",
        "{\"projections\": {\"a\": }}",
        &[("1:18", "`a` is empty")],
    ),
    Wrong(
        "three faults of three kinds",
        "projections:\n  a:\n    source_events: [E]\n    target: { table: a, primary_key: [id] }\n    \
         fields: { id: TEXT, n: NUMBER }\n    derive: { id: event.entityId, m: event.m }\n    \
         mutations: { E: { op: upsert }, F: { op: delete } }\n",
        &[
            ("5:28", "there is no type `NUMBER`"),
            ("6:35", "`m` is not in `fields`"),
            ("7:37", "`F` is not in `source_events`"),
        ],
    ),
    Wrong(
        "two projections on one table",
        "projections:\n  a:\n    source_events: [E]\n    target: { table: t, primary_key: [id] }\n    \
         fields: { id: TEXT }\n    derive: { id: event.entityId }\n    mutations: { E: { op: upsert } }\n  \
         b:\n    source_events: [E]\n    target: { table: t, primary_key: [id] }\n    \
         fields: { id: TEXT }\n    derive: { id: event.entityId }\n    mutations: { E: { op: upsert } }\n",
        &[("10:22", "written by the projection `a` already")],
    ),
];

fn cases() -> Vec<(String, String, Faults)> {
    let changed = CHANGES.iter().map(|(right, wrong, faults)| {
        assert_eq!(RIGHT.matches(right).count(), 1, "{right}");
        (
            format!("{right} -> {wrong}"),
            RIGHT.replace(right, wrong),
            *faults,
        )
    });
    let files = FILES.iter();
    let files =
        files.map(|Wrong(name, text, faults)| ((*name).to_owned(), (*text).to_owned(), *faults));
    changed.chain(files).collect()
}

fn check(place: &Place, more: &[&str]) -> Ended {
    let mut check = process::command();
    process::ended(check.arg("check").arg(place.projections()).args(more))
}

#[test]
fn every_fault_is_told_with_its_place_and_its_line() {
    let cases = cases();
    assert!(cases.len() >= 20);
    for (name, text, faults) in cases {
        let place = Place::with(&text);
        let ended = check(&place, &[]);
        assert_eq!(ended.code, 3, "{name}: {ended:?}");
        assert_eq!(ended.stdout, "", "{name}");
        let file = place.projections().display().to_string();
        let heads: Vec<&str> = ended
            .stderr
            .lines()
            .filter(|line| line.starts_with(&file))
            .collect();
        assert_eq!(heads.len(), faults.len(), "{name}: {ended:?}");
        for (head, (at, words)) in heads.iter().zip(faults) {
            assert!(
                head.starts_with(&format!("{file}:{at}: ")),
                "{name} is not at {at}: {head}"
            );
            assert!(head.contains(words), "{name}: {head}");
            let line: usize = at.split_once(':').unwrap().0.parse().unwrap();
            let shown = text.lines().nth(line - 1).unwrap_or_default();
            let shown = format!(" {line} | {shown}");
            assert!(ended.stderr.contains(shown.trim_end()), "{name}: {ended:?}");
        }
    }
}

#[test]
fn faults_are_told_as_json() {
    for (name, text, faults) in cases() {
        let place = Place::with(&text);
        let ended = check(&place, &["--format", "json"]);
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (3, ""),
            "{name}: {ended:?}"
        );
        assert_eq!(ended.stdout.lines().count(), 1, "{name}: {ended:?}");
        let told = ended.last_line_as_json();
        assert_eq!(told["file"], place.projections().display().to_string());
        let told = told["faults"].as_array().unwrap();
        assert_eq!(told.len(), faults.len(), "{name}: {told:?}");
        for (fault, (at, words)) in told.iter().zip(faults) {
            assert_eq!(
                format!("{}:{}", fault["line"], fault["column"]),
                *at,
                "{name}"
            );
            let message = fault["message"].as_str().unwrap();
            assert!(message.contains(words), "{name}: {message}");
            assert!(
                fault["help"].is_string() || fault["help"].is_null(),
                "{fault}"
            );
        }
    }
}

#[test]
fn a_run_refuses_a_wrong_file_before_it_touches_the_target() {
    for (name, text, _) in cases() {
        let place = Place::with_events(&text, "{}\n");
        let checked = check(&place, &[]);
        let ended = place.ended(&[]);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (3, ""),
            "{name}: {ended:?}"
        );
        assert_eq!(ended.stderr, checked.stderr, "{name}");
        assert!(!place.views().exists(), "{name}");
    }
}

#[test]
fn a_right_file_has_no_fault() {
    let place = Place::with(RIGHT);
    let ended = check(&place, &[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert!(
        ended
            .stdout
            .ends_with("projections.yaml: 1 projection(s), no fault\n"),
        "{ended:?}"
    );
    let json = check(&place, &["--format", "json"]).last_line_as_json();
    assert_eq!(json["faults"].as_array().map(Vec::len), Some(0), "{json}");
}

#[test]
fn a_warning_is_told_and_changes_no_exit_code() {
    let text = RIGHT.replace(
        "{ op: upsert }",
        "{ op: replace, filter: { status: event.status } }",
    );
    let place = Place::with(&text);
    let ended = check(&place, &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.stdout.ends_with("no fault, 1 warning(s)\n"),
        "{ended:?}"
    );
    let head = format!("{}:15:48: warning: ", place.projections().display());
    assert!(ended.stderr.starts_with(&head), "{ended:?}");
    let json = check(&place, &["--format", "json"]);
    assert_eq!((json.code, json.stderr.as_str()), (0, ""), "{json:?}");
    let json = json.last_line_as_json();
    let warnings = json["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{json}");
    assert_eq!(warnings[0]["line"], 15);
    assert_eq!(json["faults"].as_array().map(Vec::len), Some(0));
}

#[test]
fn the_schema_is_printed_as_json() {
    let ended = process::ended(process::command().arg("schema"));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let schema: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(schema["required"], serde_json::json!(["projections"]));
}

fn assert_unreadable(place: &Place, words: &[&str]) {
    for ended in [
        check(place, &[]),
        check(place, &["--format", "json"]),
        place.ended(&[]),
    ] {
        assert_eq!(ended.code, 1, "{ended:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
        for word in words {
            assert!(ended.stderr.contains(word), "{word}: {ended:?}");
        }
    }
}

#[test]
fn what_is_no_file_is_refused_in_a_sentence() {
    let place = Place::with_events(RIGHT, "");
    let file = place.projections();
    fs::remove_file(&file).unwrap();
    assert_unreadable(
        &place,
        &["cannot read ", "projections.yaml", "No such file"],
    );
    fs::create_dir(&file).unwrap();
    assert_unreadable(&place, &["cannot read ", "projections.yaml", "directory"]);
    fs::remove_dir(&file).unwrap();
    assert!(!place.views().exists());
}

#[test]
fn a_file_that_is_no_text_is_a_fault_with_its_place() {
    let place = Place::with_events(RIGHT, "");
    fs::write(place.projections(), b"projections:\n  \xc3\xa4\xff: 1\n").unwrap();
    let said = format!(
        "{}:2:4: the file is no UTF-8 text from here on\n",
        place.projections().display()
    );
    for ended in [check(&place, &[]), place.ended(&[])] {
        assert_eq!((ended.code, &ended.stderr), (3, &said), "{ended:?}");
    }
    let ended = check(&place, &["--format", "json"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    let fault = &ended.last_line_as_json()["faults"][0];
    assert_eq!(
        (&fault["line"], &fault["column"]),
        (&2.into(), &4.into()),
        "{fault}"
    );
    assert!(!place.views().exists());
}
