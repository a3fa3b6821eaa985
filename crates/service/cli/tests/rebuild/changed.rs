//! A rebuild to what another file declares.

use std::fs;

use crate::common::process;
use crate::common::{Place, eventually};
use crate::scene::{
    DECLARED, State, assert_same, events, fresh, killed, ran, rebuild, rebuilt, traces,
};

/// Changes that no migration can make: other types, another key, another table, another rule.
const SHAPE: &[(&str, &str)] = &[
    ("lines: { type: BIGINT, default: 0 }, ", ""),
    (
        "last_sku: TEXT }",
        "last_sku: \"VARCHAR(20)\", lines: { type: TEXT, default: none } }",
    ),
    (
        "by: { lines: 1, quantity: event.quantity }",
        "by: { quantity: event.quantity }",
    ),
    (
        "table: baskets, primary_key: [basket_id]",
        "table: carts, primary_key: [basket_id]",
    ),
];
const KEY: &[(&str, &str)] = &[
    (
        "target: { table: skus, primary_key: [sku] }",
        "target: { table: skus, primary_key: [sku, day] }",
    ),
    (
        "fields: { sku: TEXT, sold",
        "fields: { sku: TEXT, day: TEXT, sold",
    ),
    (
        "derive: { sku: event.sku }",
        "derive: { sku: event.sku, day: \"'today'\" }",
    ),
];
const RULE: &[(&str, &str)] = &[("by: { lines: 1,", "by: { lines: 2,")];

fn changed(changes: &[(&str, &str)]) -> String {
    changes
        .iter()
        .fold(DECLARED.to_owned(), |text, (from, to)| {
            assert_eq!(text.matches(from).count(), 1, "{from}");
            text.replace(from, to)
        })
}

/// Writes the changed file beside the one that was run.
fn written(place: &Place, changes: &[(&str, &str)]) -> (String, String) {
    let (text, path) = (changed(changes), place.path("changed.yaml"));
    fs::write(&path, &text).unwrap();
    (text, path.display().to_string())
}

#[test]
fn what_no_migration_can_make_is_built() {
    for changes in [SHAPE, KEY, RULE] {
        let place = ran(1_200);
        let (text, file) = written(&place, changes);
        fs::write(place.projections(), &text).unwrap();
        let refused = place.ended(&[]);
        assert_eq!(refused.code, 4, "{refused:?}");
        assert!(
            refused.stderr.contains("projectionist rebuild"),
            "{refused:?}"
        );
        rebuilt(&place, &["--ir", &file]);
        assert_same(&State::of(&place), &fresh(&place, &text), "");
        assert_eq!(traces(&place), [].into());
        // The changed file is run as if it had never been another one.
        place.append(events(1_200..1_500));
        place.run_once(&[]);
        assert_same(&State::of(&place), &fresh(&place, &text), "");
    }
}

#[test]
fn a_run_of_the_old_file_stops_and_says_why() {
    for changes in [SHAPE, RULE] {
        let place = ran(1_200);
        let (text, file) = written(&place, changes);
        let live = place.follow(&["--only", "baskets"]);
        eventually("the run has its lane", || {
            place.client().lanes()["baskets"].is_held.then_some(())
        });
        rebuilt(&place, &["--ir", &file, "baskets"]);
        let swapped = State::of(&place);
        place.append(events(1_200..1_500));
        let ended = live.end();
        assert_eq!(ended.code, 4, "{ended:?}");
        assert!(ended.stderr.contains("changed.yaml"), "{ended:?}");
        assert_same(
            &State::of(&place),
            &swapped,
            "the old file has written nothing more",
        );
        fs::write(place.projections(), &text).unwrap();
        place.run_once(&[]);
        assert_same(&State::of(&place), &fresh(&place, &text), "");
    }
}

#[test]
fn reverting_to_another_shape_is_as_exact() {
    let place = ran(1_200);
    let before = State::of(&place);
    let (_, file) = written(&place, SHAPE);
    rebuilt(&place, &["--ir", &file, "--keep", "baskets"]);
    let after = State::of(&place);
    assert_ne!(after, before);
    for expected in [&before, &after, &before] {
        rebuilt(&place, &["baskets", "--revert"]);
        assert_same(&State::of(&place), expected, "");
    }
    assert_eq!(traces(&place), [].into());
}

#[test]
fn another_file_does_not_go_on_with_what_was_begun() {
    let place = ran(30_000);
    killed(&place, &["baskets"], 1);
    let (text, file) = written(&place, RULE);
    let refused = process::ended(&mut rebuild(&place, &["baskets", "--ir", &file]));
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.stderr.contains("rebuild baskets --abort"),
        "{refused:?}"
    );
    rebuilt(&place, &["baskets", "--abort"]);
    rebuilt(&place, &["baskets", "--ir", &file]);
    assert_same(&State::of(&place), &fresh(&place, &text), "");
}

#[test]
fn what_was_deployed_meanwhile_is_not_undone() {
    let place = ran(30_000);
    killed(&place, &["baskets"], 1);
    let wider = changed(&[("last_sku: TEXT }", "last_sku: TEXT, note: TEXT }")]);
    fs::write(place.projections(), &wider).unwrap();
    place.run_once(&[]);
    let deployed = State::of(&place);
    let refused = process::ended(&mut rebuild(&place, &["baskets"]));
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("--abort"), "{refused:?}");
    assert_same(&State::of(&place), &deployed, "");
    rebuilt(&place, &["baskets", "--abort"]);
    rebuilt(&place, &["baskets"]);
    assert_same(&State::of(&place), &fresh(&place, &wider), "");
}
