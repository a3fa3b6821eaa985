//! Dead letters that are kept, were given up, or were replayed.

use std::fs;

use serde_json::{Value, json};

use crate::stand::{Stand, event, told};

const FILE: &str = r#"
projections:
  totals:
    source_events: [PAID]
    target: { table: totals, primary_key: [id] }
    fields: { id: TEXT, total: { type: BIGINT, default: 0 } }
    derive: { id: event.entityId }
    mutations: { PAID: { op: increment, by: { total: event.PRICE } } }
"#;

fn paid(entity: &str, number: i64, price: Value, cost: i64) -> Value {
    event(
        "PAID",
        entity,
        number,
        json!({ "price": price, "cost": cost }),
    )
}

/// The second event of `a` has a price that is no number.
fn stand() -> Stand {
    let events = [
        paid("a", 1, json!(1), 1),
        paid("a", 2, json!("two"), 20),
        paid("b", 1, json!(5), 5),
    ];
    Stand::after(&FILE.replace("PRICE", "price"), &events)
}

fn outcome(story: &Value, line: u64) -> (String, String, Value) {
    let told = told(story).into_iter().find(|told| told.0 == line).unwrap();
    let events = story["events"].as_array().unwrap().iter();
    let event = events.clone().find(|event| event["line"] == line).unwrap();
    (
        told.1,
        event["detail"].as_str().unwrap_or_default().to_owned(),
        event["letter"].clone(),
    )
}

fn notes(found: &Value) -> String {
    found["notes"].to_string()
}

#[test]
fn a_letter_that_is_kept_is_told_and_left_out() {
    let stand = stand();
    let (outcome, detail, letter) = outcome(&stand.explain(&["totals", "a"], true), 2);
    assert_eq!((outcome.as_str(), &letter), ("dead_letter", &json!(1)));
    assert!(
        detail.starts_with("dead letter 1 (data, total): "),
        "{detail}"
    );
    let found = stand.audit(&["totals"], 0);
    assert!(
        notes(&found).contains("1 event(s) of which the target keeps a dead letter"),
        "{found}"
    );
}

#[test]
fn a_letter_that_was_given_up_is_told_so() {
    let stand = stand();
    let ended = stand.ended(&["dead-letters", "discard", "totals"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let (outcome, detail, letter) = outcome(&stand.explain(&["totals", "a"], true), 2);
    assert_eq!((outcome.as_str(), letter), ("dead_letter", json!(null)));
    assert!(detail.contains("it was replayed or given up"), "{detail}");
    let found = stand.audit(&["totals"], 0);
    for part in ["1 event(s) were given up", "1 event(s) cannot be applied"] {
        assert!(notes(&found).contains(part), "{part}: {found}");
    }
}

/// A rule that holds from now on makes the event one that can be applied. As long as its letter is
/// kept the table is without it; after the replay it has it; when it was given up it lacks it.
#[test]
fn a_letter_of_an_older_rule_counts_only_once_it_was_replayed() {
    for (verb, wrong) in [("replay", 0), ("discard", 1)] {
        let stand = stand();
        let fixed = stand.place.path("fixed.yaml");
        fs::write(&fixed, FILE.replace("PRICE", "cost")).unwrap();
        let fixed = fixed.display().to_string();
        let mut deploy = crate::common::process::command();
        deploy.args([
            "deploy",
            &fixed,
            "--into",
            &stand.place.target(),
            "--from-now-on",
        ]);
        let ended = crate::common::process::ended(&mut deploy);
        assert_eq!(ended.code, 0, "{ended:?}");
        stand.audit(&["totals"], 0);
        stand.explain(&["totals", "a"], true);
        let ended = stand.ended(&["dead-letters", verb, "totals"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        stand.audit(&["totals"], wrong);
        let story = stand.explain(&["totals", "a"], wrong == 0);
        assert_eq!(story["row"]["events"]["total"], 21, "{verb}");
        assert_eq!(outcome(&story, 2).0, "applied");
    }
}
