//! What became of an event may depend on rows that nobody asked about.

use serde_json::{Value, json};

use crate::stand::{Stand, event, told};

const FILE: &str = r#"
projections:
  items:
    source_events: [ADDED, RENAMED]
    target: { table: items, primary_key: [item] }
    fields: { item: TEXT, name: TEXT }
    derive: { item: event.item, name: event.name }
    mutations:
      ADDED: { op: upsert }
      RENAMED: { op: patch, set: { name: event.name }, on_missing: error }
"#;

fn of(event_type: &str, entity: &str, number: i64, item: &str) -> Value {
    event(
        event_type,
        entity,
        number,
        json!({ "item": item, "name": "n" }),
    )
}

/// Order 1 renames the item of another order, which it can; its late event is therefore stale. The
/// story of the late item must not forget the other order.
#[test]
fn an_event_is_stale_by_one_that_needed_the_row_of_another_entity() {
    let stand = Stand::after(
        FILE,
        &[
            of("ADDED", "other", 1, "x"),
            of("RENAMED", "order", 5, "x"),
            of("ADDED", "order", 4, "y"),
        ],
    );
    let story = stand.explain(&["items", "y"], true);
    let outcomes: Vec<_> = told(&story)
        .into_iter()
        .map(|told| (told.0, told.1))
        .collect();
    assert_eq!(outcomes, [(3, "stale".to_owned())]);
    assert_eq!(story["row"], json!({ "events": null, "table": null }));
}

/// The same without the other order: the renaming is a dead letter and holds nothing up.
#[test]
fn an_event_is_not_stale_by_one_that_became_a_dead_letter() {
    let stand = Stand::after(
        FILE,
        &[of("RENAMED", "order", 5, "x"), of("ADDED", "order", 4, "y")],
    );
    let story = stand.explain(&["items", "y"], true);
    let outcomes: Vec<_> = told(&story)
        .into_iter()
        .map(|told| (told.0, told.1))
        .collect();
    assert_eq!(outcomes, [(2, "applied".to_owned())]);
    stand.audit(&["items"], 0);
}

/// Nobody can say whether an event without a key was meant for the row; that there is one is said.
#[test]
fn an_event_of_the_entity_that_tells_no_row_is_counted() {
    let mut without = of("ADDED", "order", 2, "");
    without["payload"] = json!({ "name": "n" });
    let stand = Stand::after(FILE, &[of("ADDED", "order", 1, "x"), without]);
    let story = stand.explain(&["items", "x"], true);
    assert_eq!(told(&story).len(), 1, "{story}");
    let notes = story["notes"].to_string();
    let told = "1 event(s) of the same entities cannot be applied and do not tell whose row";
    assert!(notes.contains(told), "{notes}");
    let other = stand.explain(&["items", "y"], true);
    assert_eq!(other["notes"], json!([]));
}
