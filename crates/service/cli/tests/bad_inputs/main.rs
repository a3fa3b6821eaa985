//! Bad inputs between good ones: each is a dead letter that says what is wrong, or does exactly
//! what it says; its neighbours are applied, and nothing of it is ever executed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

#[path = "../common/mod.rs"]
mod common;

mod cases;
mod hostile;

use std::collections::BTreeSet;

use common::Place;
use common::client::Client;
use rusqlite::Connection;
use serde_json::json;

use cases::{Becomes, Case};

const PROJECTIONS: &str = r#"
projections:
  things:
    source_events: [SEEN, COUNTED]
    target: { table: things, primary_key: [id] }
    fields:
      id: TEXT
      name: TEXT
      size: INT
      count: { type: BIGINT, default: 0 }
      price: NUMERIC(6,2)
      ratio: DOUBLE
      at: TIMESTAMPTZ
      tag: UUID
      fine: BOOLEAN
      raw: JSONB
    derive:
      id: event.id
      name: event.name
      size: event.size
      price: event.price
      ratio: event.ratio
      at: event.at
      tag: event.tag
      fine: event.fine
      raw: event.raw
    mutations:
      SEEN: { op: upsert }
      COUNTED: { op: increment, by: { count: event.count, price: event.price } }
"#;

/// A good event, which makes the row of this id.
fn good(id: &str) -> Vec<u8> {
    let event = json!({
        "eventType": "SEEN",
        "entityId": format!("entity of {id}"),
        "sequenceNumber": 1,
        "payload": { "id": id, "name": id },
    });
    event.to_string().into_bytes()
}

/// A target in which someone keeps a table of their own.
fn place_of(lines: &[&[u8]]) -> Place {
    let place = Place::with_events(PROJECTIONS, lines.join(&b'\n'));
    place.append("\n");
    let connection = Connection::open(place.views()).unwrap();
    connection
        .execute_batch("CREATE TABLE precious (x); INSERT INTO precious VALUES (7)")
        .unwrap();
    place
}

/// Nothing but the program's tables came, and what was there is there.
fn assert_nothing_was_executed(client: &Client) {
    let names = client.table_names();
    assert_eq!(names.iter().collect::<Vec<_>>(), ["precious", "things"]);
    let precious = client
        .connection
        .query_row("SELECT x FROM precious", [], |row| row.get(0));
    assert_eq!(precious, Ok(7));
    assert_eq!(client.integrity(), "ok");
}

/// The rows of both good events are there.
fn assert_neighbours(client: &Client, name: &str) {
    let ids: Vec<String> = client
        .rows("things")
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    for neighbour in ["before", "after"] {
        assert!(ids.iter().any(|id| id == neighbour), "{name}: {ids:?}");
    }
}

fn judge(case: &Case, place: &Place) {
    let Case { name, becomes, .. } = case;
    println!("{name}");
    let client = place.client();
    assert_neighbours(&client, name);
    let counts = client.lanes()["things"].counts.clone();
    let counted = |of: &str| (counts["read"], counts[of]);
    match becomes {
        Becomes::Letter { class, .. } => {
            judge_letter(case, &client);
            let expected = if *class == "envelope" { (2, 0) } else { (3, 1) };
            assert_eq!(counted("dead_lettered"), expected, "{name}");
        }
        Becomes::Stale => assert_eq!(counted("stale"), (3, 1), "{name}"),
        Becomes::Nothing => assert_eq!(counted("applied"), (2, 2), "{name}"),
        Becomes::Row { row } => {
            assert_eq!(counted("applied"), (3, 3), "{name}");
            let rows = client.rows("things");
            let found = rows.iter().any(|found| {
                let mut wanted = row.as_object().unwrap().iter();
                wanted.all(|(column, value)| found[column] == *value)
            });
            assert!(found, "{name}: no {row} in {rows:?}");
        }
    }
    if !matches!(becomes, Becomes::Letter { .. }) {
        assert_eq!(client.letters(), [], "{name}");
    }
    assert_nothing_was_executed(&client);
}

/// There is one dead letter, it says what is wrong, and it has the bytes.
fn judge_letter(case: &Case, client: &Client) {
    let Case {
        name,
        line,
        becomes:
            Becomes::Letter {
                class,
                field,
                words,
            },
    } = case
    else {
        panic!("{} becomes no letter", case.name);
    };
    let letters = client.letters();
    let [letter] = letters.as_slice() else {
        panic!("{name}: {letters:?}");
    };
    let projection = if *class == "envelope" { "" } else { "things" };
    assert_eq!(
        (&*letter.class, &*letter.projection),
        (*class, projection),
        "{name}: {letter:?}"
    );
    assert_eq!(letter.field.as_deref(), *field, "{name}: {letter:?}");
    let error = &letter.error;
    for word in *words {
        assert!(error.contains(word), "{name}: {error:?} lacks {word}");
    }
    assert_readable(name, error);
    let kept = line.strip_suffix(b"\r").unwrap_or(line);
    assert!(
        kept.starts_with(&letter.event),
        "{name}: other bytes are kept"
    );
    let whole = letter.event.len() == kept.len();
    assert!(
        whole || letter.event.len() == 64 * 1024,
        "{name}: too little is kept"
    );
}

/// A message is a sentence on one line that a terminal can show.
fn assert_readable(name: &str, error: &str) {
    assert!(
        !error.is_empty() && error.chars().count() <= 300,
        "{name}: {error:?}"
    );
    assert!(!error.chars().any(char::is_control), "{name}: {error:?}");
    for debris in ["Error(", "SqliteFailure", "Some(", "Utf8Error", "panicked"] {
        assert!(!error.contains(debris), "{name}: {error:?}");
    }
}

#[test]
fn each_between_two_good_events() {
    let cases = cases::all();
    assert!(cases.len() >= 20);
    for case in cases {
        let place = place_of(&[&good("before"), &case.line, &good("after")]);
        let ended = place.ended(&["--fail-on-dead-letters"]);
        let is_letter = matches!(case.becomes, Becomes::Letter { .. });
        assert_eq!(ended.code, i32::from(is_letter), "{}: {ended:?}", case.name);
        assert!(
            !ended.stderr.contains("panicked"),
            "{}: {ended:?}",
            case.name
        );
        judge(&case, &place);
        // What is passed is passed, and without being asked a letter is no failure.
        let again = place.ended(&[]);
        assert_eq!(again.code, 0, "{}: {again:?}", case.name);
        assert_eq!(
            again.last_line_as_json(),
            ended.last_line_as_json(),
            "{}",
            case.name
        );
    }
}

#[test]
fn all_in_one_batch_and_one_by_one() {
    let cases = cases::all();
    let mut lines = vec![good("before")];
    lines.extend(cases.iter().map(|case| case.line.clone()));
    lines.push(good("after"));
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let mut results = Vec::new();
    for max_batch in ["20000", "1", "3"] {
        let place = place_of(&lines);
        let summary = place.run_once(&["--max-batch", max_batch]);
        let client = place.client();
        assert_neighbours(&client, max_batch);
        let letters = client.letters();
        let expected = cases
            .iter()
            .filter(|case| matches!(case.becomes, Becomes::Letter { .. }));
        assert_eq!(letters.len(), expected.count(), "{max_batch}");
        let letters: Vec<_> = letters
            .into_iter()
            .map(|letter| (letter.projection, letter.class, letter.field, letter.event))
            .collect();
        let mut counts = summary["projections"]["things"].clone();
        counts["folded"] = json!(0);
        results.push((client.tables(), BTreeSet::from_iter(letters), counts));
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
}
