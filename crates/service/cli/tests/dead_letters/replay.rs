//! What a replay applies, and what it keeps.

use std::collections::BTreeMap;

use serde_json::json;

use crate::desk::{Desk, bad, event, good, outcomes};

fn accounts(expected: &[(&str, i64, i64)]) -> BTreeMap<String, (i64, i64)> {
    let rows = expected.iter();
    rows.map(|(id, total, moves)| ((*id).to_owned(), (*total, *moves)))
        .collect()
}

fn counts(expected: &[(&str, u64)]) -> BTreeMap<String, u64> {
    let counts = expected.iter();
    counts
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect()
}

#[test]
fn letters_are_applied_in_their_order_once_the_cause_is_fixed() {
    // In this order the account is opened anew and then moved twice; in another it is not.
    let opened = event("OPENED", "b", 4, json!({}), 100);
    let events = good("a", 1, 1) + &bad("a", 2, 10) + &good("b", 1, 5) + &bad("b", 2, 7);
    let events = events + &bad("b", 3, 9) + &opened + &bad("b", 5, 2) + &bad("b", 6, 3);
    let desk = Desk::after(&events);
    assert_eq!(desk.accounts(), accounts(&[("a", 1, 1), ("b", 5, 1)]));
    let read = [("read", 8), ("applied", 2), ("dead_lettered", 6)];
    assert_eq!(desk.counts("accounts"), counts(&read));

    let printed = desk.replay(&["accounts"]);
    let applied = |id| (id, "applied");
    assert_eq!(outcomes(&printed), [1, 2, 3, 4, 5, 6].map(applied));
    assert_eq!(printed["summary"], json!({ "applied": 6 }));
    assert_eq!(desk.accounts(), accounts(&[("a", 11, 2), ("b", 105, 2)]));
    assert_eq!(
        desk.counts("accounts"),
        counts(&[("read", 8), ("applied", 8)])
    );
    assert_eq!(desk.place.client().letters(), []);
    // What is settled is not there to be settled again, and a run goes on behind it.
    assert_eq!(desk.replay(&[])["summary"], json!({}));
    desk.place.append(good("a", 3, 30));
    desk.place.run_once(&[]);
    assert_eq!(desk.accounts(), accounts(&[("a", 41, 3), ("b", 105, 2)]));
}

#[test]
fn what_was_overtaken_is_kept_and_the_way_out_is_named() {
    let events = bad("a", 1, 10) + &good("a", 2, 1) + &bad("b", 1, 7);
    let desk = Desk::after(&events);
    for _ in 0..2 {
        let printed = desk.replay(&["--entity", "a"]);
        assert_eq!(outcomes(&printed), [(1, "superseded")]);
        let detail = printed["dead_letters"][0]["detail"].as_str().unwrap();
        for words in ["number 1", "number 2", "new target"] {
            assert!(detail.contains(words), "{detail}");
        }
    }
    assert_eq!(desk.accounts(), accounts(&[("a", 1, 1)]));
    let expected = [("read", 3), ("applied", 1), ("dead_lettered", 2)];
    assert_eq!(desk.counts("accounts"), counts(&expected));
}

#[test]
fn the_repetition_of_an_applied_event_goes_as_stale() {
    let desk = Desk::after(&(bad("a", 1, 10) + &bad("a", 1, 10)));
    let printed = desk.replay(&[]);
    assert_eq!(outcomes(&printed), [(1, "applied"), (2, "stale")]);
    assert_eq!(desk.accounts(), accounts(&[("a", 10, 1)]));
    let expected = [("read", 2), ("applied", 1), ("stale", 1)];
    assert_eq!(desk.counts("accounts"), counts(&expected));
}

#[test]
fn one_that_fails_again_is_kept_with_the_new_reason_and_the_others_go_on() {
    let hopeless = bad("a", 1, 10).replace("\"cost\":10", "\"cost\":true");
    let desk = Desk::after(&(hopeless + &bad("b", 1, 7)));
    let before = desk.done("list", &["--id", "1"])["dead_letters"][0].clone();
    for attempts in [2, 3] {
        let ended = desk.ended("replay", &["--file", &desk.fixed()]);
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.stderr.contains("1 dead letter(s) failed again"));
        assert_eq!(outcomes(&ended.last_line_as_json())[0], (1, "failed_again"));
        let after = desk.done("list", &["--id", "1"])["dead_letters"][0].clone();
        assert_eq!(after["attempts"], attempts);
        assert!(after["error"].as_str().unwrap().contains("true"), "{after}");
        assert_ne!(after["error"], before["error"]);
        assert_eq!(after["first_failed_at"], before["first_failed_at"]);
        assert!(after["failed_at"].as_i64() >= before["failed_at"].as_i64());
    }
    assert_eq!(desk.accounts(), accounts(&[("b", 7, 1)]));
    let expected = [("read", 2), ("applied", 1), ("dead_lettered", 1)];
    assert_eq!(desk.counts("accounts"), counts(&expected));
}

/// The sum leaves its type only in the store, after a part of the transaction was written.
#[test]
fn one_that_the_table_cannot_hold_is_taken_back_alone() {
    let events = bad("a", 1, i64::MAX) + &bad("b", 1, 7) + &bad("a", 2, 1) + &bad("c", 1, 1);
    let desk = Desk::after(&events);
    for dry_run in [&["--dry-run"][..], &[]] {
        let fixed = desk.fixed();
        let ended = desk.ended("replay", &[&["--file", &fixed], dry_run].concat());
        assert_eq!(ended.code, 1, "{ended:?}");
        let printed = ended.last_line_as_json();
        let failed = [
            (1, "applied"),
            (2, "applied"),
            (3, "failed_again"),
            (4, "applied"),
        ];
        assert_eq!(outcomes(&printed), failed, "{dry_run:?}");
    }
    let expected = [("a", i64::MAX, 1), ("b", 7, 1), ("c", 1, 1)];
    assert_eq!(desk.accounts(), accounts(&expected));
}

#[test]
fn a_dry_run_tells_what_would_happen_and_changes_no_byte() {
    let opened = event("OPENED", "b", 1, json!({}), 100);
    let events = opened + &bad("b", 2, 5) + &bad("a", 1, 10) + &good("a", 2, 1) + "oops\n";
    let desk = Desk::after(&events);
    let before = desk.dump();
    let foreseen = desk.replay(&["--dry-run"]);
    assert_eq!(desk.dump(), before);
    assert_eq!(foreseen["dry_run"], true);
    let ahead = outcomes(&foreseen).into_iter().collect::<BTreeMap<_, _>>();
    let discard = desk.done("discard", &["--all", "--dry-run"]);
    assert_eq!(discard["summary"], json!({ "discarded": 4 }));
    assert_eq!(desk.dump(), before);
    let happened = desk.replay(&[]);
    let happened = outcomes(&happened).into_iter().collect::<BTreeMap<_, _>>();
    assert_eq!(ahead, happened);
    let words: Vec<&str> = happened.into_values().collect();
    assert_eq!(words.len(), 4);
    assert_eq!(desk.accounts(), accounts(&[("a", 1, 1), ("b", 105, 1)]));
}

#[test]
fn without_the_guard_a_replay_must_be_forced() {
    let visit = |number, price| event("VISITED", "a", number, price, 2);
    let desk = Desk::after(&(visit(1, json!("x")) + &visit(2, json!(1)) + &bad("b", 1, 7)));
    let before = desk.dump();
    let ended = desk.ended("replay", &["visits", "--file", &desk.fixed()]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stderr.contains("--force"), "{ended:?}");
    assert_eq!(desk.dump(), before);
    let printed = desk.replay(&["--dry-run"]);
    assert_eq!(
        printed["summary"],
        json!({ "applied": 1, "needs_force": 1 })
    );
    let printed = desk.replay(&["visits", "--force"]);
    assert_eq!(printed["summary"], json!({ "applied": 1 }));
    let rows = desk.place.client().rows("visits");
    assert_eq!(rows[0]["visits"], 3);
}

#[test]
fn what_belongs_to_no_projection_of_the_file_is_kept() {
    let desk =
        Desk::after(&(bad("a", 1, 10) + "oops\n" + &event("VISITED", "v", 1, json!("x"), 1)));
    let text = std::fs::read_to_string(desk.fixed()).unwrap();
    let end = text.find("  visits:").unwrap();
    std::fs::write(desk.fixed(), &text[..end]).unwrap();
    let printed = desk.replay(&[]);
    let expected = json!({ "applied": 1, "malformed": 1, "not_declared": 1 });
    assert_eq!(printed["summary"], expected);
    assert_eq!(desk.place.client().letters().len(), 2);
}

#[test]
fn a_file_that_says_another_shape_replays_nothing() {
    let desk = Desk::after(&(good("a", 1, 1) + &bad("a", 2, 10)));
    let text = std::fs::read_to_string(desk.fixed()).unwrap();
    let text = text.replacen("total: { type: BIGINT, default: 0 }", "total: TEXT", 1);
    let text = text.replace("by: { total: event.cost, moves: 1 }", "by: { moves: 1 }");
    std::fs::write(desk.fixed(), text).unwrap();
    let before = desk.dump();
    let ended = desk.ended("replay", &["--file", &desk.fixed()]);
    assert_eq!(ended.code, 4, "{ended:?}");
    assert_eq!(desk.dump(), before);
}
