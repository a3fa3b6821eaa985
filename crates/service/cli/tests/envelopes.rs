//! Each envelope from file to table: the examples of the guide, and the same events in four
//! envelopes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers are parts of tests"
)]

mod common;

use std::fs;
use std::path::Path;

use common::{Place, Random};
use rusqlite::types::ValueRef;
use serde_json::{Value, json};

/// The fenced blocks of a language in a part of the guide.
fn blocks<'a>(part: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let opened = part.split(fence.as_str()).skip(1);
    opened
        .map(|block| block.split("```").next().unwrap())
        .collect()
}

/// The rows of a table as `sqlite3` prints them.
fn printed(place: &Place, table: &str) -> String {
    let client = place.client();
    let sql = format!("SELECT * FROM \"{table}\" ORDER BY 1");
    let mut statement = client.connection.prepare(&sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let cells = (0..columns).map(|at| match row.get_ref(at)? {
            ValueRef::Null => Ok(String::new()),
            ValueRef::Integer(number) => Ok(number.to_string()),
            ValueRef::Text(text) => Ok(String::from_utf8_lossy(text).into_owned()),
            other => panic!("no column of the guide holds {other:?}"),
        });
        cells.collect::<rusqlite::Result<Vec<_>>>()
    });
    rows.unwrap()
        .map(|row| row.unwrap().join("|") + "\n")
        .collect()
}

#[test]
fn the_examples_of_the_guide_give_the_rows_that_it_shows() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/guides/envelopes.md");
    let guide = fs::read_to_string(guide).unwrap();
    let mut examples = 0;
    for part in guide.split("\n## ").skip(1) {
        let files = blocks(part, "yaml");
        let (events, rows) = (blocks(part, "json"), blocks(part, "text"));
        assert_eq!((files.len(), events.len(), rows.len()), (1, 1, 1), "{part}");
        let place = Place::with_events(files[0], events[0]);
        let summary = place.run_once(&[]);
        assert_eq!(summary["source"]["malformed"], 0, "{summary}");
        let (name, counts) = summary["projections"]
            .as_object()
            .unwrap()
            .iter()
            .next()
            .unwrap();
        assert_eq!(counts["dead_lettered"], 0, "{summary}");
        assert_eq!(printed(&place, name), rows[0]);
        examples += 1;
    }
    assert_eq!(examples, 3);
}

/// One event of an order, whatever the envelope.
struct Happened {
    kind: &'static str,
    order: u64,
    number: u64,
    millis: u64,
    total: u64,
}

const KINDS: [&str; 3] = ["create", "update", "delete"];

fn file(envelope: &str, prefix: &str) -> String {
    let types: Vec<String> = KINDS.iter().map(|kind| format!("{prefix}{kind}")).collect();
    let [create, update, delete] = types.as_slice() else {
        panic!("there are three kinds");
    };
    format!(
        "envelope: {envelope}
projections:
  orders:
    source_events: [{create}, {update}, {delete}]
    target: {{ table: orders, primary_key: [id] }}
    fields: {{ id: TEXT, total: BIGINT, number: BIGINT, at: TIMESTAMPTZ, millis: BIGINT, raw: JSONB }}
    derive:
      id: event.entityId
      total: event.total
      number: event.sequenceNumber
      at: event.ts
      millis: event.meta.ts
      raw: event.payload
    mutations:
      {create}: {{ op: upsert }}
      {update}: {{ op: upsert }}
      {delete}: {{ op: delete }}
"
    )
}

impl Happened {
    fn drawn(random: &mut Random, number: u64) -> Self {
        // Some are late: the guard must see the same number under each envelope.
        let late = if random.once_in(5) { 7 } else { 0 };
        Self {
            kind: KINDS[usize::try_from(random.within(0..=2)).unwrap()],
            order: random.within(1..=6),
            number: number.saturating_sub(late),
            millis: 1_719_331_200_000 + random.within(0..=86_399_999),
            total: random.within(0..=1_000),
        }
    }

    fn row(&self) -> Value {
        json!({ "id": self.order, "total": self.total })
    }

    fn time(&self) -> String {
        let in_day = self.millis - 1_719_331_200_000 + 16 * 3_600_000;
        let (day, in_day) = (25 + in_day / 86_400_000, in_day % 86_400_000);
        let (seconds, millis) = (in_day / 1000, in_day % 1000);
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        let (hours, minutes) = (minutes / 60, minutes % 60);
        format!("2024-06-{day}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}456Z")
    }

    fn causet(&self) -> Value {
        json!({
            "eventType": self.kind, "entityId": self.order.to_string(),
            "sequenceNumber": self.number, "ts": self.millis, "payload": self.row(),
        })
    }

    fn cloud_event(&self) -> Value {
        json!({
            "specversion": "1.0", "id": "x", "source": "/shop", "type": self.kind,
            "subject": self.order.to_string(), "sequence": self.number.to_string(),
            "time": self.time(), "data": self.row(),
        })
    }

    fn mapped(&self) -> Value {
        json!({ "at": self.time(), "what": [self.kind], "who": { "a b": self.order },
                "n": self.number, "body": self.row() })
    }

    fn change(&self, with_schema: bool) -> Value {
        let is_delete = self.kind == "delete";
        let change = json!({
            "op": self.kind[..1],
            "before": if is_delete { self.row() } else { Value::Null },
            "after": if is_delete { Value::Null } else { self.row() },
            "source": { "table": "orders", "lsn": self.number, "ts_ms": self.millis },
            "ts_ms": 5,
        });
        if with_schema {
            json!({ "schema": { "type": "struct", "fields": [] }, "payload": change })
        } else {
            change
        }
    }
}

/// The rows that the events leave, by a plain fold of them.
fn folded(events: &[Happened]) -> String {
    let mut last = [-1; 7];
    let mut rows: [Option<&Happened>; 7] = [None; 7];
    for event in events {
        let order = usize::try_from(event.order).unwrap();
        let number = i64::try_from(event.number).unwrap();
        if number > last[order] {
            last[order] = number;
            rows[order] = (event.kind != "delete").then_some(event);
        }
    }
    let rows = rows.iter().flatten().map(|event| {
        let Happened {
            order,
            total,
            number,
            millis,
            ..
        } = event;
        let at = event.time().replace("456Z", "Z");
        format!("{order}|{total}|{number}|{at}|{millis}|{}\n", event.row())
    });
    rows.collect()
}

fn lines(events: &[Happened], of: impl Fn(&Happened) -> Value) -> String {
    events
        .iter()
        .map(|event| of(event).to_string() + "\n")
        .collect()
}

#[test]
fn the_same_events_give_the_same_rows_in_every_envelope() {
    for seed in 1..=3 {
        println!("seed {seed}");
        let mut random = Random::seeded(seed);
        let events: Vec<Happened> = (1..=200)
            .map(|at| Happened::drawn(&mut random, at))
            .collect();
        let mapping = "{ type: '$.what[0]', entity: \"$.who['a b']\", sequence: $.n, ts: $.at, \
                       payload: $.body }";
        let debezium = "{ debezium: { key: [id] } }";
        let expected = folded(&events);
        assert!(expected.lines().count() > 1);
        for (envelope, prefix, lines) in [
            ("causet", "", lines(&events, Happened::causet)),
            ("cloudevents", "", lines(&events, Happened::cloud_event)),
            (mapping, "", lines(&events, Happened::mapped)),
            (
                debezium,
                "orders.",
                lines(&events, |event| event.change(false)),
            ),
            (
                debezium,
                "orders.",
                lines(&events, |event| event.change(true)),
            ),
        ] {
            let place = Place::with_events(&file(envelope, prefix), lines);
            let summary = place.run_once(&[]);
            assert_eq!(
                summary["source"],
                json!({ "read": 200, "malformed": 0 }),
                "{envelope}"
            );
            assert_eq!(printed(&place, "orders"), expected, "{envelope}");
        }
    }
}

#[test]
fn what_is_no_event_is_counted_and_what_is_wrong_is_a_letter() {
    let change = r#"{"op":"c","after":{"id":1,"total":2},"source":{"table":"orders","lsn":1}}"#;
    let emptied = r#"{"op":"t","source":{"table":"orders","lsn":9}}"#;
    let events = [change, "null", r#"{"op":"m","message":{}}"#, emptied, "[1]"].join("\n") + "\n";
    let place = Place::with_events(&file("{ debezium: { key: [id] } }", "orders."), events);
    let summary = place.run_once(&[]);
    assert_eq!(summary["source"], json!({ "read": 3, "malformed": 2 }));
    let counts = &summary["projections"]["orders"];
    assert_eq!(
        (&counts["applied"], &counts["unmatched"]),
        (&json!(1), &json!(2))
    );
    let letters = place.client().letters();
    let errors: Vec<&str> = letters.iter().map(|letter| letter.error.as_str()).collect();
    assert!(
        errors
            .iter()
            .any(|error| error.contains("the table orders was emptied")),
        "{errors:?}"
    );
    let bytes = r#"{"type":"create","source":"/s","sequence":1,"data_base64":"AA=="}"#;
    let place = Place::with_events(&file("cloudevents", ""), format!("{bytes}\n"));
    let summary = place.run_once(&[]);
    assert_eq!(
        summary["projections"]["orders"]["dead_lettered"], 1,
        "{summary}"
    );
    let letters = place.client().letters();
    assert_eq!(letters[0].class, "data");
    assert!(letters[0].error.contains("data_base64"), "{letters:?}");
    assert_eq!(letters[0].event, bytes.as_bytes());
}
