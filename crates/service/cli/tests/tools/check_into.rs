//! `projectionist check --into`: the file is compared with the tables of a target, and the target
//! plans every statement; nothing is written.

use rusqlite::Connection;

use crate::SHOP;
use crate::common::process::{command, ended};
use crate::common::{Ended, Place};

fn check(place: &Place, more: &[&str]) -> Ended {
    let mut check = command();
    check.arg("check").arg(place.projections());
    ended(check.args(["--into", &place.target()]).args(more))
}

fn event(tenant: &str) -> String {
    let tenant = format!("\"tenantSchema\":\"{tenant}\",");
    format!("{{\"eventType\":\"PLACED\",{tenant}\"entityId\":\"o-1\",\"sequenceNumber\":1}}\n")
}

/// Insert, keep, delete and find of each table, two texts a change, and the overwrite.
const STATEMENTS: usize = (5 + 2 + 2) + (5 + 2);

#[test]
fn a_target_that_is_not_there_is_not_made() {
    let place = Place::with(SHOP);
    let ended = check(&place, &[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let told = format!("no fault; the target takes all {STATEMENTS} statement(s)\n");
    assert!(ended.stdout.ends_with(&told), "{ended:?}");
    assert!(!place.views().exists());
}

#[test]
fn the_tables_of_tenants_are_planned_too_and_nothing_changes() {
    let place = Place::with_events(SHOP, event("") + &event("acme"));
    place.run_once(&[]);
    let before = place.client().tables();
    let ended = check(&place, &["--format", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.last_line_as_json()["statements"], 2 * STATEMENTS);
    assert_eq!(place.client().tables(), before);
}

#[test]
fn every_projection_that_does_not_fit_is_told() {
    let place = Place::with_events(SHOP, event(""));
    place.run_once(&[]);
    let changed = SHOP
        .replace("times: BIGINT", "times: INT")
        .replace("paid: BOOLEAN", "paid: TEXT");
    std::fs::write(place.projections(), changed).unwrap();
    let ended = check(&place, &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (4, ""), "{ended:?}");
    for words in [
        "projection orders",
        "`paid`",
        "projection arrivals",
        "`times`",
    ] {
        assert!(ended.stderr.contains(words), "{words}: {ended:?}");
    }
}

/// The shape is right, and yet no row could be written.
#[test]
fn a_statement_that_the_target_refuses_is_told_before_any_run() {
    let place = Place::with_events(SHOP, event(""));
    place.run_once(&[]);
    let connection = Connection::open(place.views()).unwrap();
    let trigger =
        "CREATE TRIGGER seen AFTER INSERT ON arrivals BEGIN INSERT INTO gone VALUES (1); END";
    connection.execute_batch(trigger).unwrap();
    let ended = check(&place, &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (4, ""), "{ended:?}");
    for words in ["projection arrivals does not fit the target", "gone"] {
        assert!(ended.stderr.contains(words), "{words}: {ended:?}");
    }
}
