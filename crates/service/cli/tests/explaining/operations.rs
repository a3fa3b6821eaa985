//! What each operation, and each reason to change nothing, is told as.

use serde_json::{Value, json};

use crate::stand::{Stand, event, expected, told};

const FILE: &str = r#"
projections:
  accounts:
    source_events: [OPENED, CHANGED, NAMED, PAID, TOUCHED, CLOSED, SEEN]
    target: { table: accounts, primary_key: [id] }
    fields:
      id: TEXT
      owner: TEXT
      total: { type: "NUMERIC(12,2)", default: 0 }
      at: TIMESTAMPTZ
    derive: { id: event.entityId, owner: event.owner, at: event.ts }
    mutations:
      OPENED: { op: insert }
      CHANGED: { op: upsert, set: { total: event.total } }
      NAMED: { op: patch, set: { owner: event.name }, on_missing: ignore }
      PAID: { op: increment, by: { total: event.amount }, when: "event.amount != 0" }
      TOUCHED: { op: patch, set: { owner: event.name }, on_missing: error }
      CLOSED: { op: delete }
      SEEN: { op: ignore }
"#;

/// The story of `a`, whose every second line is about another account.
fn events() -> Vec<Value> {
    let paid = |number, amount: Value| event("PAID", "a", number, json!({ "amount": amount }));
    let mut events = vec![
        event("NAMED", "a", 1, json!({ "name": "nobody" })),
        event("OPENED", "a", 2, json!({ "owner": "Ada" })),
        event("OPENED", "a", 3, json!({ "owner": "Bob" })),
        paid(4, json!("1.50")),
        paid(4, json!("1.50")),
        paid(5, json!(0)),
        paid(6, json!("much")),
        paid(3, json!(7)),
        event("SEEN", "a", 7, json!({})),
        event("NAMED", "a", 8, json!({ "name": "Eve" })),
        event("CLOSED", "a", 9, json!({})),
        event("TOUCHED", "a", 10, json!({ "name": "late" })),
        paid(11, json!(2)),
        event("CHANGED", "a", 12, json!({ "owner": "Zoë", "total": 3 })),
    ];
    events[13]["ts"] = json!(1_719_331_200_000_i64);
    let other = |number| event("PAID", "b", number, json!({ "amount": 1 }));
    let both = events.into_iter().zip(1..);
    both.flat_map(|(event, number)| [event, other(number)])
        .collect()
}

#[test]
fn every_event_of_a_row_is_told_with_what_it_did() {
    let stand = Stand::after(FILE, &events());
    let story = stand.explain(&["accounts", "a"], true);
    let none = json!({});
    let moment = "2024-06-25T16:00:00.000Z";
    let expected = expected(&[
        (1, "ignored", "unchanged", none.clone()),
        (
            3,
            "applied",
            "created",
            json!({ "id": [null, "a"], "owner": [null, "Ada"], "total": [null, "0.00"], "at": [null, null] }),
        ),
        (5, "ignored", "unchanged", none.clone()),
        (
            7,
            "applied",
            "changed",
            json!({ "total": ["0.00", "1.50"] }),
        ),
        (9, "stale", "unchanged", none.clone()),
        (11, "filtered", "unchanged", none.clone()),
        (13, "dead_letter", "unchanged", none.clone()),
        (15, "stale", "unchanged", none.clone()),
        (19, "applied", "changed", json!({ "owner": ["Ada", "Eve"] })),
        (
            21,
            "applied",
            "deleted",
            json!({ "id": ["a", null], "owner": ["Eve", null], "total": ["1.50", null] }),
        ),
        (23, "dead_letter", "unchanged", none),
        (
            25,
            "applied",
            "created",
            json!({ "id": [null, "a"], "owner": [null, null], "total": [null, "2.00"], "at": [null, null] }),
        ),
        (
            27,
            "applied",
            "changed",
            json!({ "owner": [null, "Zoë"], "total": ["2.00", "3.00"], "at": [null, moment] }),
        ),
    ]);
    // In JSON a column that is null in a new row reads as its absence before it.
    let known: Vec<_> = told(&story);
    assert_eq!(known.len(), expected.len(), "{story:#}");
    for (known, expected) in known.iter().zip(&expected) {
        let mut wanted = expected.clone();
        let nulls = wanted.3.as_object_mut().unwrap();
        let mut told = known.clone();
        nulls.retain(|_, change| change != &json!([null, null]));
        told.3
            .as_object_mut()
            .unwrap()
            .retain(|_, change| change != &json!([null, null]));
        assert_eq!(told, wanted);
    }
    let row = json!({ "id": "a", "owner": "Zoë", "total": "3.00", "at": moment });
    assert_eq!(story["row"], json!({ "events": row, "table": row }));
}

#[test]
fn an_event_is_told_with_its_coordinates_and_its_reason() {
    let stand = Stand::after(FILE, &events());
    let story = stand.explain(&["accounts", "a"], true);
    let at = |line: u64| {
        let events = story["events"].as_array().unwrap().iter();
        let found = events.clone().find(|event| event["line"] == line);
        found.cloned().unwrap()
    };
    let last = at(27);
    assert_eq!(
        (
            &last["type"],
            &last["entity"],
            &last["sequence"],
            &last["ts"],
            &last["operation"]
        ),
        (
            &json!("CHANGED"),
            &json!("a"),
            &json!(12),
            &json!(1_719_331_200_000_i64),
            &json!("upsert")
        )
    );
    let bytes: usize = events()[..27]
        .iter()
        .map(|event| event.to_string().len() + 1)
        .sum();
    let offset = last["offset"].as_str().unwrap();
    assert!(offset.starts_with(&format!("{bytes}:27:")), "{offset}");
    for (line, part) in [
        (1, "there was no row"),
        (5, "the row was there"),
        (9, "number 4 of its entity"),
        (11, "`when` is false"),
        (15, "number 5 of its entity"),
    ] {
        let detail = at(line)["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(part), "{line}: {detail}");
    }
    let letter = at(13);
    assert_eq!(
        (&letter["class"], &letter["field"]),
        (&json!("data"), &json!("total"))
    );
    let kept = stand.place.client().letters();
    let error = &kept
        .iter()
        .find(|letter| letter.field.as_deref() == Some("total"))
        .unwrap()
        .error;
    assert!(
        letter["detail"].as_str().unwrap().contains(error),
        "{letter}"
    );
    assert!(letter["letter"].is_u64(), "{letter}");
}

#[test]
fn a_limit_shows_the_last_events_and_counts_all() {
    let stand = Stand::after(FILE, &events());
    let story = stand.explain(&["accounts", "a", "--limit", "2"], true);
    assert_eq!(story["events_total"], 13);
    let lines: Vec<u64> = told(&story).iter().map(|told| told.0).collect();
    assert_eq!(lines, [25, 27]);
    let text = stand.ended(&["explain", "accounts", "a", "--limit", "2"]);
    assert_eq!(text.code, 0, "{text:?}");
    for part in [
        "accounts id=a: 13 event(s)",
        "the first 11 are not shown; --limit 13 shows all",
        "line 25 (PAID, number 11, offset ",
        "    total: 2.00 -> 3.00\n",
        "the row is as its events make it\n",
    ] {
        assert!(text.stdout.contains(part), "{part}: {text:?}");
    }
}

#[test]
fn without_the_guard_a_repeated_event_is_told_twice() {
    let file = FILE.replace("  accounts:\n", "  accounts:\n    sequence: none\n");
    let paid = event("PAID", "a", 1, json!({ "amount": 2 }));
    let stand = Stand::after(&file, &[paid.clone(), paid]);
    let story = stand.explain(&["accounts", "a"], true);
    let totals: Vec<Value> = told(&story)
        .into_iter()
        .map(|told| told.3["total"].clone())
        .collect();
    assert_eq!(totals, [json!([null, "2.00"]), json!(["2.00", "4.00"])]);
    let found = stand.audit(&["accounts"], 0);
    assert!(
        found["notes"].to_string().contains("sequence: none"),
        "{found}"
    );
}
