//! What the program promises whoever types a command or writes a script around it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

#[path = "../common/mod.rs"]
mod common;

mod following;
mod invocation;
mod source_file;
mod standard_input;
mod status;
mod summary;
mod target;

use common::Place;
use serde_json::{Value, json};

/// Two projections over the same events.
pub(crate) const TWO: &str = r#"
projections:
  names:
    source_events: [NAMED]
    target: { table: names, primary_key: [id] }
    fields: { id: TEXT, name: TEXT }
    derive: { id: event.entityId, name: event.name }
    mutations: { NAMED: { op: upsert } }
  visits:
    source_events: [VISITED]
    target: { table: visits, primary_key: [id] }
    fields: { id: TEXT, visits: BIGINT }
    derive: { id: event.entityId }
    mutations: { VISITED: { op: increment, by: { visits: 1 } } }
"#;

/// An event of `ada`, as a line.
pub(crate) fn event(event_type: &str, number: u64) -> String {
    let event = json!({
        "eventType": event_type,
        "entityId": "ada",
        "sequenceNumber": number,
        "payload": { "name": format!("Ada {number}") },
    });
    format!("{event}\n")
}

/// The visits of `ada` with these numbers, a line each.
pub(crate) fn visits(numbers: impl IntoIterator<Item = u64>) -> String {
    numbers
        .into_iter()
        .map(|number| event("VISITED", number))
        .collect()
}

/// How many visits the target counts.
pub(crate) fn counted(place: &Place) -> i64 {
    let rows = place.client().rows("visits");
    rows.first()
        .map_or(0, |row| row["visits"].as_i64().unwrap())
}

/// The counts of a projection in a summary.
pub(crate) fn count(summary: &Value, projection: &str, of: &str) -> u64 {
    summary["projections"][projection][of].as_u64().unwrap()
}
