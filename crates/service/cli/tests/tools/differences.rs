//! What `projectionist test` says of cases that are right, and of those that are wrong.

use serde_json::{Value, json};

use crate::common::Place;
use crate::{SHOP, test_files, tested};

/// A case of `events` that expects `expect`.
fn case(events: &str, expect: &str) -> String {
    format!("cases:\n  a case:\n    events:\n{events}    {expect}\n")
}

const PLACED: &str = "      - { eventType: PLACED, entityId: o-1, payload: { customer: ada, paid: true, \
                      extra: { a: 1, b: [2] } } }\n";
const ADDED: &str = "      - { eventType: ADDED, entityId: o-1, payload: { price: 4.5 } }\n";

#[test]
fn values_may_be_spelt_as_events_or_as_sqlite_spell_them() {
    for row in [
        "{ id: o-1, customer: ada, total: 4.5, paid: true, extra: { b: [2], a: 1 } }",
        "{ id: o-1, total: \"4.50\", paid: 1 }",
        "{ id: o-1, at: 1704067200000 }",
        "{ id: o-1, at: \"2024-01-01T01:00:00+01:00\" }",
        "{ customer: ada }",
        "{}",
    ] {
        let events = format!("{PLACED}{ADDED}");
        for expect in [
            format!("expect: {{ orders: [{row}] }}"),
            format!("expect: {{ orders: {{ rows: [{row}] }} }}"),
        ] {
            let ended = tested(&case(&events, &expect), &[]);
            assert_eq!(ended.code, 0, "{ended:?}");
            assert_eq!(ended.stdout, "ok    a case\n1 of 1 case(s) passed\n");
            assert_eq!(ended.stderr, "");
        }
    }
}

#[test]
fn every_difference_is_told_with_its_line() {
    let events = format!("{PLACED}{ADDED}");
    let events =
        events + "      - { eventType: PLACED, entityId: o-2, payload: { customer: bob } }\n";
    let expect = "expect:\n      orders:\n        - { id: o-1, customer: eve, total: 5, paid: true }\n        \
                  - { id: o-9, customer: cyd }\n      arrivals: []\n";
    let ended = tested(&case(&events, expect), &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(ended.stderr, "1 of 1 case(s) failed\n");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let place = |line: &str| {
        line.find("cases.yaml:")
            .map_or("", |at| &line[at..])
            .to_owned()
    };
    assert_eq!(lines[0], "FAIL  a case");
    assert_eq!(
        place(lines[1]),
        "cases.yaml:9: orders: other values in the row id=o-1"
    );
    let cells: Vec<Vec<&str>> = lines[2..5]
        .iter()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert_eq!(
        cells,
        [
            vec!["expected", "actual"],
            vec!["customer", "eve", "ada"],
            vec!["total", "5.00", "4.50"]
        ]
    );
    // Aligned: the values stand under their headings.
    assert_eq!(lines[2].find("expected"), lines[3].find("eve"));
    assert_eq!(
        place(lines[5]),
        "cases.yaml:10: orders: missing row id=o-9 customer=cyd"
    );
    assert!(
        place(lines[6])
            .starts_with("cases.yaml:8: orders: unexpected row id=o-2 customer=bob total=0.00"),
        "{ended:?}"
    );
    assert_eq!(
        place(lines[7]),
        "cases.yaml:11: arrivals: unexpected row id=o-1 times=1"
    );
    assert_eq!(
        place(lines[8]),
        "cases.yaml:11: arrivals: unexpected row id=o-2 times=1"
    );
    assert_eq!(lines[9..], ["0 of 1 case(s) passed"]);
    assert!(!ended.stdout.contains('\u{1b}'), "no colours into a pipe");
}

#[test]
fn dead_letters_are_expected_or_told() {
    let four = "      - { eventType: ADDED, entityId: o-1, payload: { price: four } }\n";
    let no_envelope = "      - no envelope\n";
    let events = format!("{PLACED}{four}{no_envelope}");
    let right = [
        "dead_letters: 2",
        "dead_letters: [{ event: 3 }, { projection: orders, event: 2, field: total, error: NUMERIC }]",
        "dead_letters: [{ projection: orders }, { projection: \"\" }]",
    ];
    for expect in right {
        let ended = tested(&case(&events, expect), &[]);
        assert_eq!(ended.code, 0, "{ended:?}");
    }
    for (expect, words) in [
        (
            "expect: { arrivals: [{ times: 1 }] }",
            "dead letters: expected 0, actual 2",
        ),
        ("dead_letters: 1", "dead letters: expected 1, actual 2"),
        (
            "dead_letters: [{ event: 3 }]",
            "unexpected: event 2, projection orders, total: ",
        ),
        (
            "dead_letters: [{ event: 2 }]",
            "unexpected: event 3, no envelope: ",
        ),
        (
            "dead_letters: [{ event: 2 }, { event: 3 }, { event: 1 }]",
            "missing: there is no such one",
        ),
        (
            "dead_letters: [{ event: 2, field: id }, { event: 3 }]",
            "missing: there is no such one",
        ),
    ] {
        let ended = tested(&case(&events, expect), &[]);
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.stdout.contains(words), "{words}: {ended:?}");
    }
}

#[test]
fn counters_are_compared() {
    let again = PLACED.replace("entityId: o-1", "entityId: o-1, sequenceNumber: 1");
    let events = format!(
        "{again}{again}      - {{ eventType: SHIPPED, entityId: o-7 }}\n      \
         - {{ eventType: OTHER, entityId: o-1 }}\n      - no envelope\n"
    );
    let right = "dead_letters: 1\n    counters: { orders: { read: 4, applied: 1, stale: 1, ignored: 1, \
                 unmatched: 1, malformed: 1, filtered: 0, dead_lettered: 0 }, arrivals: { applied: 2 } }";
    let ended = tested(&case(&events, right), &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let wrong = right.replace("stale: 1", "stale: 3");
    let ended = tested(&case(&events, &wrong), &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let words = "counters of orders: stale: expected 3, actual 1";
    assert!(ended.stdout.contains(words), "{ended:?}");
}

#[test]
fn numbers_are_counted_up_for_each_entity_and_tenant() {
    let events = r"
      - { eventType: PLACED, entityId: o-1 }
      - { eventType: PLACED, entityId: o-1, tenantSchema: globex }
      - { eventType: ADDED, entityId: o-1, sequenceNumber: 7, payload: { price: 1 } }
      - { eventType: ADDED, entityId: o-1, payload: { price: 2 } }
      - { eventType: ADDED, entityId: o-1, sequenceNumber: 8, payload: { price: 4 } }
";
    let expect = "tenant: acme\n    expect: { orders: [{ id: o-1, total: 3 }], globex__orders: [{ id: o-1, \
                  total: 0 }] }\n    counters: { orders: { stale: 1, applied: 4 } }";
    let ended = tested(&case(events, expect), &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn json_tells_every_difference_as_values() {
    let events = format!("{PLACED}{ADDED}");
    let expect =
        "expect: { orders: [{ id: o-1, total: 5, paid: false }], arrivals: [{ times: 2 }] }";
    let ended = tested(&case(&events, expect), &["--format", "json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let told = ended.last_line_as_json();
    assert_eq!((&told["passed"], &told["failed"]), (&json!(0), &json!(1)));
    let findings: &Vec<Value> = told["cases"][0]["findings"].as_array().unwrap();
    assert_eq!(
        findings[0],
        json!({
            "kind": "changed", "subject": "orders", "line": 6, "key": { "id": "o-1" },
            "expected": { "total": "5.00", "paid": 0 }, "actual": { "total": "4.50", "paid": 1 },
        })
    );
    let kinds: Vec<&Value> = findings.iter().map(|finding| &finding["kind"]).collect();
    assert_eq!(kinds, ["changed", "missing", "unexpected"]);
    assert_eq!(findings[2]["row"], json!({ "id": "o-1", "times": 1 }));
}

#[test]
fn files_of_cases_may_be_json_and_there_may_be_several() {
    let place = Place::with(SHOP);
    let (json_file, yaml_file) = (place.path("a.json"), place.path("b.yaml"));
    let event = json!({ "eventType": "PLACED", "entityId": "o-1" });
    let case_of = |rows: Value| json!({ "events": [event], "expect": { "orders": rows } });
    let cases = json!({ "cases": { "right": case_of(json!([{ "id": "o-1" }])) } });
    std::fs::write(&json_file, cases.to_string()).unwrap();
    let wrong = case(PLACED, "expect: { orders: [] }");
    std::fs::write(&yaml_file, wrong).unwrap();
    let ended = test_files(&place.projections(), &[&json_file, &yaml_file], &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.stdout.ends_with("1 of 2 case(s) passed\n"),
        "{ended:?}"
    );
    assert!(
        ended.stdout.starts_with("ok    right\nFAIL  a case\n"),
        "{ended:?}"
    );
    let alone = test_files(&place.projections(), &[&json_file], &[]);
    assert_eq!(alone.code, 0, "{alone:?}");
}
