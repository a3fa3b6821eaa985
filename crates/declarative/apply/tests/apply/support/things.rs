//! A small table of things, and a projection with every operation on it.

use projectionist_apply::ApplyOptions;
use projectionist_core::row::{Column, ColumnType, OwnedCell};
use projectionist_language::model::{
    ColumnValue, Expression, Literal, Metadata, Mutation, OnMissing, Operation, Path, Program,
    Sequence, Step,
};

use super::program::one_projection;
use super::runner::Runner;

pub(crate) fn column(name: &str, column_type: ColumnType) -> Column {
    Column {
        name: name.into(),
        column_type,
        nullable: name != "id",
        default: None,
    }
}

pub(crate) fn path(column: usize, place: &str) -> ColumnValue {
    let steps = place.split('.').filter(|key| !key.is_empty());
    let steps = steps.map(|key| match key.parse() {
        Ok(index) => Step::Index(index),
        Err(_) => Step::Key(key.into()),
    });
    let expression = Expression::Path(Path::Payload(steps.collect()));
    ColumnValue { column, expression }
}

pub(crate) fn entity(column: usize) -> ColumnValue {
    let expression = Expression::Path(Path::Metadata(Metadata::EntityId));
    ColumnValue { column, expression }
}

pub(crate) fn literal(column: usize, literal: Literal) -> ColumnValue {
    let expression = Expression::Literal(literal);
    ColumnValue { column, expression }
}

pub(crate) fn one() -> Literal {
    Literal::Number("1".into())
}

/// The table id TEXT, n BIGINT, t TEXT, d DOUBLE, j JSONB and m INT, whose default is one below
/// the largest, with a mutation an operation.
pub(crate) fn program(sequence: Sequence, operations: Vec<(&str, Operation)>) -> Program {
    let columns = vec![
        column("id", ColumnType::Text),
        column("n", ColumnType::BigInt),
        column("t", ColumnType::Text),
        column("d", ColumnType::Double),
        column("j", ColumnType::Jsonb),
        Column {
            default: Some(OwnedCell::Int(i64::from(i32::MAX) - 1)),
            ..column("m", ColumnType::Int)
        },
    ];
    let mutations = operations
        .into_iter()
        .map(|(event_type, operation)| Mutation {
            event_type: event_type.into(),
            when: None,
            operation,
        });
    one_projection("things", columns, vec![0], sequence, mutations.collect())
}

pub(crate) fn all_operations(sequence: Sequence) -> Program {
    let values = || vec![entity(0), path(1, "n"), path(2, "t")];
    let replace = |filter, each, values| Operation::Replace {
        filter: vec![filter],
        each,
        values,
    };
    let increment = |by, set| Operation::Increment {
        key: vec![entity(0)],
        by: vec![by],
        set,
        on_missing: OnMissing::Create,
    };
    let place = |key: &str| Some(Path::Payload(vec![Step::Key(key.into())]));
    let item = ColumnValue {
        column: 0,
        expression: Expression::Path(Path::Item(vec![])),
    };
    let key = vec![entity(0)];
    program(
        sequence,
        vec![
            ("PUT", Operation::Upsert { values: values() }),
            ("NEW", Operation::Insert { values: values() }),
            ("DEL", Operation::Delete { key }),
            ("ADD", increment(path(1, "n"), vec![])),
            ("SUM", increment(path(3, "d"), vec![path(2, "t")])),
            ("FIX", increment(literal(3, one()), vec![path(1, "n")])),
            ("CAP", increment(literal(5, one()), vec![])),
            ("SET", replace(entity(0), None, values())),
            ("CLR", replace(entity(0), place("none"), values())),
            (
                "ALL",
                replace(path(2, "t"), place("items"), vec![item, path(2, "t")]),
            ),
        ],
    )
}

pub(crate) async fn runner(program: &Program) -> Runner {
    Runner::new(program, ApplyOptions::default()).await
}

/// Runs events, each `TYPE entity payload` or `TYPE entity@number payload`, as one group.
pub(crate) async fn run(runner: &mut Runner, events: &[&str]) {
    let events: Vec<_> = events
        .iter()
        .map(|event| {
            let mut words = event.splitn(3, ' ');
            let event_type = words.next().unwrap();
            let entity = words.next().unwrap();
            let payload = words.next().unwrap_or("{}");
            let (entity, number) = match entity.split_once('@') {
                Some((entity, number)) => (entity, format!(r#","sequenceNumber":{number}"#)),
                None => (entity, String::new()),
            };
            let record = format!(
                r#"{{"eventType":"{event_type}","entityId":"{entity}"{number},"payload":{payload}}}"#
            );
            runner.decode(&record)
        })
        .collect();
    if !events.is_empty() {
        runner.run(&events).await;
    }
}

pub(crate) async fn row_of(runner: &Runner, id: &str) -> Option<Vec<OwnedCell>> {
    let rows = runner.rows("").await;
    rows.into_iter()
        .find(|row| row[0] == OwnedCell::Text(id.into()))
}
