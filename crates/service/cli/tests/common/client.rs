//! A plain SQLite client, as anybody has one who reads the tables: it shares no code with the
//! program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Value, json};

/// What a program counts, by name.
pub type Counts = BTreeMap<String, u64>;

/// The rows of every table that has some, each as a JSON object.
pub type Tables = BTreeMap<String, BTreeSet<String>>;

/// How the names of the program's own tables begin.
const OWN: &str = "projectionist_";

const COUNTS: [&str; 9] = [
    "read",
    "applied",
    "unmatched",
    "filtered",
    "ignored",
    "stale",
    "skipped",
    "dead_lettered",
    "folded",
];

/// A connection that reads.
pub struct Client {
    pub connection: Connection,
}

/// The row of a lane.
#[derive(Clone, Debug)]
pub struct Lane {
    pub offset: Option<String>,
    pub epoch: i64,
    pub is_held: bool,
    /// Unix milliseconds.
    pub expires_at: Option<i64>,
    pub counts: Counts,
    pub malformed: u64,
}

/// A dead letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Empty for a record that is no envelope.
    pub projection: String,
    pub class: String,
    pub error: String,
    pub field: Option<String>,
    pub value: Option<String>,
    pub event: Vec<u8>,
}

impl Client {
    /// Opens a file; `None` while there is none.
    pub fn open(path: &Path) -> Option<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).ok()?;
        Some(Self { connection })
    }

    /// The names of all tables and views but the program's own.
    pub fn table_names(&self) -> BTreeSet<String> {
        let sql = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
        let mut statement = self.connection.prepare(sql).unwrap();
        let names = statement.query_map([], |row| row.get::<_, String>(0));
        let names = names.unwrap().map(Result::unwrap);
        let foreign = |name: &String| !name.starts_with(OWN) && !name.starts_with("sqlite_");
        names.filter(foreign).collect()
    }

    /// The rows of every table that has some.
    pub fn tables(&self) -> Tables {
        let names = self.table_names().into_iter();
        let tables = names.map(|name| {
            let rows = self.rows(&name);
            let rows = rows.iter().map(|row| serde_json::to_string(row).unwrap());
            let rows = rows.collect();
            (name, rows)
        });
        tables
            .filter(|(_, rows): &(_, BTreeSet<_>)| !rows.is_empty())
            .collect()
    }

    /// The rows of a table, each by its columns.
    pub fn rows(&self, table: &str) -> Vec<BTreeMap<String, Value>> {
        let quoted = format!("\"{}\"", table.replace('"', "\"\""));
        let mut statement = self
            .connection
            .prepare(&format!("SELECT * FROM {quoted}"))
            .unwrap();
        let names: Vec<String> = statement
            .column_names()
            .into_iter()
            .map(Into::into)
            .collect();
        let rows = statement.query_map([], |row| Ok(object(&names, row)));
        rows.unwrap().map(Result::unwrap).collect()
    }

    /// The rows of all lanes, by the name of their projection, with `/` and their key when that is
    /// not `all`; none while the table is missing.
    pub fn lanes(&self) -> BTreeMap<String, Lane> {
        let counts: Vec<String> = COUNTS.iter().map(|name| format!("\"{name}\"")).collect();
        let sql = format!(
            "SELECT name || CASE key WHEN 'all' THEN '' ELSE '/' || key END,
                 \"offset\", epoch, owner, expires_at, malformed, {}
             FROM projectionist_lanes",
            counts.join(", ")
        );
        let Ok(mut statement) = self.connection.prepare(&sql) else {
            return BTreeMap::new();
        };
        let lanes = statement.query_map([], |row| {
            let counts = COUNTS.iter().enumerate();
            let counts = counts.map(|(at, name)| Ok(((*name).to_owned(), count(row, 6 + at)?)));
            let lane = Lane {
                offset: row.get(1)?,
                epoch: row.get(2)?,
                is_held: row.get::<_, Option<String>>(3)?.is_some(),
                expires_at: row.get(4)?,
                malformed: count(row, 5)?,
                counts: counts.collect::<rusqlite::Result<_>>()?,
            };
            Ok((row.get(0)?, lane))
        });
        // Another process may be making the tables just now.
        lanes.map_or_else(
            |_| BTreeMap::new(),
            |lanes| lanes.filter_map(Result::ok).collect(),
        )
    }

    /// The dead letters in the order in which they were kept.
    pub fn letters(&self) -> Vec<Letter> {
        let sql = "SELECT projection, class, error, field, value, event
                   FROM projectionist_dead_letters ORDER BY id";
        let mut statement = self.connection.prepare(sql).unwrap();
        let letters = statement.query_map([], |row| {
            Ok(Letter {
                projection: row.get(0)?,
                class: row.get(1)?,
                error: row.get(2)?,
                field: row.get(3)?,
                value: row.get(4)?,
                event: row.get(5)?,
            })
        });
        letters.unwrap().map(Result::unwrap).collect()
    }

    /// What SQLite itself finds wrong with the file.
    pub fn integrity(&self) -> String {
        let sql = "PRAGMA integrity_check";
        self.connection
            .query_row(sql, [], |row| row.get(0))
            .unwrap()
    }
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let count: i64 = row.get(column)?;
    u64::try_from(count).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, count))
}

fn object(names: &[String], row: &Row<'_>) -> BTreeMap<String, Value> {
    let cells = names.iter().enumerate().map(|(at, name)| {
        let value = match row.get_ref(at).unwrap() {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => json!(value),
            ValueRef::Real(value) => json!(value),
            ValueRef::Text(text) => json!(std::str::from_utf8(text).unwrap()),
            ValueRef::Blob(_) => panic!("no column of {name} holds bytes"),
        };
        (name.clone(), value)
    });
    cells.collect()
}

/// Fails with the first difference of two sets of tables.
pub fn assert_same_tables(found: &Tables, expected: &Tables) {
    let names = |tables: &Tables| tables.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected), "the tables that have rows");
    for (name, rows) in expected {
        let found = &found[name];
        let missing = rows.difference(found).next();
        let extra = found.difference(rows).next();
        assert!(
            missing.is_none() && extra.is_none(),
            "table {name}: missing {missing:?}, instead {extra:?}"
        );
    }
}
