//! Where the events come from: gone, cut, another file, and a beginning in the middle.

use std::fs;

use serde_json::{Value, json};

use crate::common::Place;
use crate::common::process::{self, ended_with_input};
use crate::stand::{Stand, event, lines, told};

const FILE: &str = r#"
projections:
  totals:
    source_events: [PAID]
    target: { table: totals, primary_key: [id] }
    fields: { id: TEXT, total: { type: BIGINT, default: 0 } }
    derive: { id: event.entityId }
    mutations: { PAID: { op: increment, by: { total: event.amount } } }
"#;

fn paid(entity: &str, number: i64, amount: i64) -> Value {
    event("PAID", entity, number, json!({ "amount": amount }))
}

fn stand() -> Stand {
    Stand::after(FILE, &[paid("a", 1, 1), paid("b", 1, 2), paid("a", 2, 3)])
}

fn refused(stand: &Stand, code: i32, parts: &[&str]) {
    for arguments in [&["explain", "totals", "a"][..], &["audit", "totals"]] {
        let ended = stand.ended(arguments);
        assert_eq!(ended.code, code, "{ended:?}");
        for part in parts {
            assert!(ended.stderr.contains(part), "{part}: {ended:?}");
        }
    }
}

#[test]
fn a_file_that_is_gone_is_named_and_another_place_helps() {
    let stand = stand();
    let moved = stand.place.path("moved.jsonl");
    fs::rename(stand.place.events(), &moved).unwrap();
    let path = stand.place.events().display().to_string();
    refused(&stand, 1, &[&path, "there is no file", "--from FILE"]);
    let moved = moved.display().to_string();
    stand.explain(&["totals", "a", "--from", &moved], true);
    let found = stand.audit(&["totals", "--from", &moved], 0);
    assert_eq!(found["notes"], json!([]));
    stand.tamper("UPDATE totals SET total = 0 WHERE id = 'a'");
    let found = stand.audit(&["totals", "--from", &moved], 1);
    let command = found["tables"][0]["sample"][0]["explain"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(command.ends_with(&format!(" --from {moved}")), "{command}");
}

#[test]
fn a_file_that_was_cut_or_replaced_is_refused() {
    let stand = stand();
    let whole = fs::read(stand.place.events()).unwrap();
    fs::write(stand.place.events(), &whole[..40]).unwrap();
    refused(&stand, 1, &["cannot be read again", "--from FILE"]);
    fs::write(
        stand.place.events(),
        lines(&[paid("z", 1, 1), paid("z", 2, 2), paid("z", 3, 3)]),
    )
    .unwrap();
    refused(&stand, 1, &["cannot be read again", "--from FILE"]);
}

#[test]
fn another_file_is_read_to_its_end_and_that_is_said() {
    let stand = stand();
    let other = stand.place.path("other.jsonl");
    fs::write(&other, lines(&[paid("a", 1, 4), paid("b", 1, 2)])).unwrap();
    let other = other.display().to_string();
    let found = stand.audit(&["totals", "--from", &other], 0);
    assert!(
        found["notes"].to_string().contains("read to its end"),
        "{found}"
    );
    fs::write(&other, lines(&[paid("a", 1, 5), paid("b", 1, 2)])).unwrap();
    let found = stand.audit(&["totals", "--from", &other], 1);
    assert_eq!(found["tables"][0]["sample"][0]["key"], json!({ "id": "a" }));
}

#[test]
fn events_behind_where_the_projection_stands_are_not_read() {
    let stand = stand();
    stand.place.append(lines(&[paid("a", 3, 100)]));
    let story = stand.explain(&["totals", "a"], true);
    let read: Vec<u64> = told(&story).iter().map(|told| told.0).collect();
    assert_eq!(read, [1, 3]);
    stand.audit(&["totals"], 0);
    stand.place.run_once(&[]);
    assert_eq!(
        stand.explain(&["totals", "a"], true)["row"]["table"]["total"],
        104
    );
}

#[test]
fn a_projection_that_began_behind_the_first_events_is_judged_from_there() {
    let place = Place::with_events(FILE, lines(&[paid("a", 1, 1), paid("b", 1, 2)]));
    place.append("\n  \n");
    place.run_once(&["--start", "latest"]);
    place.append(lines(&[paid("a", 2, 3), paid("a", 3, 4)]));
    place.run_once(&[]);
    let stand = Stand { place };
    let found = stand.audit(&["totals"], 0);
    let notes = found["notes"].to_string();
    assert!(notes.contains("has read 2 of the 4 event(s)"), "{notes}");
    let story = stand.explain(&["totals", "a"], true);
    assert_eq!(story["row"]["events"], json!({ "id": "a", "total": 7 }));
    assert_eq!(told(&story).len(), 2);
}

#[test]
fn standard_input_cannot_be_read_again() {
    let place = Place::with(FILE);
    let events = lines(&[paid("a", 1, 1), paid("a", 2, 2)]);
    let mut run = place.run_from("-", &["--once"]);
    assert_eq!(ended_with_input(&mut run, events.as_bytes()).code, 0);
    let stand = Stand { place };
    refused(&stand, 2, &["under the key `stdin`", "--from FILE"]);
    fs::write(stand.place.events(), &events).unwrap();
    let path = stand.place.events().display().to_string();
    stand.audit(&["totals", "--from", &path], 0);
    let ended = stand.ended(&["audit", "totals", "--from", "-"]);
    assert_eq!(ended.code, 2, "{ended:?}");
}

#[test]
fn a_projection_that_has_read_nothing_makes_no_row() {
    let place = Place::with(FILE);
    let mut deploy = process::command();
    let file = place.projections().display().to_string();
    deploy.args(["deploy", &file, "--into", &place.target()]);
    assert_eq!(process::ended(&mut deploy).code, 0);
    let stand = Stand { place };
    stand.audit(&["totals"], 0);
    stand.explain(&["totals", "a"], true);
    stand.tamper("INSERT INTO totals (id, total) VALUES ('a', 1)");
    stand.audit(&["totals"], 1);
    stand.explain(&["totals", "a"], false);
}

#[test]
fn a_projection_that_was_moved_back_is_told_so() {
    let stand = stand();
    let story = stand.explain(&["totals", "a"], true);
    let first = story["events"][0]["offset"].as_str().unwrap();
    stand.tamper(&format!(
        "UPDATE projectionist_lanes
         SET replay_manifest = manifest, replay_offset = \"offset\", \"offset\" = '{first}'"
    ));
    let found = stand.audit(&["totals"], 2);
    let notes = found["notes"].to_string();
    assert!(notes.contains("not come again to line 3"), "{notes}");
    // Once it has come there again, nothing is open.
    stand.place.run_once(&[]);
    assert_eq!(stand.audit(&["totals"], 0)["notes"], json!([]));
}
