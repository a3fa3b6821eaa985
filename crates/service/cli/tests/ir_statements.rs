//! The SQLite statements of a compiled file, run by hand in SQLite one event after the other, leave
//! the rows that the program leaves.
//!
//! The parameters are bound here from what the file says they are, and the sums are functions of
//! this test, so nothing is shared with the program but the text of the statements.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::collections::BTreeMap;

use common::{Place, Random, process, random};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, params_from_iter, types};
use serde_json::{Value, json};

const DECLARED: &str = r#"
projections:
  order:
    source_events:
      [PUT, PUT_ON, KEPT, PATCHED, NAMED, NAMED_IF, ADDED, ADDED_IF, GONE, PASSED]
    target: { table: order, primary_key: [id, part], indexes: [[name]] }
    fields:
      id: TEXT
      part: INT
      name: { type: TEXT, default: "it's" }
      count: { type: BIGINT, default: 3 }
      total: { type: "NUMERIC(9,2)", default: 1.5 }
      size: SMALLINT
      ratio: DOUBLE
    derive:
      id: event.id
      part: event.part
      name: event.name
      count: event.count
      ratio: event.ratio
    mutations:
      PUT: { op: upsert }
      PUT_ON: { op: upsert, set: { name: "'set'", size: event.size } }
      KEPT: { op: insert }
      PATCHED: { op: patch }
      NAMED: { op: patch, set: { name: event.name } }
      NAMED_IF: { op: patch, set: { name: event.name, size: 5 }, on_missing: ignore }
      ADDED: { op: increment, by: { count: event.by, total: event.money }, set: { name: event.name } }
      ADDED_IF: { op: increment, by: { ratio: event.ratio, size: 1 }, on_missing: ignore }
      GONE: { op: delete }
      PASSED: { op: ignore }
  keys:
    source_events: [PUT, GONE]
    target: { table: keys, primary_key: [id] }
    fields: { id: TEXT }
    derive: { id: event.key }
    mutations: { PUT: { op: upsert }, GONE: { op: delete } }
  lines:
    source_events: [LINES, LINE]
    target: { table: lines, primary_key: [id, sku] }
    fields: { sku: TEXT, qty: { type: INT, default: 7 }, id: TEXT }
    derive: { id: event.id, sku: item.sku, qty: item.qty }
    mutations:
      LINES: { op: replace, filter: { id: event.id }, each: event.lines }
      LINE: { op: replace, filter: { sku: "'a'", id: event.id }, each: event.lines }
"#;

const TYPES: [&str; 12] = [
    "PUT", "PUT_ON", "KEPT", "PATCHED", "NAMED", "NAMED_IF", "ADDED", "ADDED_IF", "GONE", "PASSED",
    "LINES", "LINE",
];

/// An event with every part that any operation reads.
fn event(random: &mut Random, number: usize) -> Value {
    let small = |random: &mut Random| i64::try_from(random.within(0..=9)).unwrap();
    let lines: Vec<Value> = (0..random.within(0..=3))
        .map(|_| json!({ "sku": random.one_of(&["a", "b", "c"]), "qty": random.within(0..=9) }))
        .collect();
    let name = match random.within(0..=3) {
        0 => Value::Null,
        _ => json!(random.one_of(&["ann", "o'neil", "\"x\""])),
    };
    json!({
        "eventType": random.one_of(&TYPES),
        "entityId": format!("entity {number}"),
        "sequenceNumber": 1,
        "payload": {
            "id": random.one_of(&["x", "y", "z"]),
            "key": format!("k{}", random.within(0..=29)),
            "part": random.within(1..=2),
            "name": name,
            "count": small(random) - 4,
            "by": small(random) - 4,
            "money": format!("{}.{}", small(random), small(random)),
            "size": small(random),
            "ratio": f64::from(u32::try_from(random.within(0..=8)).unwrap()) / 4.0,
            "lines": lines,
        },
    })
}

/// SQLite with sums of its own making.
fn database() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let flags = FunctionFlags::SQLITE_UTF8;
    connection
        .create_scalar_function("projectionist_add_int", 5, flags, |context| {
            let old: Option<i64> = context.get(0)?;
            Ok(old.unwrap_or(0) + context.get::<i64>(1)?)
        })
        .unwrap();
    connection
        .create_scalar_function("projectionist_add_double", 3, flags, |context| {
            let old: Option<f64> = context.get(0)?;
            Ok(old.unwrap_or(0.0) + context.get::<f64>(1)?)
        })
        .unwrap();
    connection
        .create_scalar_function("projectionist_add_numeric", 5, flags, |context| {
            let old: Option<String> = context.get(0)?;
            let old = old.map_or(0, |old| cents(&old));
            Ok(money(old + cents(&context.get::<String>(1)?)))
        })
        .unwrap();
    connection
}

/// The cents of an amount that is not negative.
fn cents(amount: &str) -> i64 {
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    format!("{whole}{fraction:0<2}").parse().unwrap()
}

fn money(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// A value as a column of this type holds it.
fn bound(value: &Value, declared: &str) -> types::Value {
    match value {
        Value::Null => types::Value::Null,
        Value::String(text) if declared.starts_with("NUMERIC") => {
            types::Value::Text(money(cents(text)))
        }
        Value::String(text) => types::Value::Text(text.clone()),
        number if declared.starts_with("NUMERIC") => {
            types::Value::Text(money(cents(&number.to_string())))
        }
        number if declared == "DOUBLE" => types::Value::Real(number.as_f64().unwrap()),
        number => types::Value::Integer(number.as_i64().unwrap()),
    }
}

/// What a parameter is, from its text.
fn parameter(text: &str, event: &Value, item: &Value, fields: &Value) -> Value {
    if let Some(rest) = text.strip_prefix("the default of ") {
        return match rest.split_once(" + ") {
            None => fields[rest]["default"].clone(),
            Some((column, by)) => {
                let by = parameter(by, event, item, fields);
                plus(&fields[column]["default"], &by)
            }
        };
    }
    if let Some(key) = text.strip_prefix("event.") {
        return event["payload"][key].clone();
    }
    if let Some(key) = text.strip_prefix("item.") {
        return item[key].clone();
    }
    if let Some(quoted) = text.strip_prefix('\'') {
        return json!(quoted.strip_suffix('\'').unwrap());
    }
    serde_json::from_str(text).unwrap()
}

fn plus(default: &Value, by: &Value) -> Value {
    match by {
        Value::String(by) => json!(money(cents(&default.to_string()) + cents(by))),
        by => json!(default.as_i64().unwrap() + by.as_i64().unwrap()),
    }
}

/// The columns in their order, each with its type.
fn columns(ddl: &str, fields: &Value) -> Vec<(String, String)> {
    let mut columns: Vec<(usize, String, String)> = fields
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, field)| {
            let at = ddl.find(&format!("\"{name}\" ")).unwrap();
            let declared = field["type"].as_str().unwrap().to_owned();
            (at, name.clone(), declared)
        })
        .collect();
    columns.sort();
    columns
        .into_iter()
        .map(|(_, name, of)| (name, of))
        .collect()
}

/// Runs what the file says about an event.
fn apply(connection: &Connection, ir: &Value, projection: &str, event: &Value) {
    let sql = &ir["sql"]["sqlite"][projection];
    let declared = &ir["projections"][projection];
    let fields = &declared["fields"];
    let columns = columns(sql["ddl"][0].as_str().unwrap(), fields);
    let event_type = event["eventType"].as_str().unwrap();
    let Some(statements) = sql["mutations"][event_type].as_array() else {
        return;
    };
    let each = declared["mutations"][event_type]["each"].is_string();
    for statement in statements {
        let text = statement["text"].as_str().unwrap();
        let once = [Value::Null];
        // The rows of a replace are written for each element, its delete is run once.
        let items = if each && text.starts_with("INSERT") {
            event["payload"]["lines"].as_array().unwrap()
        } else {
            &once[..]
        };
        for item in items {
            let parameters = statement["parameters"].as_array().unwrap();
            let parameters = parameters.iter().enumerate().map(|(at, parameter_text)| {
                let value = parameter(parameter_text.as_str().unwrap(), event, item, fields);
                bound(&value, &columns[at % columns.len()].1)
            });
            let mut prepared = connection.prepare(text).unwrap();
            // What an update of one row reads is a part of the row and of what it is given.
            let wanted = prepared.parameter_count();
            let parameters: Vec<_> = parameters.take(wanted).collect();
            assert_eq!(parameters.len(), wanted, "{text}");
            prepared.execute(params_from_iter(parameters)).unwrap();
        }
    }
}

/// The rows of a table, sorted.
fn rows(connection: &Connection, table: &str) -> Vec<BTreeMap<String, String>> {
    let mut statement = connection
        .prepare(&format!("SELECT * FROM \"{table}\""))
        .unwrap();
    let names: Vec<String> = statement
        .column_names()
        .into_iter()
        .map(Into::into)
        .collect();
    let rows = statement.query_map([], |row| {
        let cells = names.iter().enumerate();
        let cells = cells.map(|(at, name)| {
            let value: types::Value = row.get(at)?;
            Ok((name.clone(), format!("{value:?}")))
        });
        cells.collect::<rusqlite::Result<BTreeMap<_, _>>>()
    });
    let mut rows: Vec<_> = rows.unwrap().map(Result::unwrap).collect();
    rows.sort();
    rows
}

#[test]
fn the_statements_of_an_ir_leave_the_rows_that_the_program_leaves() {
    let mut random = Random::seeded(random::seed());
    let events: Vec<Value> = (0..600).map(|at| event(&mut random, at)).collect();
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    let place = Place::with_events(DECLARED, lines);
    place.run_once(&[]);
    assert_eq!(place.client().letters(), []);

    let mut compile = process::command();
    let compiled = process::ended(compile.arg("compile").arg(place.projections()));
    assert_eq!(compiled.code, 0, "{compiled:?}");
    let ir: Value = serde_json::from_str(&compiled.stdout).unwrap();
    let by_hand = database();
    let names = ["order", "keys", "lines"];
    for name in names {
        for ddl in ir["sql"]["sqlite"][name]["ddl"].as_array().unwrap() {
            by_hand.execute_batch(ddl.as_str().unwrap()).unwrap();
        }
    }
    for event in &events {
        for name in names {
            apply(&by_hand, &ir, name, event);
        }
    }
    let by_program = Connection::open(place.views()).unwrap();
    for name in names {
        let (expected, found) = (rows(&by_hand, name), rows(&by_program, name));
        assert!(!found.is_empty(), "{name} is tested by some rows");
        assert_eq!(found, expected, "{name}");
    }
}
