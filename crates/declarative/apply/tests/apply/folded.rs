//! What counts as folded, and what must not be folded.

use projectionist_core::ErrorClass;
use projectionist_core::row::OwnedCell;
use projectionist_language::model::{OnMissing, Operation, Path, Sequence, Step};

use crate::support::things::{
    all_operations, entity, literal, one, path, program, row_of, run, runner,
};

/// How many of a group's events are applied, ignored and folded.
type Counts = (u64, u64, u64);

/// The counts of one group, after each event of `before` was a group of its own.
async fn counts(before: &str, group: &str) -> Counts {
    let program = all_operations(Sequence::None);
    let mut runner = runner(&program).await;
    let events = |events: &str| {
        let events = events.split(", ").filter(|event| !event.is_empty());
        let events = events.map(|event| format!(r#"{event} {{"n":1,"t":"a","d":1}}"#));
        events.collect::<Vec<_>>()
    };
    for event in events(before) {
        run(&mut runner, &[&event]).await;
    }
    assert_eq!(runner.counters.folded, 0, "a single event is never folded");
    let applied = runner.counters.applied;
    let group = events(group);
    let group: Vec<&str> = group.iter().map(String::as_str).collect();
    run(&mut runner, &group).await;
    let counters = runner.counters;
    (
        counters.applied - applied,
        counters.ignored,
        counters.folded,
    )
}

#[tokio::test]
async fn an_event_is_folded_when_nothing_that_is_written_is_its_own() {
    let cases: &[(&str, &str, Counts)] = &[
        // Writes of the same row: the last one stands.
        ("", "PUT x, PUT x, PUT y", (3, 0, 1)),
        ("", "PUT x, DEL x, PUT x, DEL x", (4, 0, 3)),
        // Sums: one amount is written.
        ("", "ADD x, ADD x, ADD x", (3, 0, 2)),
        ("PUT x", "ADD x, ADD x", (2, 0, 1)),
        ("", "PUT x, ADD x, SUM x", (3, 0, 2)),
        // An increment on a row that is not known may fail, so it is written before the rest.
        ("", "ADD x, PUT x", (2, 0, 0)),
        ("", "ADD x, ADD x, DEL x, PUT x", (4, 0, 2)),
        // Additions of DOUBLE are not combined unless the row is known.
        ("", "SUM x, SUM x", (2, 0, 0)),
        ("", "DEL x, SUM x, SUM x", (3, 0, 2)),
        // Inserts: whether the first one is ignored, the store tells.
        ("", "NEW x, NEW x", (1, 1, 0)),
        ("PUT x", "NEW x, NEW x", (0, 2, 0)),
        ("", "NEW x, PUT x", (2, 0, 1)),
        ("PUT x", "NEW x, PUT x", (1, 1, 0)),
        ("", "NEW x, ADD x, ADD x", (3, 0, 2)),
        ("PUT x", "NEW x, ADD x, DEL x", (2, 1, 0)),
        ("PUT x", "DEL x, NEW x", (2, 0, 1)),
        // A replace deletes its scope, whatever was folded for it before.
        ("", "PUT x, SET x", (2, 0, 1)),
        ("", "SET x, SET x, PUT x", (3, 0, 1)),
        ("", "SET x, NEW x, ADD x", (2, 1, 0)),
        ("PUT x", "NEW x, SET x, SET x", (2, 1, 1)),
        ("", "CLR x, NEW x, CLR x", (3, 0, 2)),
        ("", "ADD x, PUT x, CLR x, PUT x, CLR x", (5, 0, 3)),
        // A scope that any row may lie in is deleted between what was before and what comes.
        ("PUT x", "PUT y, ALL z, NEW x", (3, 0, 0)),
    ];
    for (before, group, expected) in cases {
        let got = counts(before, group).await;
        assert_eq!(got, *expected, "after {before:?}: {group:?}");
    }
}

#[tokio::test]
async fn a_sum_that_an_event_alone_could_not_reach_is_not_reached_in_a_group() {
    let program = all_operations(Sequence::None);
    let mut runner = runner(&program).await;
    let most = format!("PUT x {{\"n\":{}}}", i64::MAX);
    run(&mut runner, &[&most]).await;
    // Together the two amounts would fit.
    run(&mut runner, &["ADD x {\"n\":5}", "ADD x {\"n\":-5}"]).await;
    assert_eq!(runner.dead.len(), 1);
    let row = row_of(&runner, "x").await.unwrap();
    assert_eq!(row[1], OwnedCell::Int(i64::MAX - 5));
    // On a row that is known the event is told what was added to what.
    run(&mut runner, &[&most, "ADD x {\"n\":1}"]).await;
    let (_, class, error) = runner.dead.last().unwrap();
    assert_eq!(*class, ErrorClass::Data);
    assert_eq!(error, "9223372036854775807 plus 1 does not fit BIGINT");
}

#[tokio::test]
async fn a_column_that_is_set_does_not_hide_what_was_refused_before() {
    let program = all_operations(Sequence::None);
    let mut runner = runner(&program).await;
    run(&mut runner, &[&format!("PUT x {{\"n\":{}}}", i64::MAX)]).await;
    run(&mut runner, &["ADD x {\"n\":5}", "FIX x {\"n\":7}"]).await;
    assert_eq!(runner.dead.len(), 1);
    assert_eq!(runner.dead[0].0, 1, "the sum is refused, not what is set");
    let row = row_of(&runner, "x").await.unwrap();
    assert_eq!(
        (&row[1], &row[3]),
        (&OwnedCell::Int(7), &OwnedCell::Double(1.0))
    );
}

#[tokio::test]
async fn a_row_that_is_made_is_as_full_as_its_increments_one_by_one() {
    let program = all_operations(Sequence::None);
    for before in [&["CAP x"][..], &["NEW x"], &["DEL x", "CAP x"]] {
        let mut runner = runner(&program).await;
        let events = [before, &["CAP x", "CAP x"]].concat();
        run(&mut runner, &events).await;
        let row = row_of(&runner, "x").await.unwrap();
        assert_eq!(row[5], OwnedCell::Int(i32::MAX.into()), "{events:?}");
        let caps = events.iter().filter(|event| **event == "CAP x").count();
        assert_eq!(runner.dead.len(), caps - 1, "{events:?}");
    }
}

#[tokio::test]
async fn a_scope_is_deleted_behind_all_that_was_written_for_it() {
    let program = all_operations(Sequence::None);
    for events in [
        &["ADD x {\"n\":1}", "PUT x {}", "CLR x"][..],
        &["NEW x", "CLR x"],
        &["SUM x {\"d\":1}", "SUM x {\"d\":1}", "CLR x"],
        &["CLR x", "PUT x {}", "CLR x"],
    ] {
        for before in [None, Some("PUT x {}")] {
            let mut runner = runner(&program).await;
            run(&mut runner, before.as_slice()).await;
            run(&mut runner, events).await;
            assert_eq!(row_of(&runner, "x").await, None, "{before:?} {events:?}");
            assert_eq!(runner.dead, []);
        }
    }
}

#[tokio::test]
async fn an_increment_on_an_insert_fits_the_row_that_is_there() {
    let program = all_operations(Sequence::None);
    let new = format!("NEW x {{\"n\":{}}}", i64::MAX);
    let group = [new.as_str(), "ADD x {\"n\":1}"];
    for (before, n, dead) in [(None, i64::MAX, 1), (Some("PUT x {\"n\":4}"), 5, 0)] {
        let mut runner = runner(&program).await;
        run(&mut runner, before.as_slice()).await;
        run(&mut runner, &group).await;
        let row = row_of(&runner, "x").await.unwrap();
        assert_eq!(row[1], OwnedCell::Int(n), "after {before:?}");
        assert_eq!(runner.dead.len(), dead, "after {before:?}");
        assert_eq!(runner.counters.ignored, u64::from(before.is_some()));
    }
}

#[tokio::test]
async fn scopes_that_overlap_are_deleted_behind_what_was_written_for_both() {
    let scope = |columns: &[usize]| Operation::Replace {
        filter: columns.iter().map(|at| path(*at, "n")).collect(),
        each: Some(Path::Payload(vec![Step::Key("none".into())])),
        values: vec![path(0, "n"), path(1, "n")],
    };
    let values = vec![path(0, "n"), path(1, "n")];
    let operations = vec![
        ("NEW", Operation::Insert { values }),
        ("ONE", scope(&[0])),
        ("TWO", scope(&[1])),
        ("BOTH", scope(&[0, 1])),
    ];
    let mut program = program(Sequence::None, operations);
    program.projections[0].key = [0, 1].into();
    let n = "x {\"n\":1}";
    for scopes in [["ONE", "TWO"], ["TWO", "BOTH"], ["BOTH", "ONE"]] {
        let mut runner = runner(&program).await;
        run(&mut runner, &[&format!("NEW {n}")]).await;
        let group = ["NEW", scopes[0], scopes[1], "NEW", "NEW"].map(|event| format!("{event} {n}"));
        run(&mut runner, &group.each_ref().map(String::as_str)).await;
        assert_eq!(runner.counters.ignored, 2, "{scopes:?}");
        assert_eq!(runner.rows("").await.len(), 1, "{scopes:?}");
    }
}

#[tokio::test]
async fn a_row_that_is_made_does_not_have_what_was_ignored_before() {
    let patch = Operation::Patch {
        key: vec![entity(0)],
        set: vec![path(1, "n")],
        present: vec![],
        on_missing: OnMissing::Ignore,
    };
    let increment = |column, on_missing| Operation::Increment {
        key: vec![entity(0)],
        by: vec![literal(column, one())],
        set: vec![],
        on_missing,
    };
    let operations = vec![
        ("FULL", patch),
        ("MAKE", increment(5, OnMissing::Create)),
        ("ADD", increment(1, OnMissing::Ignore)),
        (
            "PUT",
            Operation::Upsert {
                values: vec![entity(0)],
            },
        ),
    ];
    let program = program(Sequence::None, operations);
    let group = [&format!("FULL x {{\"n\":{}}}", i64::MAX), "MAKE x", "ADD x"];
    for (before, n, ignored, dead) in [(None, 1, 1, 0), (Some("PUT x"), i64::MAX, 0, 1)] {
        let mut runner = runner(&program).await;
        run(&mut runner, before.as_slice()).await;
        run(&mut runner, &group).await;
        let row = row_of(&runner, "x").await.unwrap();
        assert_eq!(row[1], OwnedCell::Int(n), "after {before:?}");
        assert_eq!(runner.counters.ignored, ignored, "after {before:?}");
        assert_eq!(runner.dead.len(), dead, "after {before:?}");
    }
}
