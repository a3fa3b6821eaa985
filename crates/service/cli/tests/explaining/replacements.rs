//! Rows that are replaced by scopes, and keys of several columns.

use serde_json::{Value, json};

use crate::stand::{Stand, event, expected, told};

const FILE: &str = r#"
projections:
  lines:
    source_events: [BASKET_SET]
    target: { table: lines, primary_key: [basket, sku] }
    fields: { basket: TEXT, sku: TEXT, quantity: INT }
    derive: { basket: event.entityId, sku: item.sku, quantity: item.quantity }
    mutations:
      BASKET_SET: { op: replace, filter: { basket: event.entityId }, each: event.lines }
  shelf:
    sequence: none
    source_events: [SHELVED, MOVED_OUT]
    target: { table: shelf, primary_key: [sku] }
    fields: { sku: TEXT, room: TEXT }
    derive: { sku: event.sku, room: event.room }
    mutations:
      SHELVED: { op: upsert }
      MOVED_OUT: { op: replace, filter: { room: event.from } }
"#;

fn basket(entity: &str, number: i64, lines: Value) -> Value {
    event("BASKET_SET", entity, number, json!({ "lines": lines }))
}

#[test]
fn a_replacement_is_told_to_every_row_of_its_scope() {
    let fig = |quantity| json!({ "sku": "fig", "quantity": quantity });
    let pear = json!({ "sku": "pear", "quantity": 1 });
    let stand = Stand::after(
        FILE,
        &[
            basket("b", 1, json!([pear])),
            basket("b", 2, json!([fig(2), pear])),
            basket("c", 1, json!([fig(9)])),
            basket("b", 3, json!([fig(3)])),
            basket("b", 4, json!([fig(4), { "quantity": 1 }])),
            basket("b", 5, json!([])),
            basket("b", 6, json!([pear, fig(5)])),
        ],
    );
    let story = stand.explain(&["lines", "b", "fig"], true);
    let row = |change: Value| {
        let mut change = change;
        change["basket"] = json!([null, "b"]);
        change["sku"] = json!([null, "fig"]);
        change
    };
    assert_eq!(
        told(&story),
        expected(&[
            (1, "applied", "unchanged", json!({})),
            (
                2,
                "applied",
                "created",
                row(json!({ "quantity": [null, 2] }))
            ),
            (4, "applied", "changed", json!({ "quantity": [2, 3] })),
            (5, "dead_letter", "unchanged", json!({})),
            (
                6,
                "applied",
                "deleted",
                json!({ "basket": ["b", null], "sku": ["fig", null], "quantity": [3, null] }),
            ),
            (
                7,
                "applied",
                "created",
                row(json!({ "quantity": [null, 5] }))
            ),
        ])
    );
    let named = stand.explain(&["lines", "sku=fig", "basket=b"], true);
    assert_eq!(named["events"], story["events"]);
    stand.audit(&["lines"], 0);
}

#[test]
fn a_scope_beside_the_key_is_told_only_to_rows_that_were_in_it() {
    let shelved =
        |sku: &str, room: &str| event("SHELVED", "s", 1, json!({ "sku": sku, "room": room }));
    let out = |from: &str, sku: &str| {
        event(
            "MOVED_OUT",
            "s",
            1,
            json!({ "from": from, "sku": sku, "room": "yard" }),
        )
    };
    let stand = Stand::after(
        FILE,
        &[
            shelved("x", "east"),
            shelved("y", "west"),
            out("west", "a"),
            out("east", "b"),
            out("east", "c"),
        ],
    );
    let story = stand.explain(&["shelf", "x"], true);
    assert_eq!(
        told(&story),
        expected(&[
            (
                1,
                "applied",
                "created",
                json!({ "sku": [null, "x"], "room": [null, "east"] })
            ),
            (
                4,
                "applied",
                "deleted",
                json!({ "sku": ["x", null], "room": ["east", null] })
            ),
        ])
    );
    assert_eq!(story["row"], json!({ "events": null, "table": null }));
    stand.audit(&["shelf"], 0);
}
