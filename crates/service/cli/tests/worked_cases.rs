//! Worked cases: a few events that other sinks are known to get wrong, with what must be there
//! behind them. The rows are written out here, not computed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::Place;
use serde_json::{Value, json};

/// Who follows whom: the example of the format.
const FOLLOWERS: &str = r#"
projections:
  artist_followers:
    source_events: [FOLLOWED, UNFOLLOWED]
    target: { table: artist_followers, primary_key: [user_id, artist_id] }
    fields: { user_id: TEXT, artist_id: TEXT, followed_at: BIGINT }
    derive: { user_id: event.user_id, artist_id: event.artist_id, followed_at: event.ts }
    mutations:
      FOLLOWED: { op: upsert }
      UNFOLLOWED: { op: delete }
"#;

/// An event of `user-123`.
fn event(event_type: &str, number: u64, ts: u64, payload: &Value) -> String {
    let event = json!({
        "eventType": event_type,
        "entityId": "user-123",
        "tenantSchema": "t1",
        "sequenceNumber": number,
        "ts": ts,
        "payload": payload,
    });
    format!("{event}\n")
}

/// The cells of a table's rows in the order of `columns`, sorted.
fn cells(place: &Place, table: &str, columns: &[&str]) -> Vec<Vec<Value>> {
    let rows = place.client().rows(table);
    let mut cells: Vec<Vec<Value>> = rows
        .iter()
        .map(|row| columns.iter().map(|column| row[*column].clone()).collect())
        .collect();
    cells.sort_by_key(|row| json!(row).to_string());
    cells
}

/// The lane is behind the last byte and the last line of the file.
fn assert_at_the_end(place: &Place, projection: &str, events: &str) {
    let lane = place.client().lanes()[projection].clone();
    let at = format!("{}:{}:", events.len(), events.lines().count());
    let offset = lane.offset.unwrap();
    assert!(offset.starts_with(&at), "{offset} is not behind {at}");
}

#[test]
fn a_key_that_comes_twice_in_a_batch_is_one_row_with_the_later_value() {
    let followed = json!({ "user_id": "u1", "artist_id": "a1" });
    let events = event("FOLLOWED", 10, 1000, &followed) + &event("FOLLOWED", 11, 2000, &followed);
    let place = Place::with_events(FOLLOWERS, &events);
    let summary = place.run_once(&[]);
    let told = &summary["projections"]["artist_followers"];
    assert_eq!((&told["applied"], &told["folded"]), (&json!(2), &json!(1)));
    assert_eq!(
        cells(
            &place,
            "t1__artist_followers",
            &["user_id", "artist_id", "followed_at"]
        ),
        [[json!("u1"), json!("a1"), json!(2000)]]
    );
    assert_eq!(place.client().letters(), []);
    assert_at_the_end(&place, "artist_followers", &events);
}

#[test]
fn a_row_is_there_again_when_its_delete_and_a_later_upsert_share_a_batch() {
    let followed = json!({ "user_id": "u1", "artist_id": "a1" });
    let other = json!({ "user_id": "u1", "artist_id": "a2" });
    let events = [
        event("FOLLOWED", 1, 1000, &followed),
        event("FOLLOWED", 2, 1500, &other),
        event("UNFOLLOWED", 3, 2000, &followed),
        event("FOLLOWED", 4, 3000, &followed),
        event("UNFOLLOWED", 5, 4000, &other),
    ]
    .concat();
    let place = Place::with_events(FOLLOWERS, &events);
    place.run_once(&[]);
    assert_eq!(
        cells(
            &place,
            "t1__artist_followers",
            &["artist_id", "followed_at"]
        ),
        [[json!("a1"), json!(3000)]]
    );
}

#[test]
fn a_table_of_key_columns_only_takes_the_same_key_twice() {
    let declared = r#"
projections:
  follows:
    source_events: [FOLLOWED]
    target: { table: follows, primary_key: [user_id, artist_id] }
    fields: { user_id: TEXT, artist_id: TEXT }
    derive: { user_id: event.user_id, artist_id: event.artist_id }
    mutations: { FOLLOWED: { op: upsert } }
"#;
    let followed = json!({ "user_id": "u1", "artist_id": "a1" });
    let events = event("FOLLOWED", 1, 1000, &followed) + &event("FOLLOWED", 2, 2000, &followed);
    for max_batch in ["20000", "1"] {
        let place = Place::with_events(declared, &events);
        place.run_once(&["--max-batch", max_batch]);
        assert_eq!(
            cells(&place, "t1__follows", &["user_id", "artist_id"]),
            [[json!("u1"), json!("a1")]]
        );
        assert_eq!(place.client().letters(), []);
    }
}

#[test]
fn one_bad_value_costs_its_own_event_and_no_other() {
    let declared = r#"
projections:
  artist_followers:
    source_events: [FOLLOWED]
    target: { table: artist_followers, primary_key: [user_id, artist_id] }
    fields: { user_id: TEXT, artist_id: TEXT, followed_at: BIGINT }
    derive: { user_id: event.user_id, artist_id: event.artist_id, followed_at: event.payload.when }
    mutations: { FOLLOWED: { op: upsert } }
  follows:
    source_events: [FOLLOWED]
    target: { table: follows, primary_key: [user_id, artist_id] }
    fields: { user_id: TEXT, artist_id: TEXT }
    derive: { user_id: event.user_id, artist_id: event.artist_id }
    mutations: { FOLLOWED: { op: upsert } }
"#;
    let line = |number: u64| {
        let when = if number == 500 {
            json!("abc")
        } else {
            json!(number)
        };
        let payload = json!({ "user_id": "u1", "artist_id": format!("a{number}"), "when": when });
        event("FOLLOWED", number, number, &payload)
    };
    let events: String = (1..=1000).map(line).collect();
    let place = Place::with_events(declared, &events);
    place.run_once(&[]);
    let client = place.client();
    let stored = client.rows("t1__artist_followers");
    assert_eq!(stored.len(), 999);
    assert!(stored.iter().all(|row| row["artist_id"] != "a500"));
    assert_eq!(client.rows("t1__follows").len(), 1000);
    let letters = client.letters();
    let [letter] = letters.as_slice() else {
        panic!("one event is wrong: {letters:?}");
    };
    assert_eq!(letter.projection, "artist_followers");
    assert_eq!(letter.class, "data");
    assert_eq!(letter.field.as_deref(), Some("followed_at"));
    assert!(letter.error.contains("abc"), "{}", letter.error);
    assert_eq!(letter.event, line(500).trim_end().as_bytes());
    for projection in ["artist_followers", "follows"] {
        assert_at_the_end(&place, projection, &events);
    }
}

#[test]
fn a_nul_is_refused_alone_or_becomes_what_its_column_says() {
    let declared = |nul: &str| {
        format!(
            "projections:
  names:
    source_events: [NAMED]
    target: {{ table: names, primary_key: [id] }}
    fields: {{ id: TEXT, name: {{ type: TEXT{nul} }} }}
    derive: {{ id: event.id, name: event.name }}
    mutations: {{ NAMED: {{ op: upsert }} }}
"
        )
    };
    let named = |number: u64, name: &str| {
        let payload = json!({ "id": format!("n{number}"), "name": name });
        event("NAMED", number, number, &payload)
    };
    let events = named(1, "first") + &named(2, "a\0b") + &named(3, "last");
    for (nul, stored) in [
        ("", None),
        (", nul: error", None),
        (", nul: strip", Some("ab")),
        (", nul: replace", Some("a\u{fffd}b")),
    ] {
        let place = Place::with_events(&declared(nul), &events);
        place.run_once(&[]);
        let mut expected = vec![[json!("n1"), json!("first")], [json!("n3"), json!("last")]];
        if let Some(stored) = stored {
            expected.insert(1, [json!("n2"), json!(stored)]);
        }
        assert_eq!(
            cells(&place, "t1__names", &["id", "name"]),
            expected,
            "{nul}"
        );
        let letters = place.client().letters();
        let fields: Vec<_> = letters.iter().map(|one| one.field.as_deref()).collect();
        let refused: &[Option<&str>] = if stored.is_none() {
            &[Some("name")]
        } else {
            &[]
        };
        assert_eq!(fields, refused, "{nul}");
    }
}

#[test]
fn names_that_are_words_of_sql_or_hold_quotes_are_names() {
    let declared = r#"
projections:
  order:
    source_events: [SET]
    target: { table: order, primary_key: [select], indexes: [["group", "it's \"quoted\""]] }
    fields: { select: TEXT, "group": TEXT, "it's \"quoted\"": INT }
    derive: { select: event.entityId, "group": event.payload.group }
    mutations:
      SET: { op: increment, by: { "it's \"quoted\"": 1 }, set: { "group": event.payload.group } }
"#;
    let events = event("SET", 1, 1, &json!({ "group": "a" }))
        + &event("SET", 2, 2, &json!({ "group": "b" }));
    let place = Place::with_events(declared, &events);
    place.run_once(&[]);
    assert_eq!(
        cells(&place, "t1__order", &["select", "group", "it's \"quoted\""]),
        [[json!("user-123"), json!("b"), json!(2)]]
    );
}

#[test]
fn a_payload_cannot_choose_the_tenant_or_the_number() {
    let payload = json!({
        "user_id": "u1", "artist_id": "a1",
        "tenantSchema": "t2", "sequenceNumber": 99, "ts": 5, "entityId": "other",
    });
    let events = event("FOLLOWED", 1, 1000, &payload) + &event("FOLLOWED", 2, 2000, &payload);
    let place = Place::with_events(FOLLOWERS, &events);
    let summary = place.run_once(&[]);
    assert_eq!(summary["projections"]["artist_followers"]["stale"], 0);
    let names: Vec<String> = place.client().table_names().into_iter().collect();
    assert_eq!(names, ["t1__artist_followers"]);
    assert_eq!(
        cells(&place, "t1__artist_followers", &["followed_at"]),
        [[json!(2000)]]
    );
}
