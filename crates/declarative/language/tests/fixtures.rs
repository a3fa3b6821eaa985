//! Test cases: what comes out of a file that is right, and every fault of one that is wrong.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

use projectionist_core::row::OwnedCell;
use projectionist_language::fixtures::{
    Case, ExpectedCounts, ExpectedLetter, ExpectedLetters, parse_fixtures,
};
use projectionist_language::model::{Envelope, EnvelopePlaces, Step};
use projectionist_language::{Program, parse};

const DECLARED: &str = "
projections:
  orders:
    source_events: [PLACED]
    target: { table: orders, primary_key: [id] }
    fields: { id: TEXT, total: { type: \"NUMERIC(8,2)\", nullable: false, default: 0 }, paid: BOOLEAN, at: TIMESTAMPTZ }
    derive: { id: event.entityId }
    mutations: { PLACED: { op: upsert } }
";

fn program() -> Program {
    parse("orders.yaml", DECLARED).unwrap()
}

fn cases(program: &Program, text: &str) -> Vec<Case> {
    match parse_fixtures("cases.yaml", text, program) {
        Ok(fixtures) => fixtures.cases,
        Err(faults) => panic!("{faults}"),
    }
}

/// The records of the only case, which has these `events`.
fn records(program: &Program, events: &str, more: &str) -> Vec<String> {
    let text = format!("cases:\n  one:\n    events: [{events}]\n    dead_letters: 0\n{more}");
    let [case] = cases(program, &text).try_into().unwrap();
    case.records.into_iter().map(|record| record.text).collect()
}

#[test]
fn what_an_event_leaves_out_is_filled_in() {
    let events = "
      { eventType: PLACED, entityId: a, payload: { n: 1.50, t: 'x \"y\"', l: [1, null, { k: true }] } },
      { eventType: PLACED, entityId: a },
      { eventType: PLACED, entityId: b, ts: 7 },
      { eventType: PLACED, entityId: a, sequenceNumber: 9 },
      { eventType: PLACED, entityId: a, forkId: f },
      { eventType: PLACED, entityId: a, sequenceNumber: null, payload: null },
      { eventType: PLACED, entityId: a },
      as it stands
    ";
    let expected = [
        r#"{"eventType":"PLACED","entityId":"a","payload":{"n":1.50,"t":"x \"y\"","l":[1,null,{"k":true}]},"sequenceNumber":1,"ts":1704067200000}"#,
        r#"{"eventType":"PLACED","entityId":"a","sequenceNumber":2,"ts":1704067201000,"payload":{}}"#,
        r#"{"eventType":"PLACED","entityId":"b","ts":7,"sequenceNumber":1,"payload":{}}"#,
        r#"{"eventType":"PLACED","entityId":"a","sequenceNumber":9,"ts":1704067203000,"payload":{}}"#,
        r#"{"eventType":"PLACED","entityId":"a","forkId":"f","sequenceNumber":1,"ts":1704067204000,"payload":{}}"#,
        r#"{"eventType":"PLACED","entityId":"a","sequenceNumber":null,"payload":null,"ts":1704067205000}"#,
        r#"{"eventType":"PLACED","entityId":"a","sequenceNumber":10,"ts":1704067206000,"payload":{}}"#,
        "as it stands",
    ];
    assert_eq!(records(&program(), events, ""), expected);
}

#[test]
fn the_tenant_of_a_case_is_that_of_events_without_one() {
    let events =
        "{ eventType: PLACED, entityId: a }, { eventType: PLACED, entityId: a, tenantSchema: t2 }";
    let found = records(&program(), events, "    tenant: t1\n");
    assert_eq!(
        found,
        [
            r#"{"eventType":"PLACED","entityId":"a","tenantSchema":"t1","sequenceNumber":1,"ts":1704067200000,"payload":{}}"#,
            r#"{"eventType":"PLACED","entityId":"a","tenantSchema":"t2","sequenceNumber":1,"ts":1704067201000,"payload":{}}"#,
        ]
    );
}

#[test]
fn other_envelopes_are_filled_in_at_their_places() {
    let steps =
        |path: &str| -> Vec<Step> { path.split('.').map(|key| Step::Key(key.into())).collect() };
    let mut program = program();
    program.envelope = Envelope::Places(EnvelopePlaces {
        event_type: steps("kind"),
        entity: steps("about.id"),
        sequence: Some(steps("about.seq")),
        ts: Some(steps("when.ms")),
        tenant: None,
        fork: None,
        payload: None,
    });
    let event = "{ kind: PLACED, about: { id: 7 } }";
    let found = records(&program, &format!("{event}, {event}"), "");
    assert_eq!(
        found,
        [
            r#"{"kind":"PLACED","about":{"id":7,"seq":1},"when":{"ms":1704067200000}}"#,
            r#"{"kind":"PLACED","about":{"id":7,"seq":2},"when":{"ms":1704067201000}}"#,
        ]
    );
    program.envelope = Envelope::CloudEvents;
    let found = records(&program, "{ type: PLACED, subject: a }", "");
    let expected =
        r#"{"type":"PLACED","subject":"a","sequence":1,"time":"2024-01-01T00:00:00.000Z"}"#;
    assert_eq!(found, [expected]);
    program.envelope = Envelope::Debezium {
        key: vec!["id".into()],
    };
    assert_eq!(
        records(&program, "{ payload: { op: c } }", ""),
        [r#"{"payload":{"op":"c"}}"#]
    );
}

#[test]
fn what_is_expected_is_typed_and_knows_its_lines() {
    let text = "cases:
  one:
    events: []
    expect:
      t1__orders:
        - { id: a, total: 1.5, paid: 1, at: 0 }
        - { paid: false, at: null }
      orders: { rows: [] }
    dead_letters:
      - { projection: orders, event: 0, field: total, error: text }
    counters: { orders: { read: 3 } }
";
    let text = text.replace("event: 0, ", "");
    let [case] = cases(&program(), &text).try_into().unwrap();
    let [tenant, plain] = case.tables.try_into().unwrap();
    assert_eq!((tenant.line, tenant.tenant.as_deref()), (5, Some("t1")));
    assert_eq!((plain.line, plain.tenant, plain.rows.len()), (8, None, 0));
    let [first, second] = tenant.rows.try_into().unwrap();
    let moment = OwnedCell::Timestamp(projectionist_core::Timestamp::from_unix_millis(0));
    let cells = [
        (0, OwnedCell::Text("a".into())),
        (1, OwnedCell::Numeric("1.50".into())),
        (2, OwnedCell::Bool(true)),
        (3, moment),
    ];
    assert_eq!((first.line, first.cells), (6, cells.to_vec()));
    let cells = [(2, OwnedCell::Bool(false)), (3, OwnedCell::Null)];
    assert_eq!((second.line, second.cells), (7, cells.to_vec()));
    let letter = ExpectedLetter {
        line: 10,
        projection: Some("orders".into()),
        event: None,
        field: Some("total".into()),
        error: Some("text".into()),
    };
    assert_eq!(case.dead_letters, ExpectedLetters::Each(vec![letter]));
    let counts = ExpectedCounts {
        line: 11,
        projection: 0,
        counts: vec![("read", 3)],
    };
    assert_eq!(case.counts, [counts]);
}

/// The text, and for each fault its place and words of it.
const WRONG: &[(&str, &[(&str, &str)])] = &[
    ("", &[("1:1", "the file is empty")]),
    ("case: {}", &[("1:1", "did you mean `cases`?")]),
    ("[]", &[("1:1", "the file must be a mapping")]),
    ("{}", &[("1:1", "the file has no `cases`")]),
    (
        "cases: []",
        &[("1:8", "`cases` must be a mapping, not a list")],
    ),
    ("cases: {}", &[("1:8", "`cases` is empty")]),
    (
        "cases: { a: { expect: {} } }",
        &[("1:10", "the case `a` has no `events`")],
    ),
    (
        "cases: { a: { event: [], expect: {} } }",
        &[("1:15", "did you mean `events`?")],
    ),
    (
        "cases: { a: { events: [] } }",
        &[("1:10", "the case `a` expects nothing")],
    ),
    (
        "cases: { a: { events: {}, expect: {} } }",
        &[("1:23", "`events` must be a list")],
    ),
    (
        "cases: { a: { events: [7, [], { entityid: a }], expect: {} } }",
        &[
            ("1:24", "an event must be a mapping, not a number"),
            ("1:27", "an event must be a mapping, not a list"),
            ("1:33", "did you mean `entityId`?"),
        ],
    ),
    (
        "cases: { a: { events: [\"a\\nb\"], expect: {} } }",
        &[("1:24", "must be one line")],
    ),
    (
        "cases: { a: { events: [], expect: { order: [], t__order: [] } } }",
        &[
            ("1:37", "did you mean `orders`?"),
            ("1:48", "there is no table `t__order`"),
        ],
    ),
    (
        "cases: { a: { events: [], expect: { orders: { row: [] } } } }",
        &[("1:47", "did you mean `rows`?")],
    ),
    (
        "cases: { a: { events: [], expect: { orders: 0 } } }",
        &[("1:45", "must be a list, not a number")],
    ),
    (
        "cases: { a: { events: [], expect: { orders: [{ nope: 1 }, 5, { total: null }, { paid: 2 }] } } }",
        &[
            ("1:48", "`orders` has no column `nope`"),
            ("1:59", "a row must be a mapping"),
            ("1:64", "`total` is never null"),
            ("1:87", "`paid` can never hold this"),
        ],
    ),
    (
        "cases: { a: { events: [], expect: { orders: [{ id: x }, { id: x, total: 1 }] } } }",
        &[("1:57", "a second row of `orders` with this key")],
    ),
    (
        "cases: { a: { events: [], expect: { orders: [{ total: 007 }, { total: 1.005 }] } } }",
        &[
            ("1:55", "begins with a zero"),
            ("1:71", "`total` can never hold this"),
        ],
    ),
    (
        "cases: { a: { events: [], dead_letters: many } }",
        &[("1:41", "must be a whole number")],
    ),
    (
        "cases: { a: { events: [{}], dead_letters: [{ event: 2 }, { projection: ordes }, {}, { on: 1 }] } }",
        &[
            ("1:53", "the case has no event 2"),
            ("1:72", "did you mean `orders`?"),
            ("1:81", "a dead letter is empty"),
            ("1:87", "unknown key `on`"),
        ],
    ),
    (
        "cases: { a: { events: [], counters: { orders: { reads: 1, folded: 1, stale: -1 }, o: {} } } }",
        &[
            ("1:49", "did you mean `read`?"),
            ("1:59", "unknown key `folded`"),
            ("1:77", "`stale` must be a whole number"),
            ("1:83", "there is no projection `o`"),
        ],
    ),
    (
        "cases: { a: { events: [], expect: {}, tenant: 5 } }",
        &[("1:47", "`tenant` must be a text")],
    ),
];

#[test]
fn every_fault_has_its_place_and_says_what_is_meant() {
    let program = program();
    for (text, expected) in WRONG {
        let faults = parse_fixtures("cases.yaml", text, &program).unwrap_err();
        let found: Vec<String> = faults.to_string().lines().map(str::to_owned).collect();
        assert_eq!(found.len(), expected.len(), "{text}\n{faults}");
        for (line, (place, words)) in found.iter().zip(*expected) {
            assert!(
                line.starts_with(&format!("cases.yaml:{place}: ")),
                "{place} {words}: {line}"
            );
            assert!(line.contains(words), "{words}: {line}");
        }
    }
}

#[test]
fn a_tenant_needs_a_place_in_the_envelope() {
    let mut program = program();
    program.envelope = Envelope::CloudEvents;
    let text = "cases: { a: { events: [], expect: {}, tenant: t } }";
    let faults = parse_fixtures("cases.yaml", text, &program).unwrap_err();
    assert!(
        faults.to_string().contains("has no place for a tenant"),
        "{faults}"
    );
}
