//! What the tests share: a projection that adds, its events, and the commands on it.

use nix::sys::signal::Signal;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::common::process::{command, ended};
use crate::common::{Ended, Place, Running, eventually};

/// Adds up amounts by entity. An event whose sum leaves the column is tried for very long.
pub(crate) const SUMS: &str = r#"
projections:
  sums:
    source_events: [ADDED]
    target: { table: sums, primary_key: [id] }
    fields: { id: TEXT, total: BIGINT }
    derive: { id: event.entityId }
    data_retries: 1000
    mutations: { ADDED: { op: increment, by: { total: event.amount } } }
"#;

/// The same without sequence numbers.
pub(crate) const UNGUARDED: &str = r#"
projections:
  sums:
    source_events: [ADDED]
    target: { table: sums, primary_key: [id] }
    fields: { id: TEXT, total: BIGINT }
    derive: { id: event.entityId }
    sequence: none
    mutations: { ADDED: { op: increment, by: { total: event.amount } } }
"#;

/// An event of `ada` that adds `amount`, as a line.
pub(crate) fn added(number: u64, amount: i64) -> String {
    let event = json!({
        "eventType": "ADDED",
        "entityId": "ada",
        "sequenceNumber": number,
        "payload": { "amount": amount },
    });
    format!("{event}\n")
}

/// Events of `ada` with these numbers, each of which adds one.
pub(crate) fn ones(numbers: impl IntoIterator<Item = u64>) -> String {
    numbers.into_iter().map(|number| added(number, 1)).collect()
}

/// The sum of `ada`.
pub(crate) fn total(place: &Place) -> i64 {
    let rows = place.client().rows("sums");
    rows.first().map_or(0, |row| row["total"].as_i64().unwrap())
}

/// Runs `projectionist WORDS --store TARGET`.
pub(crate) fn tell(place: &Place, words: &[&str]) -> Ended {
    ended(command().args(words).args(["--store", &place.target()]))
}

/// As [`tell`], with JSON, which must go well; gives the one lane.
pub(crate) fn told(place: &Place, words: &[&str]) -> Value {
    let ended = tell(place, &[words, &["--format", "json"]].concat());
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let lanes = ended.last_line_as_json()["lanes"].clone();
    assert_eq!(lanes.as_array().unwrap().len(), 1, "{lanes}");
    lanes[0].clone()
}

/// What `status` tells of the lane of `sums`.
pub(crate) fn lane(place: &Place) -> Value {
    let status = place.status();
    assert_eq!((status.code, status.stderr.as_str()), (0, ""), "{status:?}");
    status.last_line_as_json()["projections"]["sums"][0].clone()
}

/// Waits until `status` tells this state; gives the lane.
pub(crate) fn becomes(place: &Place, state: &str) -> Value {
    eventually(&format!("the lane is {state}"), || {
        if !place.views().exists() {
            return None;
        }
        // The tables may be made just now.
        let status = place.status();
        if status.code != 0 {
            return None;
        }
        let lane = status.last_line_as_json()["projections"]["sums"][0].clone();
        (lane["state"] == state).then_some(lane)
    })
}

/// Follows the events until so many are read.
pub(crate) fn followed(place: &Place, read: u64, more: &[&str]) -> Running {
    let run = place.follow(more);
    has_read(place, read);
    run
}

/// Waits until so many events are read, and nothing more is at hand.
pub(crate) fn has_read(place: &Place, read: u64) {
    eventually("the events are read", || {
        let client = crate::common::Client::open(&place.views())?;
        let lanes = client.lanes();
        let lane = lanes.get("sums")?;
        (lane.counts["read"] == read).then_some(())
    });
}

/// Suspends a process between two transactions: one that is suspended within one keeps SQLite's
/// lock, and then nobody can write.
pub(crate) fn suspend(place: &Place, process: &Running) {
    let lock = Connection::open(place.views()).unwrap();
    lock.busy_timeout(crate::common::wait::AT_MOST).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    process.send(Signal::SIGSTOP);
    let stat = format!("/proc/{}/stat", process.id());
    eventually("the process is suspended", || {
        let stat = std::fs::read_to_string(&stat).unwrap();
        stat.contains(") T ").then_some(())
    });
    lock.execute_batch("ROLLBACK").unwrap();
}

/// How many requests wait for an answer.
pub(crate) fn open_requests(place: &Place) -> i64 {
    let sql = "SELECT count(*) FROM projectionist_requests WHERE answered_at IS NULL";
    let client = place.client();
    client
        .connection
        .query_row(sql, [], |row| row.get(0))
        .unwrap()
}

/// Stops a run in good order.
pub(crate) fn stopped(run: Running) {
    let ended = run.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
}
