//! What the codec takes for an envelope, and what it refuses with which words.

use bytes::Bytes;
use projectionist_apply::{DeclaredCodec, DeclaredEvent};
use projectionist_core::Timestamp;
use projectionist_core::contract::EventCodec;
use projectionist_language::model::{Envelope, Program};

const SEED_RECORD: &str = r#"{"eventType":"ARTIST_FOLLOWED","entityId":"user-123","forkId":"prod","tenantSchema":"platform1_concertapp_prod","irVersion":"v42","sequenceNumber":1891,"ts":1719331200000,"payload":{"user_id":"user-123","artist_id":"artist-456"}}"#;

fn decode_bytes(record: impl Into<Vec<u8>>) -> Result<DeclaredEvent, String> {
    let codec = DeclaredCodec::new(&Program {
        envelope: Envelope::Causet,
        projections: Vec::new(),
    });
    codec.decode(&mut Default::default(), Bytes::from(record.into()))
}

fn decode(record: &str) -> DeclaredEvent {
    decode_bytes(record).unwrap()
}

fn reason(record: &str) -> String {
    decode_bytes(record).unwrap_err()
}

/// A record with a name of the envelope in another spelling.
fn with(name: &str, value: &str) -> String {
    let mut names = vec![("eventType", r#""E0""#), ("entityId", r#""x""#)];
    names.retain(|(known, _)| *known != name);
    names.push((name, value));
    let fields = names
        .iter()
        .map(|(name, value)| format!("{name:?}:{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

#[test]
fn the_seven_names_are_read() {
    let event = decode(SEED_RECORD);
    assert_eq!(event.event_type(), "ARTIST_FOLLOWED");
    assert_eq!(event.entity_id(), "user-123");
    assert_eq!(event.fork_id(), "prod");
    assert_eq!(event.tenant_schema(), "platform1_concertapp_prod");
    assert_eq!(event.sequence_number(), Some(1891));
    assert_eq!(event.ts(), Some(1_719_331_200_000));
    let codec = DeclaredCodec::new(&Program {
        envelope: Envelope::Causet,
        projections: Vec::new(),
    });
    let moment = Timestamp::from_unix_millis(1_719_331_200_000);
    assert_eq!(codec.created_at(&event), Some(moment));
}

#[test]
fn encoding_gives_the_record_back() {
    for record in [SEED_RECORD, &with("entityId", r#""\u0078\"""#)] {
        let event = decode(record);
        let mut out = b"before".to_vec();
        let codec = DeclaredCodec::new(&Program {
            envelope: Envelope::Causet,
            projections: Vec::new(),
        });
        codec.encode(&event, &mut out);
        assert_eq!(out, [b"before", record.as_bytes()].concat());
        let again = codec.decode(&mut Default::default(), Bytes::from(out).slice(6..));
        assert_eq!(again.unwrap(), event);
    }
}

#[test]
fn what_may_be_missing_may_be_missing() {
    let event = decode(r#" {"eventType":"E0","entityId":"x"} "#);
    assert_eq!(event.fork_id(), "");
    assert_eq!(event.tenant_schema(), "");
    assert_eq!((event.sequence_number(), event.ts()), (None, None));
    let event = decode(&with("tenantSchema", "null"));
    assert_eq!(event.tenant_schema(), "");
    let event = decode(&with("forkId", r#""""#));
    assert_eq!(event.fork_id(), "");
}

#[test]
fn escapes_are_resolved() {
    for (escaped, text) in [
        (r#"a\u0062"#, "ab"),
        (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r#"\u00E9\u20ac"#, "é€"),
        (r#"\ud83d\ude00!"#, "😀!"),
        (r#"\ufffd"#, "\u{fffd}"),
        ("é😀", "é😀"),
    ] {
        let event = decode(&with("entityId", &format!("\"{escaped}\"")));
        assert_eq!(event.entity_id(), text);
        let event = decode(&with("eventType", &format!("\"{escaped}\"")));
        assert_eq!((event.event_type(), event.entity_id()), (text, "x"));
    }
    // A key may be escaped as well.
    let event = decode(r#"{"\u0065ventType":"E0","entity\u0049d":"x"}"#);
    assert_eq!((event.event_type(), event.entity_id()), ("E0", "x"));
}

#[test]
fn of_a_name_that_stands_there_twice_the_last_one_counts() {
    let event = decode(
        r#"{"eventType":7,"eventType":"E0","entityId":"a","entityId":"b","sequenceNumber":"x","sequenceNumber":3,"payload":[],"payload":{}}"#,
    );
    assert_eq!((event.event_type(), event.entity_id()), ("E0", "b"));
    assert_eq!(event.sequence_number(), Some(3));
    let error = reason(r#"{"eventType":"E0","entityId":"a","entityId":null}"#);
    assert_eq!(error, "entityId is null, not a text");
    let error = reason(r#"{"eventType":"E0","entityId":"a","payload":{},"payload":7}"#);
    assert_eq!(error, "payload is a number, not an object");
}

#[test]
fn what_is_no_json_is_refused_with_the_column() {
    for (record, message) in [
        ("", "not valid JSON: EOF while parsing a value at column 0"),
        (
            r#"{"eventType":"E0","entityId":"x""#,
            "not valid JSON: EOF while parsing an object at column 32",
        ),
        (
            r#"{"eventType":"E0","entityId":"x"} {}"#,
            "not valid JSON: trailing characters at column 35",
        ),
        (
            r#"{"eventType":"E0","entityId":"x","payload":{"a":01}}"#,
            "not valid JSON: invalid number at column 50",
        ),
        (
            "{\"eventType\":\"E0\",\n\"entityId\":x}",
            "not valid JSON: expected value at line 2 column 12",
        ),
        (
            "{\"eventType\":\"E0\",\"entityId\":\"a\0b\"}",
            "not valid JSON: control character (\\u0000-\\u001F) found while parsing a string at column 31",
        ),
    ] {
        assert_eq!(reason(record), message, "{record:?}");
    }
}

#[test]
fn what_is_no_envelope_is_refused_with_the_reason() {
    for (record, message) in [
        ("[1]".to_owned(), "the record is an array, not an object"),
        (" null".to_owned(), "the record is null, not an object"),
        ("7".to_owned(), "the record is a number, not an object"),
        (r#"{"entityId":"x"}"#.to_owned(), "eventType is missing"),
        (r#"{"eventType":"E0"}"#.to_owned(), "entityId is missing"),
        (with("eventType", "null"), "eventType is null, not a text"),
        (with("eventType", r#"" \t""#), "eventType is blank"),
        (with("entityId", r#""""#), "entityId is blank"),
        (with("entityId", "5"), "entityId is a number, not a text"),
        (with("payload", "null"), "payload is null, not an object"),
        (
            with("payload", r#""x""#),
            "payload is a text, not an object",
        ),
        (
            with("payload", "[{}]"),
            "payload is an array, not an object",
        ),
        (
            with("tenantSchema", "{}"),
            "tenantSchema is an object, not a text",
        ),
        (with("forkId", "1"), "forkId is a number, not a text"),
        (
            with("irVersion", "false"),
            "irVersion is a truth value, not a text",
        ),
        (
            with("sequenceNumber", r#""1""#),
            "sequenceNumber is a text, not an integer",
        ),
        (
            with("sequenceNumber", "null"),
            "sequenceNumber is null, not an integer",
        ),
        (
            with("sequenceNumber", "1.0"),
            "sequenceNumber is 1.0, not an integer of 64 bits",
        ),
        (
            with("sequenceNumber", "9223372036854775808"),
            "sequenceNumber is 9223372036854775808, not an integer of 64 bits",
        ),
        (with("ts", "1e3"), "ts is 1e3, not an integer of 64 bits"),
        (with("ts", "true"), "ts is a truth value, not an integer"),
        (
            with("entityId", r#""a\u0000b""#),
            "entityId holds the character U+0000",
        ),
        (
            with("tenantSchema", r#""\u0000""#),
            "tenantSchema holds the character U+0000",
        ),
        (
            with("forkId", r#""\ud83d""#),
            "forkId holds half a surrogate pair, which is no character",
        ),
        (
            with("eventType", r#""\ude00\ud83d""#),
            "eventType holds half a surrogate pair, which is no character",
        ),
    ] {
        assert_eq!(reason(&record), message, "{record}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_wherever_they_stand() {
    let mut record = SEED_RECORD.as_bytes().to_vec();
    let at = record.len() - 6;
    record[at] = 0xff;
    let error = decode_bytes(record).unwrap_err();
    assert_eq!(error, format!("not UTF-8 behind byte {at}"));
}

#[test]
fn nesting_is_bounded_wherever_it_stands() {
    // The object of the record is the first level.
    for (levels, fits) in [(127, true), (128, false), (100_000, false)] {
        for name in ["payload", "extra"] {
            let (open, close) = match name {
                "payload" => (r#"{"a":"#, "}"),
                _ => ("[", "]"),
            };
            let value = format!("{}1{}", open.repeat(levels), close.repeat(levels));
            let decoded = decode_bytes(with(name, &value));
            match fits {
                true => assert!(decoded.is_ok(), "{levels} in {name}"),
                false => assert_eq!(decoded.unwrap_err(), "nested deeper than 128 levels"),
            }
        }
    }
    let brackets = format!("\"{}\\\"{}\"", "[".repeat(300), "{".repeat(300));
    decode(&with("entityId", &brackets));
    let flat = format!("[{}]", vec!["[]"; 500].join(","));
    decode(&with("extra", &flat));
}

#[test]
fn one_scratch_serves_records_of_any_size() {
    let codec = DeclaredCodec::new(&Program {
        envelope: Envelope::Causet,
        projections: Vec::new(),
    });
    let mut scratch = Default::default();
    let mut kept = Vec::new();
    for length in [1, 100_000, 3, 70_000, 2] {
        let entity = "\\n".repeat(length);
        let record = with("entityId", &format!("\"x{entity}\""));
        kept.push((length, codec.decode(&mut scratch, record.into()).unwrap()));
        assert!(
            codec
                .decode(&mut scratch, Bytes::from_static(b"{"))
                .is_err()
        );
    }
    for (length, event) in kept {
        assert_eq!(event.entity_id(), format!("x{}", "\n".repeat(length)));
    }
}
