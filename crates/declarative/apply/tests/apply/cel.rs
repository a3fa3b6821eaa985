//! Values that are computed from events: into columns of every type, as keys, filters and amounts.

use projectionist_apply::ApplyOptions;
use projectionist_core::row::OwnedCell;
use projectionist_core::{ErrorClass, Timestamp};
use projectionist_language::parse;

use crate::support::runner::Runner;

/// Columns of several types from expressions.
const COMPUTED: &str = r#"
projections:
  rows:
    sequence: none
    source_events: [PUT, ADD]
    target: { table: rows, primary_key: [id] }
    fields:
      id: TEXT
      big: BIGINT
      exact: NUMERIC
      double: DOUBLE
      flag: BOOLEAN
      at: TIMESTAMPTZ
      json: JSONB
    derive:
      id: upper(event.entityId)
      big: event.a * 2
      exact: "event.a > 0 ? event.price : 0"
      double: double(event.a) / 4.0
      flag: event.tags.exists(tag, tag == 'x')
      at: timestampMs(event.ts)
      json: "{'tags': event.tags.map(tag, tag.upper()), 'a': event.a}"
    mutations:
      PUT: { op: upsert }
      ADD: { op: increment, by: { big: size(event.tags) } }
"#;

/// Rows of elements within a computed scope.
const ELEMENTS: &str = r#"
projections:
  rows:
    sequence: none
    source_events: [LINES]
    target: { table: rows, primary_key: [id] }
    fields: { id: TEXT, parent: TEXT }
    derive:
      id: "event.entityId + ':' + coalesce(item.n, '0')"
      parent: lower(event.entityId)
    mutations:
      LINES: { op: replace, filter: { parent: lower(event.entityId) }, each: event.lines }
"#;

fn record(kind: &str, entity: &str, payload: &str) -> String {
    format!(
        r#"{{"eventType":"{kind}","entityId":"{entity}","ts":1719331200000,"payload":{payload}}}"#
    )
}

async fn runner(file: &str) -> Runner {
    let program = parse("rows.yaml", file).unwrap_or_else(|faults| panic!("{faults}"));
    Runner::new(&program, ApplyOptions::default()).await
}

#[tokio::test]
async fn computed_values_become_cells_of_their_columns() {
    let mut runner = runner(COMPUTED).await;
    let payload = r#"{"a":3,"price":12345678901234567890.1230,"tags":["x","y"]}"#;
    let put = runner.decode(&record("PUT", "Abc", payload));
    runner.run(&[put]).await;
    let add = runner.decode(&record("ADD", "aBC", r#"{"tags":["a","b","c"]}"#));
    runner.run(&[add]).await;
    assert_eq!(runner.dead, []);
    let rows = runner.rows("").await;
    let moment = Timestamp::from_unix_millis(1_719_331_200_000);
    let wanted = vec![
        OwnedCell::Text("ABC".into()),
        OwnedCell::Int(9),
        OwnedCell::Numeric("12345678901234567890.123".into()),
        OwnedCell::Double(0.75),
        OwnedCell::Bool(true),
        OwnedCell::Timestamp(moment),
        OwnedCell::Json(r#"{"a":3,"tags":["X","Y"]}"#.into()),
    ];
    assert_eq!(rows, [wanted]);
}

#[tokio::test]
async fn elements_and_filters_are_computed() {
    let mut runner = runner(ELEMENTS).await;
    let lines = r#"{"lines":[{"n":"1"},{},{"n":"2"}]}"#;
    let lines = runner.decode(&record("LINES", "A", lines));
    runner.run(&[lines]).await;
    assert_eq!(runner.dead, []);
    let rows = runner.rows("").await;
    let ids: Vec<OwnedCell> = rows.into_iter().map(|row| row[0].clone()).collect();
    let wanted = ["A:0", "A:1", "A:2"].map(|id| OwnedCell::Text(id.into()));
    assert_eq!(ids, wanted);
    let fewer = runner.decode(&record("LINES", "A", r#"{"lines":[{"n":"1"}]}"#));
    runner.run(&[fewer]).await;
    assert_eq!(runner.rows("").await.len(), 1);
}

#[tokio::test]
async fn what_an_event_is_wrong_about_names_column_expression_and_cause() {
    let file = r#"
projections:
  rows:
    sequence: none
    source_events: [PUT]
    target: { table: rows, primary_key: [id] }
    fields: { id: TEXT, n: BIGINT }
    derive: { id: event.entityId, n: event.a / event.b }
    mutations: { PUT: { op: upsert } }
"#;
    let mut runner = runner(file).await;
    for (payload, cause) in [
        (r#"{"a":1,"b":0}"#, "`event.a / event.b`: division by zero"),
        (
            r#"{"a":1}"#,
            "`event.a / event.b`: `event.b` is missing in this event",
        ),
        (
            r#"{"a":1,"b":2.5}"#,
            "`event.a / event.b`: `/` is not defined for int and double",
        ),
        (
            r#"{"a":1.0,"b":8.0}"#,
            "0.125 has a fraction; BIGINT wants a whole number",
        ),
    ] {
        let event = runner.decode(&record("PUT", "e", payload));
        runner.run(&[event]).await;
        let (_, class, said) = runner.dead.pop().unwrap();
        assert_eq!(class, ErrorClass::Data);
        assert!(said.contains(cause), "{said}");
    }
    assert_eq!(runner.rows("").await, Vec::<Vec<OwnedCell>>::new());
}
