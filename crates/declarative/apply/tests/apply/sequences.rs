//! Every sequence of three operations on one key, on a row that is there and on one that is not,
//! in one group: what it leaves is what an oracle leaves that applies one event after the other.

use projectionist_core::Counters;
use projectionist_language::model::{
    ColumnValue, Literal, OnMissing, Operation, Path, Program, Sequence, Step,
};

use crate::support::oracle::{Oracle, Outcome};
use crate::support::runner::Runner;
use crate::support::things::{entity, literal, one, path, program, runner};
use crate::support::values::seen;

/// The largest BIGINT, to which nothing can be added.
const FULL: &str = r#"{"n":9223372036854775807,"t":"full","d":1}"#;
const SMALL: &str = r#"{"n":1,"t":null,"d":0.5}"#;
/// The place of `t` is not there.
const PART: &str = r#"{"n":2,"d":0.25}"#;

/// An event of each operation: its type and its payload.
const EVENTS: [(&str, &str); 17] = [
    ("PUT", FULL),
    ("PUT", SMALL),
    ("NEW", FULL),
    ("DEL", PART),
    ("CLR", PART),
    ("ADD", SMALL),
    ("ADD_IGNORE", SMALL),
    ("ADD_ERROR", SMALL),
    ("FILL", FULL),
    ("FILL_IGNORE", FULL),
    ("PART", FULL),
    ("PART", PART),
    ("PART_IGNORE", FULL),
    ("PART_IGNORE", PART),
    ("PART_ERROR", SMALL),
    ("PART_ERROR", PART),
    ("SET_IGNORE", PART),
];

fn operations() -> Vec<(&'static str, Operation)> {
    use OnMissing::{Create, Error, Ignore};

    let values = || vec![entity(0), path(1, "n"), path(2, "t")];
    let key = || vec![entity(0)];
    let change = |by: Vec<ColumnValue>, set, on_missing| Operation::Increment {
        key: key(),
        by,
        set,
        on_missing,
    };
    let patch = |set, present, on_missing| Operation::Patch {
        key: key(),
        set,
        present,
        on_missing,
    };
    let present = || vec![path(1, "n"), path(2, "t"), path(5, "m")];
    vec![
        ("PUT", Operation::Upsert { values: values() }),
        ("NEW", Operation::Insert { values: values() }),
        ("DEL", Operation::Delete { key: key() }),
        (
            "CLR",
            Operation::Replace {
                filter: key(),
                each: Some(Path::Payload(vec![Step::Key("none".into())])),
                values: values(),
            },
        ),
        ("ADD", change(vec![path(1, "n")], vec![], Create)),
        ("ADD_IGNORE", change(vec![path(1, "n")], vec![], Ignore)),
        ("ADD_ERROR", change(vec![path(1, "n")], vec![], Error)),
        (
            "FILL",
            change(vec![literal(5, one())], vec![path(1, "n")], Create),
        ),
        (
            "FILL_IGNORE",
            change(vec![path(3, "d")], vec![path(1, "n")], Ignore),
        ),
        ("PART", patch(vec![], present(), Create)),
        ("PART_IGNORE", patch(vec![], present(), Ignore)),
        ("PART_ERROR", patch(vec![], present(), Error)),
        (
            "SET_IGNORE",
            patch(
                vec![literal(2, Literal::Text("set".into()))],
                vec![],
                Ignore,
            ),
        ),
    ]
}

/// A program of all operations, whose column `t` may be null or not.
fn with_nullable_text(nullable: bool) -> Program {
    let mut program = program(Sequence::None, operations());
    let mut columns = program.projections[0].columns.to_vec();
    columns[2].nullable = nullable;
    program.projections[0].columns = columns.into();
    program
}

fn record((event_type, payload): (&str, &str), entity: &str) -> String {
    format!(r#"{{"eventType":"{event_type}","entityId":"{entity}","payload":{payload}}}"#)
}

/// Runs the sequence on a row of its own, and compares what became of its events.
async fn check(runner: &mut Runner, oracle: &mut Oracle, is_there: bool, picks: [usize; 3]) {
    let entity = format!("{is_there}-{picks:?}");
    if is_there {
        let put = record(("PUT", FULL), &entity);
        let event = runner.decode(&put);
        runner.run(&[event]).await;
        oracle.apply(&put);
    }
    let records = picks.map(|pick| record(EVENTS[pick], &entity));
    let events = records.each_ref().map(|record| runner.decode(record));
    let (before, dead_before) = (runner.counters, runner.dead.len());
    runner.run(&events).await;
    let mut expected = before;
    let mut dead = Vec::new();
    for (number, record) in (before.read..).zip(&records) {
        match oracle.apply(record) {
            Outcome::Applied => expected.applied += 1,
            Outcome::Ignored => expected.ignored += 1,
            Outcome::Dead(class) => {
                expected.dead_lettered += 1;
                dead.push((number, class));
            }
            other => panic!("{other:?} of {record}"),
        }
        expected.read += 1;
    }
    let events = picks.map(|pick| EVENTS[pick]);
    let got_dead = runner.dead[dead_before..].iter();
    let got_dead: Vec<_> = got_dead.map(|(at, class, _)| (*at, *class)).collect();
    assert_eq!(got_dead, dead, "row there: {is_there}, {events:?}");
    let folded = runner.counters.folded;
    let expected = Counters { folded, ..expected };
    assert_eq!(
        runner.counters, expected,
        "row there: {is_there}, {events:?}"
    );
}

async fn check_all(program: &Program) {
    let mut runner = runner(program).await;
    let mut oracle = Oracle::new(program, 0);
    for first in 0..EVENTS.len() {
        for second in 0..EVENTS.len() {
            for third in 0..EVENTS.len() {
                for is_there in [false, true] {
                    check(&mut runner, &mut oracle, is_there, [first, second, third]).await;
                }
            }
        }
    }
    let rows = runner.rows("").await;
    let rows: Vec<Vec<_>> = rows
        .iter()
        .map(|row| row.iter().map(seen).collect())
        .collect();
    assert!(rows.len() > EVENTS.len().pow(3), "{} rows", rows.len());
    let mut expected: Vec<_> = oracle.tables[""].values().cloned().collect();
    expected.sort_by_key(|row| format!("{:?}", row[0]));
    let mut rows = rows;
    rows.sort_by_key(|row| format!("{:?}", row[0]));
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row, expected);
    }
}

#[tokio::test]
async fn every_three_operations_fold_to_what_they_do_one_by_one() {
    check_all(&with_nullable_text(true)).await;
}

#[tokio::test]
async fn every_three_operations_fold_alike_where_a_made_row_may_lack_a_value() {
    check_all(&with_nullable_text(false)).await;
}
