//! What stands on standard output: data, and nothing else.

use std::collections::BTreeSet;

use serde_json::json;

use crate::common::Place;
use crate::common::process::ended;
use crate::{TWO, event, visits};

const COUNTS: [&str; 11] = [
    "read",
    "applied",
    "unmatched",
    "filtered",
    "ignored",
    "stale",
    "skipped",
    "dead_lettered",
    "parked",
    "pending",
    "folded",
];

/// Five events, of which one is late and one is bad, and a line that is none.
fn place() -> Place {
    let bad = r#"{"eventType":"NAMED","entityId":"ada","sequenceNumber":9,"payload":{"name":{}}}"#;
    let events = event("NAMED", 1) + &visits(2..=3) + &event("NAMED", 1) + bad + "\n{oops\n";
    Place::with_events(TWO, events)
}

#[test]
fn the_summary_in_json_is_one_object_on_the_last_line() {
    let ended = place().ended(&[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.stdout.lines().count(), 1, "{ended:?}");
    let summary = ended.last_line_as_json();
    let keys = |value: &serde_json::Value| -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let expected = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(keys(&summary), expected(&["source", "projections"]));
    assert_eq!(summary["source"], json!({ "read": 5, "malformed": 1 }));
    let projections = &summary["projections"];
    assert_eq!(keys(projections), expected(&["names", "visits"]));
    for (name, met) in [
        (
            "names",
            json!({ "applied": 1, "stale": 1, "dead_lettered": 1, "unmatched": 2 }),
        ),
        (
            "visits",
            json!({ "applied": 2, "unmatched": 3, "folded": 1 }),
        ),
    ] {
        assert_eq!(keys(&projections[name]), expected(&COUNTS));
        for of in COUNTS {
            let wanted = match of {
                "read" => json!(5),
                of => met.get(of).cloned().unwrap_or(json!(0)),
            };
            assert_eq!(projections[name][of], wanted, "{of} of {name}");
        }
    }
}

#[test]
fn counts_are_cumulative_over_runs() {
    let place = place();
    let first = place.run_once(&[]);
    assert_eq!(place.run_once(&[]), first);
    place.append(visits(4..=4));
    let third = place.run_once(&[]);
    assert_eq!(third["source"], json!({ "read": 6, "malformed": 1 }));
    assert_eq!(third["projections"]["visits"]["applied"], 3);
}

#[test]
fn the_summary_for_people_is_a_table_and_names_the_dead_letters() {
    let place = place();
    let ended = ended(&mut place.run(&["--once"]));
    assert_eq!(ended.code, 0, "{ended:?}");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(lines[0])[..5],
        ["PROJECTION", "READ", "APPLIED", "UNMATCHED", "STALE"]
    );
    assert_eq!(words(lines[1])[..5], ["names", "5", "1", "2", "1"]);
    assert_eq!(words(lines[2])[..5], ["visits", "5", "2", "3", "0"]);
    let last = lines.last().unwrap();
    assert!(last.contains("2 dead letter(s)"), "{ended:?}");
    assert!(
        last.contains("projectionist dead-letters list --store sqlite:"),
        "{ended:?}"
    );
}

#[test]
fn a_clean_run_has_nothing_to_say_on_standard_error() {
    let place = Place::with_events(TWO, visits(1..=3));
    for format in ["text", "json"] {
        let ended = ended(&mut place.run(&["--once", "--format", format]));
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    }
}

#[test]
fn dead_letters_of_this_run_change_the_exit_code_when_asked() {
    let place = place();
    let ask = ["--fail-on-dead-letters"];
    let ended = place.ended(&ask);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.contains("2 dead letter(s)"), "{ended:?}");
    assert_eq!(ended.last_line_as_json()["source"]["malformed"], 1);
    // Those of earlier runs have been told.
    place.append(visits(4..=4));
    place.run_once(&ask);
    place.append("oops\n");
    place.run_once(&[]);
    place.append("oops again\n");
    let ended = place.ended(&ask);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.contains("1 dead letter(s)"), "{ended:?}");
}

#[test]
fn show_prints_the_rows_of_every_table_before_the_summary() {
    let tenant = r#"{"eventType":"NAMED","entityId":"bob","tenantSchema":"acme","sequenceNumber":1,"payload":{"name":"Bob\u001b[2J"}}"#;
    let place = Place::with_events(TWO, event("NAMED", 1) + &visits(2..=3) + tenant + "\n");
    let ended = ended(&mut place.run(&["--once", "--show", "5"]));
    assert_eq!(ended.code, 0, "{ended:?}");
    for words in [
        "names (1 row(s))",
        "acme__names (1 row(s))",
        "visits (1 row(s))",
        "Ada 1",
    ] {
        assert!(ended.stdout.contains(words), "{words}: {ended:?}");
    }
    assert!(!ended.stdout.contains('\u{1b}'), "{ended:?}");
    let table = ended.stdout.find("visits (").unwrap();
    assert!(
        table < ended.stdout.find("PROJECTION").unwrap(),
        "{ended:?}"
    );
}
