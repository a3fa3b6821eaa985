//! The rules of the handler: dead letters and their words, tenants, the guard.

use projectionist_apply::{ApplyOptions, DeclaredCodec, DeclaredProjection};
use projectionist_core::ErrorClass;
use projectionist_core::row::OwnedCell;
use projectionist_language::model::{
    ColumnValue, Envelope, Expression, Literal, Operation, Path, Program, Sequence, Step,
};
use projectionist_store_memory::MemoryStore;

use crate::support::runner::Runner;
use crate::support::things::{all_operations, entity, literal, one, program, row_of, run, runner};

fn only_letter(runner: &Runner) -> (ErrorClass, &str) {
    let [(_, class, error)] = runner.dead.as_slice() else {
        panic!("one dead letter, not {:?}", runner.dead);
    };
    (*class, error)
}

#[tokio::test]
async fn an_event_without_a_number_is_told_how_to_go_on() {
    let program = all_operations(Sequence::Guarded);
    let mut runner = runner(&program).await;
    run(&mut runner, &["PUT x {}", "OTHER x {}", "PUT x@1 {}"]).await;
    let (class, error) = only_letter(&runner);
    assert_eq!(class, ErrorClass::Data);
    assert!(error.contains("sequenceNumber"), "{error}");
    assert!(error.contains("sequence: none"), "{error}");
    assert_eq!((runner.counters.unmatched, runner.counters.applied), (1, 1));
}

#[tokio::test]
async fn the_guard_survives_the_row_and_the_handler() {
    let program = all_operations(Sequence::Guarded);
    let mut runner = runner(&program).await;
    run(&mut runner, &["PUT x@5 {}", "PUT x@5 {}", "DEL x@7"]).await;
    assert_eq!(runner.counters.stale, 1);
    runner.restart();
    run(&mut runner, &["PUT x@6 {}", "PUT x@7 {}", "PUT y@1 {}"]).await;
    assert_eq!(runner.counters.stale, 3);
    assert_eq!(row_of(&runner, "x").await, None);
    assert!(row_of(&runner, "y").await.is_some());
}

#[tokio::test]
async fn a_dead_letter_does_not_move_the_guard_and_an_ignored_insert_does() {
    let program = all_operations(Sequence::Guarded);
    let mut runner = runner(&program).await;
    run(
        &mut runner,
        &["PUT x@3 {\"n\":\"no\"}", "PUT x@2 {}", "NEW x@4"],
    )
    .await;
    let counters = runner.counters;
    assert_eq!((counters.dead_lettered, counters.applied), (1, 1));
    assert_eq!((counters.ignored, counters.stale), (1, 0));
    assert_eq!(runner.last_applied("", "", "x").await, Some(4));
}

#[tokio::test]
async fn what_a_rolled_back_group_wrote_is_forgotten() {
    let program = all_operations(Sequence::Guarded);
    let mut runner = runner(&program).await;
    let full = format!("ADD x@2 {{\"n\":{}}}", i64::MAX);
    // The second group fails as a whole, is cut, and its first event must not be stale.
    run(&mut runner, &["ADD x@1 {\"n\":1}"]).await;
    run(&mut runner, &["PUT y@1 {}", &full, "PUT y@2 {}"]).await;
    assert_eq!(runner.counters.stale, 0);
    assert_eq!(runner.counters.applied, 3);
    assert_eq!(only_letter(&runner).0, ErrorClass::Data);
    assert_eq!(runner.last_applied("", "", "x").await, Some(1));
}

#[tokio::test]
async fn lanes_of_one_projection_apply_an_event_once() {
    let program = all_operations(Sequence::Guarded);
    let mut followed = runner(&program).await;
    let mut piped = followed.of_lane("stdin").await;
    let add = |number: i64| format!(r#"ADD x@{number} {{"n":1}}"#);
    run(&mut followed, &[&add(1)]).await;
    // Each event comes in both lanes, and each lane is ahead of the other in its turn.
    for number in (2..=20).step_by(2) {
        let (one, two) = (add(number), add(number + 1));
        run(&mut piped, &[&one]).await;
        run(&mut followed, &[&one, &two]).await;
        run(&mut piped, &[&two]).await;
    }
    assert_eq!(row_of(&followed, "x").await.unwrap()[1], OwnedCell::Int(21));
    let (followed, piped) = (followed.counters, piped.counters);
    assert_eq!((followed.applied, followed.stale), (11, 10));
    assert_eq!((piped.applied, piped.stale), (10, 10));
}

#[tokio::test]
async fn a_tenant_that_cannot_be_a_schema_is_a_dead_letter() {
    let program = all_operations(Sequence::None);
    let long = "a".repeat(64);
    for (tenant, word) in [
        ("Shop", "lower-case"),
        ("a-b", "lower-case"),
        ("1a", "no digit in front"),
        ("é", "lower-case"),
        ("a\\\"; DROP TABLE x", "lower-case"),
        ("pg_temp", "PostgreSQL"),
        ("information_schema", "PostgreSQL"),
        ("a__b", "two underscores"),
        ("sqlite", "`sqlite_`"),
        ("sqlite_x", "`sqlite_`"),
        ("projectionist", "`projectionist_`"),
        ("projectionist_lanes", "`projectionist_`"),
        (long.as_str(), "63 bytes"),
    ] {
        let mut runner = runner(&program).await;
        let record = format!(
            r#"{{"eventType":"PUT","entityId":"x","tenantSchema":"{tenant}","payload":{{}}}}"#
        );
        let event = runner.decode(&record);
        runner.run(&[event]).await;
        let (class, error) = only_letter(&runner);
        assert_eq!(class, ErrorClass::Tenant);
        assert!(error.contains(word), "{error}");
    }
}

#[tokio::test]
async fn tenants_have_tables_of_their_own_up_to_the_limit() {
    let program = all_operations(Sequence::Guarded);
    let options = ApplyOptions {
        max_tenants: 2,
        ..ApplyOptions::default()
    };
    let mut runner = Runner::new(&program, options).await;
    let events: Vec<_> = ["", "_a1", "b_", "c", "_a1"]
        .iter()
        .enumerate()
        .map(|(number, tenant)| {
            runner.decode(&format!(
                r#"{{"eventType":"ADD","entityId":"x","sequenceNumber":{number},"tenantSchema":"{tenant}","payload":{{"n":1}}}}"#
            ))
        })
        .collect();
    runner.run(&events).await;
    let (class, error) = only_letter(&runner);
    assert_eq!(class, ErrorClass::Tenant);
    assert!(error.contains("max_tenants = 2"), "{error}");
    for (tenant, n) in [("", 1), ("_a1", 2), ("b_", 1)] {
        assert_eq!(runner.rows(tenant).await[0][1], OwnedCell::Int(n));
    }
    assert!(!runner.has_table("c").await);
}

#[tokio::test]
async fn a_dead_letter_names_the_column_and_leaves_nothing_of_its_event() {
    let operation = Operation::Replace {
        filter: vec![entity(0)],
        each: Some(Path::Payload(vec![Step::Key("items".into())])),
        values: vec![
            ColumnValue {
                column: 0,
                expression: Expression::Path(Path::Item(vec![Step::Key("id".into())])),
            },
            ColumnValue {
                column: 1,
                expression: Expression::Path(Path::Item(vec![Step::Key("n".into())])),
            },
        ],
    };
    let program = program(Sequence::None, vec![("SET", operation)]);
    let mut runner = runner(&program).await;
    let good = r#"SET x {"items":[{"id":"x","n":1}]}"#;
    let bad = r#"SET x {"items":[{"id":"x","n":2},{"id":"y","n":"abc"}]}"#;
    run(&mut runner, &[good, bad]).await;
    let (class, error) = only_letter(&runner);
    assert_eq!(class, ErrorClass::Data);
    let words = "element 1 of each: \"abc\" is text; BIGINT wants a whole number";
    assert_eq!(error, words);
    assert_eq!(runner.rows("").await.len(), 1);
    assert_eq!(row_of(&runner, "x").await.unwrap()[1], OwnedCell::Int(1));
}

#[test]
fn a_handler_is_made_only_for_what_its_codec_knows() {
    let things = all_operations(Sequence::None);
    let codec = DeclaredCodec::new(&things);
    let options = ApplyOptions::default();
    let missing = DeclaredProjection::new(&things, 1, &codec, options)
        .map(|declared| declared.handler(MemoryStore::new()));
    assert!(missing.unwrap_err().to_string().contains("1 projections"));
    let other = DeclaredCodec::new(&Program {
        envelope: Envelope::Causet,
        projections: Vec::new(),
    });
    let foreign = DeclaredProjection::new(&things, 0, &other, options)
        .map(|declared| declared.handler(MemoryStore::new()));
    assert!(foreign.unwrap_err().to_string().contains("another program"));
    let values = vec![
        entity(0),
        literal(1, one()),
        literal(3, Literal::Text("x".into())),
    ];
    let unfit = program(Sequence::None, vec![("PUT", Operation::Upsert { values })]);
    let codec = DeclaredCodec::new(&unfit);
    let unfit = DeclaredProjection::new(&unfit, 0, &codec, options)
        .map(|declared| declared.handler(MemoryStore::new()));
    assert!(unfit.unwrap_err().to_string().contains("column d"));
}
