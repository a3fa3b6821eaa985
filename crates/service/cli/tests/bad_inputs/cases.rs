//! The bad inputs, and what must become of each.

use serde_json::{Value, json};

/// A line between two good ones.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) line: Vec<u8>,
    pub(crate) becomes: Becomes,
}

/// What must become of a line.
pub(crate) enum Becomes {
    /// A dead letter that says these words.
    Letter {
        class: &'static str,
        field: Option<&'static str>,
        words: &'static [&'static str],
    },
    /// It is counted as stale.
    Stale,
    /// It is no record at all.
    Nothing,
    /// It is applied: there is a row with these cells.
    Row { row: Value },
}

fn envelope(name: &'static str, line: impl Into<Vec<u8>>, words: &'static [&'static str]) -> Case {
    let becomes = Becomes::Letter {
        class: "envelope",
        field: None,
        words,
    };
    Case {
        name,
        line: line.into(),
        becomes,
    }
}

fn data(
    name: &'static str,
    event: impl Into<Vec<u8>>,
    field: &'static str,
    words: &'static [&'static str],
) -> Case {
    let becomes = Becomes::Letter {
        class: "data",
        field: Some(field),
        words,
    };
    Case {
        name,
        line: event.into(),
        becomes,
    }
}

fn row(name: &'static str, line: impl Into<Vec<u8>>, row: Value) -> Case {
    Case {
        name,
        line: line.into(),
        becomes: Becomes::Row { row },
    }
}

/// An event of the entity `bad`, with a part of its payload as text: JSON that a tree of values
/// could not hold.
fn with(payload: &str) -> String {
    format!(
        r#"{{"eventType":"SEEN","entityId":"bad","sequenceNumber":1,"payload":{{"id":"bad",{payload}}}}}"#
    )
}

/// An increment of the entity `bad`.
fn counted(payload: &str) -> String {
    with(payload).replace("SEEN", "COUNTED")
}

pub(crate) fn all() -> Vec<Case> {
    let mut all = broken_lines();
    all.extend(no_records());
    all.extend(envelopes());
    all.extend(values());
    all.extend(typed_values());
    all.extend(numbers());
    all.extend(exponents());
    all.extend(amounts());
    all.extend(super::hostile::tenants());
    all.extend(super::hostile::statements());
    // In one file the events of one entity would make each other stale.
    for (number, case) in all.iter_mut().enumerate() {
        case.line = replaced(&case.line, "\"bad\"", &format!("\"bad {number}\""));
        if let Becomes::Row { row } = &mut case.becomes
            && row["id"] == "bad"
        {
            row["id"] = json!(format!("bad {number}"));
        }
    }
    all
}

fn replaced(line: &[u8], old: &str, new: &str) -> Vec<u8> {
    match std::str::from_utf8(line) {
        Ok(text) => text.replace(old, new).into(),
        Err(_) => line.into(),
    }
}

fn broken_lines() -> Vec<Case> {
    vec![
        envelope(
            "no JSON",
            "not json",
            &["line 2: not valid JSON", "column 2"],
        ),
        envelope(
            "truncated JSON",
            &with("\"name\":\"x\"")[..50],
            &["line 2: not valid JSON"],
        ),
        envelope(
            "JSON behind the event",
            with("\"a\":1") + " {}",
            &["trailing characters"],
        ),
        envelope(
            "an array",
            "[1]",
            &["the record is an array, not an object"],
        ),
        envelope("a number", "5", &["the record is a number, not an object"]),
        envelope("null", "null", &["the record is null, not an object"]),
        envelope("a text", "\"x\"", &["the record is a text, not an object"]),
        envelope("single quotes", "{'eventType':'SEEN'}", &["not valid JSON"]),
        envelope("NaN", with("\"ratio\":NaN"), &["not valid JSON"]),
        envelope("a leading zero", with("\"size\":007"), &["not valid JSON"]),
    ]
}

fn no_records() -> Vec<Case> {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let huge = with(&format!(r#""name":"{}""#, "x".repeat(10 << 20)));
    vec![
        envelope(
            "100,000 arrays",
            with(&format!("\"raw\":{deep}")),
            &["deeper than 128 levels"],
        ),
        envelope(
            "100,000 open arrays",
            "[".repeat(100_000),
            &["deeper than 128 levels"],
        ),
        envelope("10 MB", huge, &["bytes, at most 4194304 are allowed"]),
        envelope(
            "a raw NUL",
            with("\"name\":\"a\0b\""),
            &["not valid JSON", "control character"],
        ),
        envelope("nothing but NUL", "\0\0\0", &["not valid JSON"]),
        envelope(
            "invalid UTF-8",
            b"{\"eventType\":\"\xff\"}".to_vec(),
            &["not UTF-8 behind byte 14"],
        ),
        envelope(
            "half of a character",
            b"{\"eventType\":\"\xe2\x82".to_vec(),
            &["not UTF-8"],
        ),
        envelope(
            "a byte order mark in the middle",
            "\u{feff}".to_owned() + &with("\"a\":1"),
            &["not valid JSON"],
        ),
        Case {
            name: "a carriage return alone",
            line: b"\r".to_vec(),
            becomes: Becomes::Nothing,
        },
        row(
            "a line end of Windows",
            with("\"name\":\"w\"") + "\r",
            json!({ "id": "bad", "name": "w" }),
        ),
    ]
}

fn envelopes() -> Vec<Case> {
    let changed = |old: &str, new: &str| with("\"name\":\"x\"").replace(old, new);
    let sequence = |number: &str| {
        changed(
            "\"sequenceNumber\":1",
            &format!("\"sequenceNumber\":{number}"),
        )
    };
    vec![
        envelope("an empty object", "{}", &["eventType is missing"]),
        envelope("no eventType", changed("eventType", "event_type"), &["eventType is missing"]),
        envelope("eventType is null", changed("\"SEEN\"", "null"), &["eventType is null"]),
        envelope("eventType is a number", changed("\"SEEN\"", "7"), &["eventType is a number"]),
        envelope("entityId is blank", changed("\"entityId\":\"bad\"", "\"entityId\":\" \\t\""), &["entityId is blank"]),
        envelope("entityId holds NUL", changed("\"entityId\":\"bad\"", "\"entityId\":\"a\\u0000\""), &["entityId", "U+0000"]),
        envelope("half a surrogate pair in entityId", changed("\"entityId\":\"bad\"", "\"entityId\":\"\\ud800\""), &["entityId", "surrogate"]),
        envelope("sequenceNumber is a text", sequence("\"1\""), &["sequenceNumber is a text"]),
        envelope("sequenceNumber has a fraction", sequence("1.5"), &["sequenceNumber is 1.5"]),
        envelope("sequenceNumber is too large", sequence("9223372036854775808"), &["sequenceNumber", "64 bits"]),
        envelope("payload is an array", changed("\"payload\":{\"id\":\"bad\",\"name\":\"x\"}", "\"payload\":[1]"), &["payload is an array"]),
        data("no sequenceNumber", changed("\"sequenceNumber\":1,", ""), "sequenceNumber", &["no sequenceNumber", "sequence: none"]),
        Case {
            name: "a number that goes back",
            line: br#"{"eventType":"SEEN","entityId":"entity of before","sequenceNumber":0,"payload":{"id":"before","name":"older"}}"#.to_vec(),
            becomes: Becomes::Stale,
        },
        data("no payload", r#"{"eventType":"SEEN","entityId":"bad","sequenceNumber":1}"#, "id", &["key column id has no value"]),
        row("a key that stands there twice", with("\"name\":\"first\",\"name\":\"last\""), json!({ "id": "bad", "name": "last" })),
        row("an envelope key that stands there twice", changed("\"sequenceNumber\":1", "\"sequenceNumber\":\"x\",\"sequenceNumber\":1"), json!({ "id": "bad" })),
    ]
}

fn values() -> Vec<Case> {
    vec![
        data(
            "no key column",
            with("\"a\":1").replace("\"id\"", "\"no_id\""),
            "id",
            &["key column id has no value"],
        ),
        data(
            "a key column that is null",
            with("\"a\":1").replace("\"id\":\"bad\"", "\"id\":null"),
            "id",
            &["key column id"],
        ),
        data(
            "an object for a text",
            with("\"name\":{\"first\":\"x\"}"),
            "name",
            &["is an object", "TEXT wants"],
        ),
        data(
            "a text for an integer",
            with("\"size\":\"many\""),
            "size",
            &["\"many\" is text", "INT wants"],
        ),
        data(
            "a NUL in a text",
            with("\"name\":\"a\\u0000b\""),
            "name",
            &["U+0000"],
        ),
        data(
            "a NUL in JSON",
            with("\"raw\":{\"a\":[\"\\u0000\"]}"),
            "raw",
            &["U+0000"],
        ),
        data(
            "half a surrogate pair",
            with("\"name\":\"\\ud83d\""),
            "name",
            &["surrogate"],
        ),
        data(
            "half a surrogate pair in JSON",
            with("\"raw\":[\"\\udc00\"]"),
            "raw",
            &["surrogate"],
        ),
    ]
}

fn typed_values() -> Vec<Case> {
    vec![
        data(
            "a text for a truth value",
            with("\"fine\":\"true\""),
            "fine",
            &["BOOLEAN wants"],
        ),
        data("no UUID", with("\"tag\":\"123\""), "tag", &["is no UUID"]),
        data(
            "no moment",
            with("\"at\":\"yesterday\""),
            "at",
            &["is no RFC 3339 text"],
        ),
        data(
            "a moment without a zone",
            with("\"at\":\"2024-06-25T16:00:00\""),
            "at",
            &["no time zone"],
        ),
        data(
            "the thirtieth of February",
            with("\"at\":\"2024-02-30T00:00:00Z\""),
            "at",
            &["does not exist"],
        ),
        row(
            "a whole surrogate pair",
            with("\"name\":\"\\ud83d\\ude00\""),
            json!({ "id": "bad", "name": "😀" }),
        ),
    ]
}

fn numbers() -> Vec<Case> {
    vec![
        data(
            "an integer above INT",
            with("\"size\":2147483648"),
            "size",
            &["out of range", "2147483647"],
        ),
        data(
            "an integer below INT",
            with("\"size\":-2147483649"),
            "size",
            &["out of range"],
        ),
        data(
            "a fraction for an integer",
            with("\"size\":5.5"),
            "size",
            &["has a fraction"],
        ),
        data(
            "a decimal before the point too long",
            with("\"price\":12345"),
            "price",
            &["5 digits before", "NUMERIC(6,2)"],
        ),
        data(
            "a decimal behind the point too long",
            with("\"price\":0.125"),
            "price",
            &["3 digits after", "NUMERIC(6,2)"],
        ),
    ]
}

fn exponents() -> Vec<Case> {
    vec![
        data(
            "1e400 in DOUBLE",
            with("\"ratio\":1e400"),
            "ratio",
            &["1e400 is out of range"],
        ),
        data(
            "1e400 in NUMERIC",
            with("\"price\":1e400"),
            "price",
            &["1e400"],
        ),
        data(
            "1e1000000000 in INT",
            with("\"size\":1e1000000000"),
            "size",
            &["out of range"],
        ),
        data(
            "1e1000000000 in NUMERIC",
            with("\"price\":1e1000000000"),
            "price",
            &["digits"],
        ),
        data(
            "1e-1000000000 in DOUBLE",
            with("\"ratio\":1e-1000000000"),
            "ratio",
            &["out of range"],
        ),
    ]
}

fn amounts() -> Vec<Case> {
    vec![
        data(
            "nothing to add",
            counted("\"price\":1"),
            "count",
            &["nothing to add"],
        ),
        data(
            "an amount that is no number",
            counted("\"count\":1,\"price\":\"x\""),
            "price",
            &["\"x\" is text"],
        ),
        data(
            "an amount above BIGINT",
            counted("\"count\":9223372036854775808,\"price\":1"),
            "count",
            &["out of range"],
        ),
        row(
            "the largest amount",
            counted("\"count\":9223372036854775807,\"price\":1"),
            json!({ "id": "bad", "count": i64::MAX, "price": "1.00" }),
        ),
        row(
            "1e3 in INT",
            with("\"size\":1e3"),
            json!({ "id": "bad", "size": 1000 }),
        ),
    ]
}
