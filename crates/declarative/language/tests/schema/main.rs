//! The JSON Schema against files: it takes what `parse` takes, and sees mistakes of structure.
#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod documented;
mod mutated;
mod yaml;

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use projectionist_language::{json_schema, parse};
use serde_json::Value;

/// The schema, ready to validate.
fn schema() -> Validator {
    jsonschema::draft202012::new(&serde_json::from_str(&json_schema()).unwrap()).unwrap()
}

fn errors(schema: &Validator, file: &Value) -> Vec<String> {
    let errors = schema.iter_errors(file);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// The folder of the workspace.
fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(3).unwrap().to_owned()
}

/// Every file of declared projections in the examples, and the good ones of the tests.
fn good_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["tests/files", "tests/warnings"] {
        files.extend(inside(&package.join(folder)));
    }
    for example in inside(&workspace().join("examples")) {
        if example.is_dir() {
            files.extend(inside(&example));
        }
    }
    files.retain(|file| {
        let is = |wanted: &str| {
            file.extension()
                .is_some_and(|extension| extension == wanted)
        };
        is("yaml") || is("json")
    });
    files
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn it_is_a_schema_of_draft_2020_12() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
}

#[test]
fn it_takes_every_good_file() {
    let schema = schema();
    let files = good_files();
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.display().to_string();
        assert_eq!(parse(&name, &text).err(), None);
        assert_eq!(errors(&schema, &yaml::to_json(&text)), [""; 0], "{name}");
    }
}

/// A good file, and below it what is changed in it: the mistakes that an editor should underline.
const RIGHT: &str = r#"
projections:
  orders:
    source_events: [PLACED]
    target: { table: orders, primary_key: [id], indexes: [[status]] }
    fields: { id: TEXT, status: { type: TEXT, default: open } }
    derive: { id: event.entityId, status: event.status }
    mutations: { PLACED: { op: upsert, set: { status: "'open'" } } }
"#;

const WRONG: [(&str, &str); 36] = [
    ("projections:", "projektions:"),
    ("projections:", "envelop: causet\nprojections:"),
    ("projections:", "envelope: kafka\nprojections:"),
    ("projections:", "envelope: { type: $.kind }\nprojections:"),
    (
        "projections:",
        "envelope: { type: kind, entity: $.id }\nprojections:",
    ),
    (
        "projections:",
        "envelope: { debezium: { key: id } }\nprojections:",
    ),
    ("projections:", "data_retries: -1\nprojections:"),
    ("projections:", "max_retries: 1.5\nprojections:"),
    ("projections:", "max_retries: \"5\"\nprojections:"),
    ("projections:", "checkpoint: kafka\nprojections:"),
    ("projections:", "max_tenants: 5\nprojections:"),
    ("source_events: [PLACED]", "source_events: PLACED"),
    ("source_events: [PLACED]", "source_events: []"),
    ("source_events: [PLACED]", "source_events: [404]"),
    ("source_events: [PLACED]", "events: [PLACED]"),
    (
        "source_events: [PLACED]",
        "source_events: [PLACED]\n    start: never",
    ),
    (
        "source_events: [PLACED]",
        "source_events: [PLACED]\n    sequence: loose",
    ),
    (
        "source_events: [PLACED]",
        "source_events: [PLACED]\n    shared: true",
    ),
    ("target: { table: orders, ", "target: { "),
    ("primary_key: [id]", "primary_key: id"),
    ("[[status]]", "[status]"),
    ("[[status]]", "[[status, status]]"),
    ("[[status]]", "[[]]"),
    ("id: TEXT", "id: [TEXT]"),
    ("type: TEXT, ", ""),
    ("type: TEXT", "type: TEXT, nullable: no"),
    ("type: TEXT", "type: TEXT, nul: ignore"),
    ("type: TEXT", "type: TEXT, generated: x"),
    ("status: event.status", "status: [event.status]"),
    ("op: upsert", "op: upsrt"),
    ("op: upsert, ", ""),
    ("op: upsert", "op: upsert, each: event.lines"),
    ("op: upsert", "op: increment"),
    ("op: upsert", "op: replace"),
    ("op: upsert", "op: ignore"),
    ("op: upsert", "op: patch, on_missing: skip"),
];

#[test]
fn it_refuses_mistakes_of_structure() {
    let schema = schema();
    assert_eq!(errors(&schema, &yaml::to_json(RIGHT)), [""; 0]);
    for (right, wrong) in WRONG {
        assert_eq!(RIGHT.matches(right).count(), 1, "{right}");
        let text = RIGHT.replace(right, wrong);
        let found = errors(&schema, &yaml::to_json(&text));
        assert!(!found.is_empty(), "{right} -> {wrong} is taken");
        assert!(parse("f.yaml", &text).is_err(), "{wrong} is no fault");
    }
}

/// Each operation with its own keys, so that none of them is refused by the rules of another.
#[test]
fn it_knows_the_keys_of_each_operation() {
    let schema = schema();
    for mutation in [
        "op: upsert, when: event.paid",
        "op: insert, when: event.paid, set: { status: 5 }",
        "op: patch, set: { status: null }, on_missing: error",
        "op: delete, when: event.paid",
        "op: replace, filter: { id: event.entityId }",
        "op: ignore",
    ] {
        let text = RIGHT.replace("op: upsert, set: { status: \"'open'\" }", mutation);
        assert_ne!(text, RIGHT);
        assert_eq!(
            errors(&schema, &yaml::to_json(&text)),
            [""; 0],
            "{mutation}"
        );
        assert!(parse("f.yaml", &text).is_ok(), "{mutation}");
    }
}
