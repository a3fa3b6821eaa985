//! Files that are changed at random: the schema refuses none that `parse` takes.

use projectionist_language::parse;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{errors, schema, yaml};

const FILES: [&str; 4] = [
    include_str!("../files/every_part.yaml"),
    include_str!("../files/every_option.yaml"),
    include_str!("../files/artist_followers.yaml"),
    include_str!("../files/envelope.yaml"),
];

/// What is put in the place of something else.
fn replacement() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(5),
        json!(-1.5),
        json!(""),
        json!("none"),
        json!("error"),
        json!("latest"),
        json!("TEXT"),
        json!("event.ts"),
        json!("patch"),
        json!("cloudevents"),
        json!("$.a"),
        json!({ "debezium": { "key": ["id"] } }),
        json!("ignore"),
        json!([]),
        json!({}),
        json!(["status"]),
        json!([["status"]]),
        json!({ "type": "BIGINT" }),
        json!({ "op": "upsert" }),
    ])
}

/// Changes the `at`th place of a file, counted in the order of reading.
fn change(file: &mut Value, at: usize, new: &Value, remove: bool) {
    let mut places = Vec::new();
    pointers(file, String::new(), &mut places);
    let Some(pointer) = at.checked_rem(places.len()).and_then(|at| places.get(at)) else {
        return;
    };
    let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", ""));
    let key = key.replace("~1", "/").replace("~0", "~");
    match file.pointer_mut(parent) {
        Some(Value::Object(entries)) if remove => {
            entries.remove(&key);
        }
        Some(Value::Object(entries)) => {
            entries.insert(key, new.clone());
        }
        Some(Value::Array(elements)) => {
            if let Some(element) = key.parse().ok().and_then(|at: usize| elements.get_mut(at)) {
                *element = new.clone();
            }
        }
        _ => {}
    }
}

/// The places of everything inside the value.
fn pointers(value: &Value, here: String, places: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            for (key, inside) in entries {
                let key = key.replace('~', "~0").replace('/', "~1");
                let there = format!("{here}/{key}");
                places.push(there.clone());
                pointers(inside, there, places);
            }
        }
        Value::Array(elements) => {
            for (at, inside) in elements.iter().enumerate() {
                let there = format!("{here}/{at}");
                places.push(there.clone());
                pointers(inside, there, places);
            }
        }
        _ => {}
    }
}

#[test]
fn it_refuses_nothing_that_is_taken() {
    let schema = schema();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 1_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let taken = std::cell::Cell::new(0_u32);
    let changes = prop::collection::vec((any::<usize>(), replacement(), any::<bool>()), 1..3);
    let ran = runner.run(&(0..FILES.len(), changes), |(file, changes)| {
        let mut changed = yaml::to_json(FILES[file]);
        for (at, new, remove) in &changes {
            change(&mut changed, *at, new, *remove);
        }
        // JSON is YAML, so the changed file is read as it stands.
        if parse("f.json", &changed.to_string()).is_ok() {
            taken.set(taken.get() + 1);
            let refused = errors(&schema, &changed);
            prop_assert!(refused.is_empty(), "{changed:#}\n{refused:?}");
        }
        Ok(())
    });
    assert_eq!(ran, Ok(()));
    assert!(taken.get() >= 25, "only {} were taken", taken.get());
}
