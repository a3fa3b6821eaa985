//! A target of two projections with tenants, guard, indexes and dead letters, and all that a
//! rebuild may change of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::process::Command;

use rusqlite::Connection;

use crate::common::client::{Counts, Tables, assert_same_tables};
use crate::common::process::{self, Ended};
use crate::common::{Client, Place, Running, eventually};

/// Baskets that only grow, so that an event that is applied twice shows, and the last line of each.
pub(crate) const DECLARED: &str = r#"
projections:
  baskets:
    source_events: [LINE_ADDED, BASKET_GONE]
    target: { table: baskets, primary_key: [basket_id], indexes: [[last_sku]] }
    fields: { basket_id: TEXT, lines: { type: BIGINT, default: 0 }, quantity: { type: BIGINT, default: 0 }, last_sku: TEXT }
    derive: { basket_id: event.entityId }
    mutations:
      LINE_ADDED: { op: increment, by: { lines: 1, quantity: event.quantity }, set: { last_sku: event.sku } }
      BASKET_GONE: { op: delete }
  skus:
    source_events: [LINE_ADDED]
    target: { table: skus, primary_key: [sku] }
    fields: { sku: TEXT, sold: { type: BIGINT, default: 0 } }
    derive: { sku: event.sku }
    mutations:
      LINE_ADDED: { op: increment, by: { sold: event.quantity } }
"#;

/// How many baskets there are.
const BASKETS: usize = 400;

/// The events of these numbers, of three tenants. Some have a quantity that is no number.
pub(crate) fn events(numbers: Range<usize>) -> String {
    let mut lines = String::new();
    for number in numbers {
        let (basket, sequence) = (number % BASKETS, number / BASKETS + 1);
        let (kind, sku) = match number % 997 {
            0 => ("BASKET_GONE", 0),
            _ => ("LINE_ADDED", number % 89),
        };
        let quantity = match number % 499 {
            7 => "\"many\"".to_owned(),
            _ => (number % 11).to_string(),
        };
        let tenant = [
            "",
            r#""tenantSchema":"acme","#,
            r#""tenantSchema":"globex","#,
        ][basket % 3];
        writeln!(
            lines,
            r#"{{"eventType":"{kind}","entityId":"b-{basket}",{tenant}"sequenceNumber":{sequence},"payload":{{"sku":"s-{sku}","quantity":{quantity}}}}}"#
        )
        .unwrap();
    }
    lines
}

/// A target that has run so many events.
pub(crate) fn ran(count: usize) -> Place {
    let place = Place::with_events(DECLARED, events(0..count));
    place.run_once(&[]);
    place
}

/// What a fresh run of the events of `place`, as `declared`, leaves in a new target.
pub(crate) fn fresh(place: &Place, declared: &str) -> State {
    let new = Place::with_events(declared, fs::read(place.events()).unwrap());
    new.run_once(&[]);
    State::of(&new)
}

/// `projectionist rebuild` on the target.
pub(crate) fn rebuild(place: &Place, more: &[&str]) -> Command {
    let mut rebuild = process::command();
    rebuild.arg("rebuild").args(more);
    rebuild.args(["--store", &place.target()]);
    rebuild
}

/// A rebuild that must go well.
pub(crate) fn rebuilt(place: &Place, more: &[&str]) -> Ended {
    let ended = process::ended(&mut rebuild(place, more));
    assert_eq!(ended.code, 0, "{ended:?}");
    ended
}

/// Starts a rebuild and kills it when what it builds has read so many events; it must not have
/// ended before.
pub(crate) fn killed(place: &Place, more: &[&str], read: u64) {
    let mut running = Running::start(&mut rebuild(place, more));
    eventually(&format!("the rebuild reads {read} events"), || {
        (shadow_read(place) >= read || running.has_ended()).then_some(())
    });
    assert!(!running.has_ended(), "{:?}", running.end());
    running.kill();
}

/// How many events what is built of `baskets` has read.
pub(crate) fn shadow_read(place: &Place) -> u64 {
    let lanes = place.client().lanes();
    let lane = lanes.get("projectionist:rebuild:baskets");
    lane.map_or(0, |lane| lane.counts["read"])
}

/// Changes the target as somebody might who has a client.
pub(crate) fn by_hand(place: &Place, statement: &str) {
    let connection = Connection::open(place.views()).unwrap();
    connection
        .busy_timeout(std::time::Duration::from_secs(60))
        .unwrap();
    connection.execute_batch(statement).unwrap();
}

/// All that is in use: tables with their shape, indexes and rows, lanes, letters, guard and
/// declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) rows: Tables,
    pub(crate) shapes: BTreeSet<String>,
    pub(crate) lanes: BTreeMap<String, (Option<String>, Counts)>,
    letters: BTreeSet<String>,
    guard: BTreeSet<String>,
    declarations: BTreeSet<String>,
}

impl State {
    pub(crate) fn of(place: &Place) -> Self {
        // Whoever opens it next completes or drops what a dead process left in the log.
        let connection = Connection::open(place.views()).unwrap();
        let texts = |sql: &str| texts(&connection, sql);
        let client = Client::open(&place.views()).unwrap();
        assert_eq!(client.integrity(), "ok");
        let mut rows = client.tables();
        rows.retain(|name, _| !name.contains("projectionist_"));
        let lanes = client.lanes().into_iter();
        let in_use = lanes.filter(|(name, _)| !name.starts_with("projectionist:"));
        let lanes = in_use.map(|(name, lane)| {
            let mut counts = lane.counts;
            // How many were folded depends on where a batch ends.
            counts.remove("folded");
            (name, (lane.offset, counts))
        });
        Self {
            rows,
            shapes: texts(
                "SELECT tbl_name || ' ' || coalesce(
                     (SELECT group_concat(info.name) FROM pragma_index_info(it.name) AS info
                      WHERE it.type = 'index'), sql)
                 FROM sqlite_schema AS it
                 WHERE tbl_name NOT LIKE '%projectionist@_%' ESCAPE '@' AND sql IS NOT NULL
                     AND tbl_name NOT LIKE 'sqlite%'",
            ),
            lanes: lanes.collect(),
            letters: texts(
                r#"SELECT projection || ' ' || key || ' ' || "offset" || ' ' || class
                   FROM projectionist_dead_letters WHERE projection NOT LIKE 'projectionist:%'"#,
            ),
            guard: texts(
                "SELECT projection || ' ' || tenant || ' ' || fork || ' ' || entity || ' ' || sequence
                 FROM projectionist_guard_scopes JOIN projectionist_guard ON scope = id
                 WHERE projection NOT LIKE 'projectionist:%'",
            ),
            declarations: texts(
                "SELECT projection || ' ' || hash FROM projectionist_declarations",
            ),
        }
    }
}

/// Fails with the first difference of two targets.
pub(crate) fn assert_same(found: &State, expected: &State, when: &str) {
    assert_same_tables(&found.rows, &expected.rows);
    for (what, found, expected) in [
        ("shapes", &found.shapes, &expected.shapes),
        ("letters", &found.letters, &expected.letters),
        ("guard", &found.guard, &expected.guard),
        ("declarations", &found.declarations, &expected.declarations),
    ] {
        let missing = expected.difference(found).next();
        let extra = found.difference(expected).next();
        assert!(
            missing.is_none() && extra.is_none(),
            "{when}: {what}: missing {missing:?}, instead {extra:?}"
        );
    }
    assert_eq!(found.lanes, expected.lanes, "{when}");
}

/// Everything that is there for a rebuild, or was left by one: names of tables, indexes, lanes,
/// letters, scopes and rows of rebuilds.
pub(crate) fn traces(place: &Place) -> BTreeSet<String> {
    let connection = Connection::open(place.views()).unwrap();
    texts(
        &connection,
        "SELECT name FROM sqlite_schema WHERE name LIKE '%projectionist@_rebuild@_%' ESCAPE '@'
             OR name LIKE '%projectionist@_passing@_%' ESCAPE '@'
         UNION SELECT 'lane ' || name FROM projectionist_lanes
             WHERE name LIKE 'projectionist:%' AND name NOT LIKE 'projectionist:kept:%'
         UNION SELECT 'letter of ' || projection FROM projectionist_dead_letters
             WHERE projection LIKE 'projectionist:%' AND projection NOT LIKE 'projectionist:kept:%'
         UNION SELECT 'scope of ' || projection FROM projectionist_guard_scopes
             WHERE projection LIKE 'projectionist:%' AND projection NOT LIKE 'projectionist:kept:%'
         UNION SELECT 'guard without scope' FROM projectionist_guard
             WHERE scope NOT IN (SELECT id FROM projectionist_guard_scopes)
         UNION SELECT 'owner of ' || table_name FROM projectionist_tables
             WHERE table_name NOT IN (SELECT name FROM sqlite_schema)
         UNION SELECT 'columns of ' || table_name FROM projectionist_columns
             WHERE table_name NOT IN (SELECT name FROM sqlite_schema)
         UNION SELECT 'rebuild of ' || projection FROM projectionist_rebuilds",
    )
}

/// The whole schema of the file, whatever its order.
pub(crate) fn schema(place: &Place) -> BTreeSet<String> {
    let connection = Connection::open(place.views()).unwrap();
    texts(
        &connection,
        "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema",
    )
}

fn texts(connection: &Connection, sql: &str) -> BTreeSet<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let texts = statement.query_map([], |row| row.get(0)).unwrap();
    texts.map(Result::unwrap).collect()
}
