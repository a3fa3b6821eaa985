//! A plain path and the same place within CEL mean the same value.
#![expect(clippy::unwrap_used, reason = "the helpers are parts of tests")]

use projectionist_language::cel::Program;
use projectionist_language::{Path, Step};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::support::evaluate;

fn json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        // Doubles that JSON spells with a point or an exponent.
        any::<i32>().prop_map(|number| Value::from(f64::from(number) + 0.5)),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        "[a-c\"\\\\é\u{1}😀]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[abts ]{1,2}", inner, 0..4)
                .prop_map(|entries| Value::from(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// All places of a value, each with what stands there.
fn places(value: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    found.push((path.to_owned(), value.clone()));
    match value {
        Value::Object(map) => {
            for (key, below) in map {
                places(below, &format!("{path}['{key}']"), found);
            }
        }
        Value::Array(list) => {
            for (index, below) in list.iter().enumerate() {
                places(below, &format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn every_place_has_the_value_that_stands_there(payload in json()) {
        let mut found = Vec::new();
        places(&payload, "event.payload", &mut found);
        let text = payload.to_string();
        for (path, wanted) in found {
            let computed = evaluate(&format!("[{path}][0]"), &text).unwrap();
            let computed: Value = serde_json::from_str(&computed).unwrap();
            prop_assert!(same(&computed, &wanted), "{path}: {computed} is not {wanted}");
            // What passes through is the text itself.
            let passed = evaluate(&format!("true ? {path} : 0"), &text).unwrap();
            let as_it_stands = match &wanted {
                Value::Null => "null".to_owned(),
                wanted => format!("as it stands: {wanted}"),
            };
            prop_assert_eq!(passed, as_it_stands);
        }
    }
}

/// Equal as values: `2.0` and `2` are one number.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// The places that an expression reads, as steps.
fn reads(expression: &str) -> Vec<String> {
    let program = Program::compile(expression).unwrap();
    let shown = program.places().iter().map(|path| match path {
        Path::Metadata(name) => format!("{name:?}"),
        Path::Payload(steps) => format!("payload{}", steps_of(steps)),
        Path::Item(steps) => format!("item{}", steps_of(steps)),
    });
    shown.collect()
}

fn steps_of(steps: &[Step]) -> String {
    let shown = steps.iter().map(|step| match step {
        Step::Key(key) => format!("/{key}"),
        Step::Index(index) => format!("/{index}"),
    });
    shown.collect()
}

#[test]
fn what_an_expression_reads_is_known_before_any_event() {
    for (expression, wanted) in [
        (
            "event.a.b + event.a.c + event.a.b",
            vec!["payload/a/b", "payload/a/c"],
        ),
        (
            "event.prices[event.currency].net",
            vec!["payload/prices", "payload/currency"],
        ),
        ("event.prices[0]['x'] == 1", vec!["payload/prices/0/x"]),
        ("has(event.a.b.c)", vec!["payload/a/b", "payload/a/b/c"]),
        ("has(event.a)", vec!["payload/a"]),
        ("has(item.a) || item.b", vec!["item", "item/a", "item/b"]),
        (
            "event.ts + event.meta.sequenceNumber",
            vec!["Ts", "SequenceNumber"],
        ),
        ("event.payload.ts + 1", vec!["payload/ts"]),
        (
            "event.lines.exists(l, l.qty > event.least)",
            vec!["payload/lines", "payload/least"],
        ),
        ("coalesce(event.a, event.b)", vec!["payload/b", "payload/a"]),
        ("json(event.payload)", vec!["payload"]),
        ("1 + 1", vec![]),
    ] {
        assert_eq!(reads(expression), wanted, "{expression}");
    }
}
