//! Compiled files, and what a changed file does to a target that holds rows.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "the helpers belong to tests: a step that fails must name its line"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::json;
use tempfile::TempDir;

const DECLARED: &str = r#"
projections:
  orders:
    source_events: [PLACED, ADDED]
    target: { table: orders, primary_key: [id] }
    fields: { id: TEXT, status: { type: TEXT, nullable: false }, lines: { type: INT, default: 0 } }
    derive: { id: event.entityId, status: event.status }
    mutations:
      PLACED: { op: upsert }
      ADDED: { op: increment, by: { lines: 1 }, set: { status: "'more'" } }
  seen:
    source_events: [PLACED]
    target: { table: seen, primary_key: [id] }
    fields: { id: TEXT }
    derive: { id: event.entityId }
    mutations: { PLACED: { op: insert } }
"#;

/// What may be added at once to `orders`.
const ADDED: [(&str, &str); 3] = [
    ("type: TEXT, nullable: false", "type: TEXT"),
    (
        "lines: { type: INT, default: 0 }",
        "lines: { type: BIGINT, default: 0 }, note: { type: TEXT, default: none }, at: TIMESTAMPTZ",
    ),
    (
        "status: event.status }",
        "status: event.status, at: event.ts }",
    ),
];

struct Place(TempDir);

impl Place {
    /// A place in which twenty events were run, half of them of the tenant `acme`.
    fn ran() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let events: String = (0..20)
            .map(|number| {
                let mut event = json!({
                    "eventType": if number < 10 { "PLACED" } else { "ADDED" },
                    "entityId": format!("o-{}", number % 10),
                    "sequenceNumber": number,
                    "payload": { "status": format!("it's {number}") },
                });
                if number % 2 == 1 {
                    event["tenantSchema"] = json!("acme");
                }
                format!("{event}\n")
            })
            .collect();
        std::fs::write(place.path("events.jsonl"), events).unwrap();
        place.declare(&[]);
        assert_eq!(place.run().status.code(), Some(0));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn declare(&self, changes: &[(&str, &str)]) {
        let mut text = DECLARED.to_owned();
        for (from, to) in changes {
            assert_eq!(text.matches(from).count(), 1, "{from}");
            text = text.replace(from, to);
        }
        std::fs::write(self.path("f.yaml"), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_projectionist"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    fn tell(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn run(&self) -> Output {
        let run = [
            "run",
            "f.yaml",
            "--from",
            "events.jsonl",
            "--into",
            "sqlite:v.db",
            "--once",
        ];
        self.tell(&run)
    }

    fn deploy(&self) -> Output {
        self.tell(&["deploy", "f.yaml", "--into", "sqlite:v.db"])
    }

    fn open(&self) -> Connection {
        Connection::open(self.path("v.db")).unwrap()
    }

    /// The rows of a query, a line a row.
    fn query(&self, sql: &str) -> Vec<String> {
        let connection = self.open();
        let mut statement = connection.prepare(sql).unwrap();
        let width = statement.column_count();
        let rows = statement.query_map([], |row| {
            let cells = (0..width).map(|at| Ok(format!("{:?}", row.get::<_, Value>(at)?)));
            Ok(cells.collect::<rusqlite::Result<Vec<_>>>()?.join(" "))
        });
        rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
    }

    /// Everything that a change could have touched.
    fn state(&self) -> Vec<Vec<String>> {
        [
            "orders",
            "acme__orders",
            "seen",
            "projectionist_declarations",
            "sqlite_schema",
        ]
        .iter()
        .map(|table| self.query(&format!("SELECT * FROM {table}")))
        .collect()
    }
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn an_addition_migrates_every_table_and_keeps_what_others_made() {
    let place = Place::ran();
    let before = place.query("SELECT id, status, lines FROM orders ORDER BY id");
    let of_acme = place.query("SELECT id, status, lines FROM acme__orders ORDER BY id");
    assert_eq!((before.len(), of_acme.len()), (5, 5));
    place
        .open()
        .execute_batch(
            "CREATE INDEX theirs ON orders (lines);
             CREATE VIEW shown AS SELECT id FROM orders;
             CREATE TABLE log (id TEXT);
             CREATE TRIGGER told AFTER UPDATE ON orders BEGIN INSERT INTO log VALUES (new.id); END;",
        )
        .unwrap();
    place.declare(&ADDED);
    let told = said(&place.deploy());
    for word in [
        "`lines` is BIGINT and was INT",
        "new column `note`",
        "allows null",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let now = "SELECT id, status, lines FROM orders ORDER BY id";
    assert_eq!(place.query(now), before);
    assert_eq!(
        place.query("SELECT id, status, lines FROM acme__orders ORDER BY id"),
        of_acme
    );
    for table in ["orders", "acme__orders"] {
        let new = place.query(&format!("SELECT DISTINCT note, at FROM {table}"));
        assert_eq!(new, ["Text(\"none\") Null"]);
    }
    assert_eq!(place.query("SELECT count(*) FROM shown"), ["Integer(5)"]);
    let kept = "SELECT name FROM sqlite_schema WHERE name IN ('theirs', 'told') ORDER BY name";
    assert_eq!(place.query(kept), ["Text(\"theirs\")", "Text(\"told\")"]);
    let shape = "SELECT name, \"notnull\" FROM pragma_table_info('orders') WHERE name = 'status'";
    assert_eq!(place.query(shape), ["Text(\"status\") Integer(0)"]);
    assert!(said(&place.deploy()).contains("nothing to do"));

    // The run goes on where it was, with the trigger of others.
    let event =
        json!({"eventType": "ADDED", "entityId": "o-0", "sequenceNumber": 99, "payload": {}});
    let mut events = std::fs::read_to_string(place.path("events.jsonl")).unwrap();
    events.push_str(&format!("{event}\n"));
    std::fs::write(place.path("events.jsonl"), events).unwrap();
    let run = place.run();
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    assert_eq!(
        place.query("SELECT lines FROM orders WHERE id = 'o-0'"),
        ["Integer(2)"]
    );
    assert_eq!(place.query("SELECT id FROM log"), ["Text(\"o-0\")"]);
}

#[test]
fn a_run_on_a_changed_file_migrates_first() {
    let place = Place::ran();
    place.declare(&ADDED);
    let run = place.run();
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    assert_eq!(
        place.query("SELECT DISTINCT note FROM acme__orders"),
        ["Text(\"none\")"]
    );
}

#[test]
fn what_needs_a_rebuild_is_refused_by_name_and_changes_nothing() {
    let place = Place::ran();
    for (change, code, words) in [
        (
            ("by: { lines: 1 }", "by: { lines: 2 }"),
            4,
            ["projection orders", "`ADDED`", "a new target"],
        ),
        (
            ("type: INT, default: 0", "type: DOUBLE, default: 0"),
            4,
            ["projection orders", "`lines`", "a new target"],
        ),
        (
            ("table: seen", "table: looked_at"),
            4,
            ["projection seen", "`looked_at`", "a new target"],
        ),
        (
            ("  seen:", "  noticed:"),
            5,
            ["projection noticed", "`seen`", "one writer"],
        ),
    ] {
        place.declare(&[change]);
        let before = place.state();
        for output in [place.deploy(), place.run()] {
            let told = said(&output);
            assert_eq!(output.status.code(), Some(code), "{told}");
            for word in words {
                assert!(told.contains(word), "{word}: {told}");
            }
        }
        assert_eq!(place.state(), before);
    }
}

#[test]
fn a_projection_that_is_gone_is_not_declared_and_comes_back() {
    let place = Place::ran();
    let whole = std::fs::read_to_string(place.path("f.yaml")).unwrap();
    let (orders, _) = whole.split_once("  seen:").unwrap();
    std::fs::write(place.path("f.yaml"), orders).unwrap();
    assert_eq!(place.run().status.code(), Some(0));
    let status = said(&place.tell(&["status", "--store", "sqlite:v.db"]));
    let line = status
        .lines()
        .find(|line| line.starts_with("seen"))
        .unwrap();
    assert!(line.contains("not declared"), "{status}");
    assert_eq!(place.query("SELECT count(*) FROM seen"), ["Integer(5)"]);
    place.declare(&[]);
    assert_eq!(place.run().status.code(), Some(0));
    assert!(!said(&place.tell(&["status", "--store", "sqlite:v.db"])).contains("not declared"));
}

#[test]
fn the_source_and_the_declaration_are_kept_at_the_first_run() {
    let place = Place::ran();
    let kept = place.query("SELECT projection, source FROM projectionist_declarations ORDER BY 1");
    let source = place.path("events.jsonl").canonicalize().unwrap();
    let text = format!("Text({:?})", source.display().to_string());
    assert_eq!(
        kept,
        [
            format!("Text(\"orders\") {text}"),
            format!("Text(\"seen\") {text}")
        ]
    );
    let same = place.tell(&["diff", "sqlite:v.db", "f.yaml"]);
    assert_eq!(
        (same.status.code(), said(&same).as_str()),
        (Some(0), "none\n")
    );
}

#[test]
fn a_compiled_file_is_taken_wherever_a_file_is() {
    let place = Place::ran();
    let output = place.tell(&["compile", "f.yaml", "-o", "ir.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let piped = place.tell(&["compile", "ir.json"]);
    assert_eq!(piped.stdout, std::fs::read(place.path("ir.json")).unwrap());
    for arguments in [
        &["check", "ir.json"][..],
        &["diff", "f.yaml", "ir.json"],
        &[
            "run",
            "--ir",
            "ir.json",
            "--from",
            "events.jsonl",
            "--into",
            "sqlite:v.db",
            "--once",
        ],
        &[
            "deploy",
            "ir.json",
            "--into",
            "sqlite:new.db",
            "--tenant",
            "acme",
        ],
    ] {
        let output = place.tell(arguments);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            said(&output)
        );
    }
    let deployed = Connection::open(place.path("new.db")).unwrap();
    let ir: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("ir.json")).unwrap()).unwrap();
    // The table that the store has made is the one that the IR tells.
    for table in ["orders", "seen"] {
        let sql = "SELECT sql FROM sqlite_schema WHERE name = ?1";
        let made: String = deployed.query_row(sql, [table], |row| row.get(0)).unwrap();
        assert_eq!(ir["sql"]["sqlite"][table]["ddl"][0], made);
    }
    let text = std::fs::read_to_string(place.path("ir.json")).unwrap();
    for (from, to, code) in [
        ("\"format\": 1", "\"format\": 2", 5),
        ("\"sha256:", "\"sha256:f", 3),
        ("STRICT", "LOOSE", 3),
    ] {
        std::fs::write(place.path("wrong.json"), text.replacen(from, to, 1)).unwrap();
        let run = place.tell(&["deploy", "wrong.json", "--into", "sqlite:wrong.db"]);
        assert_eq!(run.status.code(), Some(code), "{from}: {}", said(&run));
        assert!(!Path::exists(&place.path("wrong.db")));
    }
}

#[test]
fn processes_that_deploy_at_once_end_at_one_state() {
    let place = Place::ran();
    place.declare(&ADDED);
    let deploy = || {
        let mut command = place.command(&["deploy", "f.yaml", "--into", "sqlite:v.db"]);
        command.stdout(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(|_| deploy()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
    let columns = "SELECT count(*) FROM pragma_table_info('acme__orders')";
    assert_eq!(place.query(columns), ["Integer(5)"]);
    assert!(said(&place.deploy()).contains("nothing to do"));
}

#[test]
fn a_change_of_meaning_is_taken_from_now_on_and_one_of_shape_is_not() {
    let place = Place::ran();
    let from_now_on = ["deploy", "f.yaml", "--into", "sqlite:v.db", "--from-now-on"];
    place.declare(&[("by: { lines: 1 }", "by: { lines: 10 }")]);
    let refused = place.run();
    assert_eq!(refused.status.code(), Some(4));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("deploy --from-now-on"), "{said}");
    assert_eq!(place.tell(&from_now_on).status.code(), Some(0));
    let event = json!({ "eventType": "ADDED", "entityId": "o-0", "sequenceNumber": 100 });
    let mut events = std::fs::read_to_string(place.path("events.jsonl")).unwrap();
    events.push_str(&format!("{event}\n"));
    std::fs::write(place.path("events.jsonl"), events).unwrap();
    assert_eq!(place.run().status.code(), Some(0));
    let connection = Connection::open(place.path("v.db")).unwrap();
    let lines = |id: &str| -> i64 {
        let sql = "SELECT lines FROM orders WHERE id = ?1";
        connection.query_row(sql, [id], |row| row.get(0)).unwrap()
    };
    // One by the first declaration, ten by the second; the row that no event met is as it was.
    assert_eq!((lines("o-0"), lines("o-2")), (11, 1));

    place.declare(&[("type: INT, default: 0", "type: DOUBLE, default: 0")]);
    let shape = place.tell(&from_now_on);
    assert_eq!(shape.status.code(), Some(4), "{shape:?}");
    assert_eq!((lines("o-0"), lines("o-2")), (11, 1));
}
