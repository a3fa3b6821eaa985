//! A target with dead letters, and the command that settles them.

use std::collections::BTreeMap;
use std::fs;

use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::common::Place;
use crate::common::process::{self, Ended};

/// Accounts whose events have `price` where the file reads `{}`.
const FILE: &str = r#"
projections:
  accounts:
    source_events: [OPENED, ADDED]
    target: { table: accounts, primary_key: [id] }
    fields: { id: TEXT, owner: TEXT, total: { type: BIGINT, default: 0 }, moves: { type: BIGINT, default: 0 } }
    derive: { id: event.entityId, owner: event.owner, total: event.PRICE }
    mutations:
      OPENED: { op: upsert }
      ADDED: { op: increment, by: { total: event.PRICE, moves: 1 } }
  visits:
    sequence: none
    source_events: [VISITED]
    target: { table: visits, primary_key: [id] }
    fields: { id: TEXT, visits: { type: BIGINT, default: 0 } }
    derive: { id: event.entityId }
    mutations: { VISITED: { op: increment, by: { visits: event.PRICE } } }
"#;

/// The counts that add up to what was read.
const PARTS: [&str; 7] = [
    "applied",
    "unmatched",
    "filtered",
    "ignored",
    "stale",
    "skipped",
    "dead_lettered",
];

/// A target with dead letters: the file reads `price`, which in some events is no number; the
/// other file reads `cost`, which is always one.
pub(crate) struct Desk {
    pub(crate) place: Place,
}

impl Desk {
    /// Runs these events by the file that cannot apply all of them.
    pub(crate) fn after(events: &str) -> Self {
        let wrong = FILE.replace("PRICE", "price");
        let place = Place::with_events(&wrong, events);
        fs::write(place.path("fixed.yaml"), FILE.replace("PRICE", "cost")).unwrap();
        let desk = Self { place };
        desk.place.run_once(&[]);
        desk
    }

    /// The file by which every event can be applied.
    pub(crate) fn fixed(&self) -> String {
        self.place.path("fixed.yaml").display().to_string()
    }

    /// `dead-letters VERB --store TARGET`, in JSON.
    pub(crate) fn command(&self, verb: &str, more: &[&str]) -> std::process::Command {
        let mut command = process::command();
        command.args(["dead-letters", verb, "--store", &self.place.target()]);
        command.args(["--format", "json"]).args(more);
        command
    }

    pub(crate) fn ended(&self, verb: &str, more: &[&str]) -> Ended {
        process::ended(&mut self.command(verb, more))
    }

    /// The same, which must go well.
    pub(crate) fn done(&self, verb: &str, more: &[&str]) -> Value {
        let ended = self.ended(verb, more);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
        ended.last_line_as_json()
    }

    /// Replays by the file that can apply every event.
    pub(crate) fn replay(&self, more: &[&str]) -> Value {
        let fixed = self.fixed();
        self.done("replay", &[&["--file", &fixed], more].concat())
    }

    /// Total and moves of every account; none while the table was not made.
    pub(crate) fn accounts(&self) -> BTreeMap<String, (i64, i64)> {
        let client = self.place.client();
        if !client.table_names().contains("accounts") {
            return BTreeMap::new();
        }
        let rows = client.rows("accounts").into_iter();
        let number = |cell: &Value| cell.as_i64().unwrap();
        rows.map(|row| {
            let id = row["id"].as_str().unwrap().to_owned();
            (id, (number(&row["total"]), number(&row["moves"])))
        })
        .collect()
    }

    /// What a projection counts, without what is zero. It adds up to what was read.
    pub(crate) fn counts(&self, projection: &str) -> BTreeMap<String, u64> {
        let mut counts = self.place.client().lanes()[projection].counts.clone();
        let sum: u64 = PARTS.iter().map(|part| counts[*part]).sum();
        assert_eq!(counts["read"], sum, "{counts:?}");
        counts.remove("folded");
        counts.retain(|_, count| *count > 0);
        counts
    }

    /// Every cell of every table of the file, the program's own included.
    pub(crate) fn dump(&self) -> BTreeMap<String, Vec<Vec<String>>> {
        let connection = self.place.client().connection;
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        let mut names = connection.prepare(sql).unwrap();
        let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let names: Vec<String> = names.map(Result::unwrap).collect();
        let rows_of = |name: &str| {
            let mut all = connection
                .prepare(&format!("SELECT * FROM \"{name}\""))
                .unwrap();
            let width = all.column_count();
            let cells = |row: &rusqlite::Row<'_>| {
                (0..width)
                    .map(|at| Ok(format!("{:?}", row.get::<_, Cell>(at)?)))
                    .collect()
            };
            let rows = all.query_map([], cells).unwrap().map(Result::unwrap);
            rows.collect::<Vec<Vec<String>>>()
        };
        names
            .into_iter()
            .map(|name| {
                let rows = rows_of(&name);
                (name, rows)
            })
            .collect()
    }
}

/// An event whose price is `price`, and whose cost is `cost`, as a line.
pub(crate) fn event(
    event_type: &str,
    entity: &str,
    number: i64,
    price: Value,
    cost: i64,
) -> String {
    let event = json!({
        "eventType": event_type,
        "entityId": entity,
        "sequenceNumber": number,
        "payload": { "owner": format!("{entity} {number}"), "price": price, "cost": cost },
    });
    format!("{event}\n")
}

/// An addition that can be applied.
pub(crate) fn good(entity: &str, number: i64, cost: i64) -> String {
    event("ADDED", entity, number, json!(cost), cost)
}

/// An addition that becomes a dead letter.
pub(crate) fn bad(entity: &str, number: i64, cost: i64) -> String {
    event("ADDED", entity, number, json!("much"), cost)
}

/// The ids of the letters that a command printed.
pub(crate) fn ids(printed: &Value) -> Vec<u64> {
    let letters = printed["dead_letters"].as_array().unwrap().iter();
    letters
        .map(|letter| letter["id"].as_u64().unwrap())
        .collect()
}

/// The outcomes of the letters that a command printed.
pub(crate) fn outcomes(printed: &Value) -> Vec<(u64, &str)> {
    let letters = printed["dead_letters"].as_array().unwrap().iter();
    letters
        .map(|letter| {
            let outcome = letter["outcome"].as_str().unwrap();
            (letter["id"].as_u64().unwrap(), outcome)
        })
        .collect()
}
