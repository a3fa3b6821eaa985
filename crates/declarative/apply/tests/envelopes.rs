//! What the codec reads from CloudEvents, changes of Debezium and records with named places, and
//! what it refuses with which words.
#![expect(clippy::unwrap_used, reason = "the helpers are parts of tests")]

use bytes::Bytes;
use projectionist_apply::{DeclaredCodec, DeclaredEvent};
use projectionist_core::contract::EventCodec;
use projectionist_language::parse;

const MAPPING: &str = "{ type: $.kind, entity: $.who.id, sequence: $.seq, ts: $.at, tenant: $.org, \
                       fork: $.fork, payload: $.data }";

/// A codec of a program that reads two types of a table.
fn codec(envelope: &str) -> DeclaredCodec {
    let file = format!(
        "envelope: {envelope}
projections:
  rows:
    source_events: [orders.create, orders.read]
    target: {{ table: rows, primary_key: [id] }}
    fields: {{ id: TEXT, total: BIGINT, other: JSONB }}
    derive: {{ id: event.entityId, total: event.total, other: \"event.other.inside[2]\" }}
    mutations: {{ orders.create: {{ op: upsert }}, orders.read: {{ op: upsert }} }}
"
    );
    DeclaredCodec::new(&parse("f.yaml", &file).unwrap())
}

fn decode(envelope: &str, record: &str) -> Result<DeclaredEvent, String> {
    let record = Bytes::copy_from_slice(record.as_bytes());
    codec(envelope).decode(&mut Default::default(), record)
}

/// Type, entity, number, time, tenant and fork.
fn parts(
    envelope: &str,
    record: &str,
) -> (String, String, Option<i64>, Option<i64>, String, String) {
    let event = decode(envelope, record).unwrap();
    (
        event.event_type().to_owned(),
        event.entity_id().to_owned(),
        event.sequence_number(),
        event.ts(),
        event.tenant_schema().to_owned(),
        event.fork_id().to_owned(),
    )
}

fn of(
    event_type: &str,
    entity: &str,
    numbers: (Option<i64>, Option<i64>),
    tenant: &str,
    fork: &str,
) -> (String, String, Option<i64>, Option<i64>, String, String) {
    let (sequence, ts) = numbers;
    (
        event_type.into(),
        entity.into(),
        sequence,
        ts,
        tenant.into(),
        fork.into(),
    )
}

#[test]
fn a_mapping_finds_each_part_at_its_place() {
    let whole =
        r#"{"x":[{}],"kind":"K","who":{"id":"a"},"seq":7,"at":9,"org":"t","fork":"f","data":{}}"#;
    assert_eq!(
        parts(MAPPING, whole),
        of("K", "a", (Some(7), Some(9)), "t", "f")
    );
    let least = r#" {"kind":"\u004b","who":{"id":-5.0}} "#;
    assert_eq!(parts(MAPPING, least), of("K", "-5.0", (None, None), "", ""));
    let nulls = r#"{"kind":"K","who":{"id":"a\n"},"seq":null,"at":null,"org":null,"fork":null,"data":null}"#;
    assert_eq!(parts(MAPPING, nulls), of("K", "a\n", (None, None), "", ""));
    let texts = r#"{"kind":"K","who":{"id":"a"},"seq":"-0042","at":"1970-01-01T01:00:00.0019999+01:00","data":7}"#;
    assert_eq!(
        parts(MAPPING, texts),
        of("K", "a", (Some(-42), Some(1)), "", "")
    );
    let zone = r#"{"kind":"K","who":{"id":"a"},"at":"1970-01-01T01:00:01\u002b01:00"}"#;
    assert_eq!(parts(MAPPING, zone).3, Some(1000));
    let before = r#"{"kind":"K","who":{"id":"a"},"at":"1969-12-31T23:59:59.9999Z"}"#;
    assert_eq!(parts(MAPPING, before).3, Some(-1));
    let twice = r#"{"kind":1,"who":{"id":"x"},"kind":"K","who":{"id":"a","id":"b"}}"#;
    assert_eq!(parts(MAPPING, twice), of("K", "b", (None, None), "", ""));
}

#[test]
fn cloud_events_have_a_subject_or_a_source() {
    let whole = r#"{"specversion":"1.0","type":"K","source":"/s","id":"1","subject":"a","time":"1970-01-01T00:00:01Z","sequence":"3","data":[1]}"#;
    assert_eq!(
        parts("cloudevents", whole),
        of("K", "a", (Some(3), Some(1000)), "", "")
    );
    for subject in ["", r#","subject":null"#] {
        let record = format!(r#"{{"type":"K","source":"/s","sequence":3{subject}}}"#);
        assert_eq!(
            parts("cloudevents", &record),
            of("K", "/s", (Some(3), None), "", "")
        );
    }
}

#[test]
fn changes_have_the_type_of_their_table_and_the_entity_of_their_key() {
    let debezium = "{ debezium: { key: [id] } }";
    let source = r#""source":{"table":"or\u0064ers","lsn":5,"ts_ms":6}"#;
    for (op, row, end) in [
        ("c", "after", "create"),
        ("u", "after", "update"),
        ("r", "after", "read"),
        ("d", "before", "delete"),
    ] {
        let other = if row == "after" { "before" } else { "after" };
        let change =
            format!(r#"{{"op":"{op}","{other}":{{"id":"no"}},"{row}":{{"id":1}},{source}}}"#);
        let expected = of(&format!("orders.{end}"), "1", (Some(5), Some(6)), "", "");
        assert_eq!(parts(debezium, &change), expected);
        let wrapped = format!(r#"{{"schema":{{"op":"x"}},"payload":{change}}}"#);
        assert_eq!(parts(debezium, &wrapped), expected);
    }
    let without = r#"{"op":"c","after":{"id":1},"source":{"table":"orders","lsn":null}}"#;
    assert_eq!(
        parts(debezium, without),
        of("orders.create", "1", (None, None), "", "")
    );
}

#[test]
fn two_keys_never_give_one_entity() {
    let columns = ["", "a", "|", r"\", r"a|", r"|b", r"\|", "a|b"];
    let mut entities = std::collections::BTreeSet::new();
    for first in columns {
        for second in columns {
            let row = serde_json::json!({ "a b": first, "n": second });
            let record = format!(r#"{{"op":"c","after":{row},"source":{{"table":"t"}}}}"#);
            entities.insert(parts("{ debezium: { key: ['a b', n] } }", &record).1);
        }
    }
    assert_eq!(entities.len(), columns.len() * columns.len());
    assert!(entities.contains(r"a\|b|a"), "{entities:?}");
}

#[test]
fn what_tells_of_no_event_has_no_type() {
    for record in [
        "null",
        " null ",
        r#"{"schema":null,"payload":null}"#,
        r#"{"op":"m","message":{"prefix":"x"}}"#,
        r#"{"op":"t","source":{"table":"another"}}"#,
    ] {
        let event = decode("{ debezium: { key: [id] } }", record).unwrap();
        assert_eq!(
            (event.event_type(), event.entity_id()),
            ("", ""),
            "{record}"
        );
        assert_eq!(event.record().as_ref(), record.as_bytes());
    }
}

/// Records of a mapping, and what is said of them.
const OF_A_MAPPING: [(&str, &str); 19] = [
    ("[1]", "the record is an array, not an object"),
    (
        "{",
        "not valid JSON: EOF while parsing an object at column 1",
    ),
    (r#"{"who":{"id":1}}"#, "$.kind is missing"),
    (r#"{"kind":null}"#, "$.kind is null, not a text"),
    (r#"{"kind":7}"#, "$.kind is a number, not a text: 7"),
    (r#"{"kind":" "}"#, "$.kind is blank"),
    (r#"{"kind":"K","who":5}"#, "$.who.id is missing"),
    (
        r#"{"kind":"K","who":{"id":null}}"#,
        "$.who.id is null, not a text or a number",
    ),
    (r#"{"kind":"K","who":{"id":""}}"#, "$.who.id is blank"),
    (
        r#"{"kind":"K","who":{"id":[1,2]}}"#,
        "$.who.id is an array, not a text or a number: [1,2]",
    ),
    (
        r#"{"kind":"K","who":{"id":"a\u0000"}}"#,
        "$.who.id holds the character U+0000",
    ),
    (
        r#"{"kind":"K","who":{"id":"\ud800"}}"#,
        "$.who.id holds half a surrogate pair, which is no character",
    ),
    (
        r#"{"kind":"K","who":{"id":1},"seq":9223372036854775808}"#,
        "$.seq is 9223372036854775808, not an integer of 64 bits",
    ),
    (
        r#"{"kind":"K","who":{"id":1},"seq":"9223372036854775808"}"#,
        "$.seq is a text, not an integer of 64 bits, bare or as a text of digits: \
             \"9223372036854775808\"",
    ),
    (
        r#"{"kind":"K","who":{"id":1},"seq":"+1"}"#,
        "$.seq is a text, not an integer of 64 bits, bare or as a text of digits: \"+1\"",
    ),
    (
        r#"{"kind":"K","who":{"id":1},"seq":1.0}"#,
        "$.seq is 1.0, not an integer of 64 bits",
    ),
    (
        r#"{"kind":"K","who":{"id":1},"org":3}"#,
        "$.org is a number, not a text: 3",
    ),
    (
        r#"{"kind":"K","who":{"id":1},"at":{}}"#,
        "$.at is an object, not an integer",
    ),
    (
        r#"{"kind":"K","who":{"id":1},"at":"2024-01-01T00:00:00"}"#,
        "$.at has no time zone, such as Z or +02:00: \"2024-01-01T00:00:00\"",
    ),
];

/// The same of CloudEvents.
const OF_CLOUD_EVENTS: [(&str, &str); 5] = [
    ("[]", "the record is an array, not an object"),
    (r#"{"subject":"a"}"#, "type is missing"),
    (r#"{"type":"K"}"#, "subject and source are missing"),
    (
        r#"{"type":"K","subject":7,"source":"s"}"#,
        "subject is a number, not a text: 7",
    ),
    (
        r#"{"type":"K","subject":" ","source":"s"}"#,
        "subject is blank",
    ),
];

/// The same of Debezium.
const OF_DEBEZIUM: [(&str, &str); 12] = [
    ("7", "the record is a number, not an object"),
    (
        r#"{"id":1,"email":"x"}"#,
        "op is missing; a record that was flattened to its row has none, and is read by an \
             envelope that names places",
    ),
    (
        r#"{"op":"x"}"#,
        "op is \"x\", which is none of \"c\", \"u\", \"d\", \"r\", \"t\" and \"m\"",
    ),
    (r#"{"op":"c","after":null}"#, "after is missing or null"),
    (
        r#"{"op":"u","after":[1]}"#,
        "after is an array, not an object",
    ),
    (
        r#"{"op":"d","before":null,"source":{"table":"t"}}"#,
        "before is missing or null, so nobody can tell which row was deleted; give the table a primary key \
             or REPLICA IDENTITY FULL",
    ),
    (r#"{"op":"c","after":{"id":1}}"#, "source.table is missing"),
    (
        r#"{"op":"c","after":{},"source":{"table":"t"}}"#,
        "after.id is missing",
    ),
    (
        r#"{"op":"d","before":{"id":true},"source":{"table":"t"}}"#,
        "before.id is a truth value, not a text or a number: true",
    ),
    (
        r#"{"op":"c","after":{"id":""},"source":{"table":"t"}}"#,
        "after.id is blank",
    ),
    (
        r#"{"op":"c","after":{"id":1},"source":{"table":"t","lsn":"5"}}"#,
        "source.lsn is a text, not an integer",
    ),
    (
        r#"{"op":"t","source":{"table":"orders"}}"#,
        "op is \"t\": the table orders was emptied at its source, and its rows are still here; \
             rebuild the projection behind this record",
    ),
];

#[test]
fn what_is_wrong_is_named_with_its_place_and_its_beginning() {
    for (envelope, records) in [
        (MAPPING, OF_A_MAPPING.as_slice()),
        ("cloudevents", &OF_CLOUD_EVENTS),
        ("{ debezium: { key: [id] } }", &OF_DEBEZIUM),
    ] {
        for (record, message) in records {
            let error = decode(envelope, record).unwrap_err();
            assert_eq!(error, *message, "{envelope} {record}");
        }
    }
    let long = format!(
        r#"{{"kind":"K","who":{{"id":"a"}},"at":"{}"}}"#,
        "x".repeat(100)
    );
    let shown = format!("$.at is no RFC 3339 text: \"{}\"", "x".repeat(40));
    assert_eq!(decode(MAPPING, &long).unwrap_err(), shown);
}

/// Pieces that mean something to an envelope.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "\"op\"",
    "\"c\"",
    "\"payload\"",
    "\"after\"",
    "\"id\"",
    "\"source\"",
    "\"table\"",
    "\"type\"",
    "\"time\"",
    "\"2024-01-01T00:00:00Z\"",
    "1",
    "-",
    "1e999",
    "\"\\ud800\"",
    "é",
    "\"kind\"",
    "\"who\"",
];

#[test]
fn no_record_brings_it_down() {
    let valid = [
        r#"{"op":"c","after":{"id":1,"other":{"inside":[1,2,3]}},"source":{"table":"t","lsn":1}}"#,
        r#"{"type":"K","subject":"a","sequence":"1","time":"2024-01-01T00:00:00Z","data":{"total":1}}"#,
        r#"{"kind":"K","who":{"id":1},"seq":1,"data":{"other":{"inside":[1,2,{}]}}}"#,
    ];
    let codecs = [MAPPING, "cloudevents", "{ debezium: { key: [id] } }"].map(codec);
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut drawn = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
    };
    let mut read = 0;
    for _ in 0..20_000 {
        let mut record = valid[drawn(valid.len())].to_owned();
        for _ in 0..drawn(4) {
            let mut at = drawn(record.len() + 1);
            while !record.is_char_boundary(at) {
                at -= 1;
            }
            match drawn(3) {
                0 => record.truncate(at),
                1 => record.insert_str(at, PIECES[drawn(PIECES.len())]),
                _ => {
                    let mut end = record.len().min(at + drawn(9));
                    while !record.is_char_boundary(end) {
                        end -= 1;
                    }
                    record.replace_range(at..end.max(at), PIECES[drawn(PIECES.len())]);
                }
            }
        }
        for codec in &codecs {
            let bytes = Bytes::copy_from_slice(record.as_bytes());
            let Ok(event) = codec.decode(&mut Default::default(), bytes) else {
                continue;
            };
            read += 1;
            let again = codec
                .decode(&mut Default::default(), event.record().clone())
                .unwrap();
            assert_eq!(again.entity_id(), event.entity_id());
            assert_eq!(event.event_type().is_empty(), event.entity_id().is_empty());
        }
    }
    assert!(read > 2_000, "only {read} records were events");
}
