//! A projections file that was changed after it ran: what does not fit the tables that are there is
//! refused before anything is claimed, with or without new events, and nothing moves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "the helpers belong to tests: a step that fails must name its line"
)]

mod common;

use std::collections::BTreeMap;

use common::client::Tables;
use common::wait::eventually;
use common::{Ended, Place};
use serde_json::json;

/// Sums by region, and the last state of every order.
const DECLARED: &str = r#"
projections:
  revenue:
    source_events: [ORDER_PAID]
    target: { table: totals, primary_key: [region] }
    fields: { region: TEXT, amount: BIGINT, orders: BIGINT }
    derive: { region: event.region }
    mutations:
      ORDER_PAID: { op: increment, by: { amount: event.amount, orders: 1 } }
  orders:
    source_events: [ORDER_PAID]
    target: { table: orders, primary_key: [order_id] }
    fields: { order_id: TEXT, amount: BIGINT }
    derive: { order_id: event.entityId, amount: event.amount }
    mutations:
      ORDER_PAID: { op: upsert }
"#;

/// Events `numbers`, of no tenant and of `acme` in turns.
fn events(numbers: std::ops::Range<u32>) -> String {
    let lines = numbers.map(|number| {
        let mut event = json!({
            "eventType": "ORDER_PAID",
            "entityId": format!("order-{number}"),
            "sequenceNumber": 1,
            "payload": {
                "region": if number % 3 == 0 { "north" } else { "south" },
                "amount": number,
            },
        });
        if number % 2 == 1 {
            event["tenantSchema"] = json!("acme");
        }
        format!("{event}\n")
    });
    lines.collect()
}

/// A place in which the first ten events were run.
fn ran() -> Place {
    let place = Place::with_events(DECLARED, events(0..10));
    let summary = place.run_once(&[]);
    assert_eq!(
        summary["projections"]["revenue"]["applied"], 10,
        "{summary}"
    );
    place
}

fn declare(place: &Place, changes: &[(&str, &str)]) {
    let mut text = DECLARED.to_owned();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    std::fs::write(place.projections(), text).unwrap();
}

/// All that a run could have moved: rows, and the lanes with their epochs, offsets and counts.
fn state(place: &Place) -> (Tables, BTreeMap<String, String>) {
    let client = place.client();
    let lanes = client.lanes().into_iter();
    let lanes = lanes.map(|(name, lane)| (name, format!("{lane:?}")));
    (client.tables(), lanes.collect())
}

/// The run was refused in one line for each of `lines`, which holds its words.
fn assert_refused(ended: &Ended, code: i32, lines: &[&[&str]]) {
    assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{ended:?}");
    let said: Vec<&str> = ended.stderr.lines().collect();
    assert_eq!(said.len(), lines.len(), "{ended:?}");
    for (line, words) in said.iter().zip(lines) {
        for word in *words {
            assert!(line.contains(word), "{word}: {ended:?}");
        }
    }
}

#[test]
fn a_renamed_projection_does_not_count_everything_once_more() {
    let place = ran();
    let before = state(&place);
    place.append(events(10..20));
    declare(&place, &[("revenue:", "income:")]);
    let told: &[&[&str]] = &[&["projection income", "totals", "`revenue`", "a new target"]];
    assert_refused(&place.ended(&[]), 5, told);
    // A run that follows the events is refused as well, and does not wait for any.
    assert_refused(&place.follow(&[]).end(), 5, told);
    assert_eq!(state(&place), before);

    // Under its old name it goes on where it was.
    declare(&place, &[]);
    let summary = place.run_once(&[]);
    assert_eq!(
        summary["projections"]["revenue"]["applied"], 20,
        "{summary}"
    );
    let rows = |table| place.client().rows(table).into_iter();
    let counted = rows("totals").chain(rows("acme__totals"));
    let (mut amount, mut orders) = (0, 0);
    for row in counted {
        amount += row["amount"].as_i64().unwrap();
        orders += row["orders"].as_i64().unwrap();
    }
    assert_eq!((amount, orders), ((0..20).sum(), 20));
}

#[test]
fn projections_that_swap_their_tables_are_both_refused() {
    let place = ran();
    let before = state(&place);
    // Each writes the other's table now.
    let mut swapped = DECLARED.to_owned();
    for (from, to) in [
        ("totals", "former"),
        ("table: orders", "table: totals"),
        ("former", "orders"),
    ] {
        assert_eq!(swapped.matches(from).count(), 1, "{from}");
        swapped = swapped.replace(from, to);
    }
    std::fs::write(place.projections(), swapped).unwrap();
    let told: &[&[&str]] = &[
        &["projection revenue", "table `totals` becomes `orders`"],
        &["projection revenue", "`orders` of the projection `orders`"],
        &["projection orders", "table `orders` becomes `totals`"],
        &["projection orders", "`totals` of the projection `revenue`"],
    ];
    assert_refused(&place.ended(&[]), 5, told);
    assert_eq!(state(&place), before);
}

#[test]
fn a_changed_type_is_refused_before_any_event() {
    let place = ran();
    let before = state(&place);
    declare(&place, &[("amount: BIGINT, orders", "amount: INT, orders")]);
    let told: &[&[&str]] = &[&["projection revenue", "`amount` is INT and was BIGINT"]];
    assert_refused(&place.ended(&[]), 4, told);
    place.append(events(10..20));
    assert_refused(&place.ended(&[]), 4, told);
    assert_eq!(state(&place), before);

    // The other projection fits, and may run without this one.
    let summary = place.run_once(&["--except", "revenue"]);
    assert_eq!(summary["projections"]["orders"]["applied"], 20, "{summary}");
    let after = state(&place);
    assert_eq!(after.1["revenue"], before.1["revenue"]);
    assert_eq!(after.0["totals"], before.0["totals"]);
}

#[test]
fn every_projection_that_does_not_fit_is_told() {
    let place = ran();
    let before = state(&place);
    let changes = [
        ("amount: BIGINT, orders", "amount: NUMERIC, orders"),
        (
            "order_id: TEXT, amount: BIGINT",
            "order_id: TEXT, amount: DOUBLE",
        ),
    ];
    declare(&place, &changes);
    let told: &[&[&str]] = &[
        &["projection revenue", "`amount`", "NUMERIC"],
        &["projection orders", "`amount`", "DOUBLE"],
    ];
    assert_refused(&place.ended(&[]), 4, told);
    assert_eq!(state(&place), before);
}

#[test]
fn the_table_of_a_tenant_alone_is_enough_to_refuse() {
    // Nothing but `acme` has come, so there is no table without a tenant.
    let all = events(0..10);
    let of_acme: Vec<&str> = all.lines().filter(|line| line.contains("acme")).collect();
    let place = Place::with_events(DECLARED, of_acme.join("\n") + "\n");
    place.run_once(&[]);
    assert!(!place.client().table_names().contains("totals"));
    let before = state(&place);
    declare(&place, &[("revenue:", "income:")]);
    let told: &[&[&str]] = &[&["projection income", "`totals`", "`revenue`"]];
    assert_refused(&place.ended(&[]), 5, told);
    assert_eq!(state(&place), before);
}

/// The old file is run while the tables are migrated: it stops at its next write and keeps no event
/// as a dead letter, and the new file applies them all.
#[test]
fn a_run_of_the_old_file_stops_when_the_tables_are_migrated_under_it() {
    let place = ran();
    let old = place.follow(&["--only", "revenue"]);
    eventually("the old run holds its lane", || {
        place.client().lanes()["revenue"].is_held.then_some(())
    });
    let changed = DECLARED.replace(
        "fields: { region: TEXT,",
        "fields: { note: TEXT, region: TEXT,",
    );
    let new = place.path("new.yaml");
    std::fs::write(&new, &changed).unwrap();
    let mut deploy = common::process::command();
    deploy
        .arg("deploy")
        .arg(&new)
        .args(["--into", &place.target()]);
    let deployed = common::process::ended(&mut deploy);
    assert_eq!(deployed.code, 0, "{deployed:?}");
    place.append(events(10..20));
    let ended = old.end();
    assert_eq!(ended.code, 4, "{ended:?}");
    std::fs::write(place.projections(), changed).unwrap();
    let summary = place.run_once(&[]);
    for name in ["revenue", "orders"] {
        let counts = &summary["projections"][name];
        assert_eq!(counts["applied"], 20, "{summary}");
        assert_eq!(counts["dead_lettered"], 0, "{summary}");
    }
}
