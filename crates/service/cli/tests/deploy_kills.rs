//! A `deploy` that is killed at any moment leaves the target as it was or as it was to become,
//! never in between, and the next one ends the work.
//!
//! Kills come by progress: when the process has worked for so long, as the system counts the time
//! that it had a processor.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::fs;
use std::process::Command;

use common::{Place, Random, Running, process, random, watched};
use rusqlite::Connection;

/// Tenants with a table for each projection.
const TENANTS: usize = 80;

/// Rows of each of these tables.
const ROWS: usize = 15;

const DECLARED: &str = r#"
projections:
  orders:
    source_events: [PLACED]
    target: { table: orders, primary_key: [id] }
    fields: { id: TEXT, status: { type: TEXT, nullable: false }, lines: { type: INT, default: 1 } }
    derive: { id: event.id, status: event.status }
    mutations: { PLACED: { op: upsert } }
  seen:
    source_events: [PLACED]
    target: { table: seen, primary_key: [id] }
    fields: { id: TEXT }
    derive: { id: event.id }
    mutations: { PLACED: { op: insert } }
"#;

/// What is added: a wider type, which makes the table anew, a column, an index and a table.
const ADDED: [(&str, &str); 4] = [
    (
        "lines: { type: INT, default: 1 }",
        "lines: { type: BIGINT, default: 1 }, note: { type: TEXT, default: none }",
    ),
    (
        "fields: { id: TEXT }",
        "fields: { id: TEXT, at: TIMESTAMPTZ }",
    ),
    (
        "table: orders, primary_key: [id]",
        "table: orders, primary_key: [id], indexes: [[status]]",
    ),
    (
        "table: seen, primary_key: [id]",
        "table: seen, primary_key: [id], indexes: [[at, id]]",
    ),
];

/// The tables with their columns and indexes, their rows, and what is kept of the declarations.
type State = Vec<String>;

fn state(place: &Place) -> State {
    // Whoever opens it next completes or drops what a dead process left in the log.
    let connection = Connection::open(place.views()).unwrap();
    let intact: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(intact, "ok");
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let texts = statement.query_map([], |row| row.get(0));
        texts.unwrap().map(Result::unwrap).collect()
    };
    let mut state = texts(
        "SELECT name || ': ' || sql FROM sqlite_schema
         WHERE sql IS NOT NULL AND name NOT LIKE 'projectionist%' ORDER BY name",
    );
    state.extend(texts(
        "SELECT projection || ' ' || hash FROM projectionist_declarations ORDER BY 1",
    ));
    let mut names: Vec<String> = place.client().table_names().into_iter().collect();
    names.retain(|name| name.ends_with("orders"));
    for name in names {
        let rows = texts(&format!(
            "SELECT count(*) || ' rows, ' || total(lines) || ' lines' FROM \"{name}\""
        ));
        state.push(format!("{name}: {}", rows.concat()));
    }
    state
}

/// A target with the rows of all tenants, and the bytes of its file.
fn target() -> (Place, Vec<u8>) {
    let mut events = String::new();
    for number in 0..TENANTS * ROWS {
        let tenant = number % TENANTS;
        events += &format!(
            r#"{{"eventType":"PLACED","entityId":"o-{number}","tenantSchema":"t{tenant}","sequenceNumber":1,"payload":{{"id":"o-{number}","status":"open"}}}}"#
        );
        events.push('\n');
    }
    let place = Place::with_events(DECLARED, events);
    place.run_once(&[]);
    let bytes = fs::read(place.views()).unwrap();
    (place, bytes)
}

/// Puts the target back to what it was.
fn put_back(place: &Place, bytes: &[u8]) {
    for beside in ["-wal", "-shm"] {
        // It is there only behind a process that was killed.
        let _ = fs::remove_file(format!("{}{beside}", place.views().display()));
    }
    fs::write(place.views(), bytes).unwrap();
}

fn deploy(place: &Place) -> Command {
    let mut deploy = process::command();
    deploy.arg("deploy").arg(place.projections());
    deploy.args(["--into", &place.target(), "--tenant", "one_more"]);
    deploy
}

/// Kills a deployment so often, each at another point of its work; how many had done it.
fn kills(count: u64) -> u64 {
    let mut random = Random::seeded(random::seed());
    let (place, bytes) = target();
    let before = state(&place);
    let changed = ADDED.iter().fold(DECLARED.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    });
    fs::write(place.projections(), changed).unwrap();
    put_back(&place, &bytes);
    let mut whole = Running::start(&mut deploy(&place));
    let total = watched(&mut whole, u64::MAX);
    let ended = whole.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    let after = state(&place);
    assert_ne!(after, before);
    let (mut was_old, mut was_new) = (0, 0);
    for kill in 0..count {
        put_back(&place, &bytes);
        // Spread over the whole work, its beginning and its end included.
        let part = total * kill / count;
        let until = random.within(part..=part + total / count);
        let mut running = Running::start(&mut deploy(&place));
        watched(&mut running, until);
        running.kill();
        let found = state(&place);
        if found == before {
            was_old += 1;
        } else {
            assert_eq!(found, after, "killed at {until} of {total} ns");
            was_new += 1;
        }
        let again = process::ended(&mut deploy(&place));
        assert_eq!(again.code, 0, "{again:?}");
        assert_eq!(state(&place), after, "killed at {until} of {total} ns");
    }
    assert!(was_old >= count / 4, "{was_old} of {count} were in time");
    was_new
}

#[test]
fn a_deployment_that_is_killed_leaves_the_old_shape_or_the_new_one() {
    kills(20);
}

/// Three hundred kills of a deployment, at points spread over all its work.
#[test]
#[ignore = "minutes: run by `cargo xtask soak`"]
fn soak_deploy_kills() {
    let done = kills(300);
    println!("figure: kills=300 between=0 had_done_it={done}");
}
