//! Where values are found in a record, and where not.

use projectionist_core::row::OwnedCell;
use projectionist_language::model::{ColumnValue, Expression, Metadata, Operation, Path, Sequence};

use crate::support::things::{entity, path, program, row_of, run, runner};

#[tokio::test]
async fn places_of_every_shape_are_found() {
    let values = vec![
        entity(0),
        path(1, "deep.list.1.n"),
        path(2, "deep.ab"),
        path(3, "list.2"),
        path(4, "deep"),
    ];
    let program = program(Sequence::None, vec![("PUT", Operation::Upsert { values })]);
    let mut runner = runner(&program).await;
    let deep = r#"{"a\u0062":"found","ab2":1,"list":[0,{"n":7},{"n":8}]}"#;
    run(
        &mut runner,
        &[
            &format!(r#"PUT all {{"list":[1,[2],2.5,3],"deep":{deep}}}"#),
            // The last of two counts, and what was found in the first is gone.
            &format!(r#"PUT twice {{"deep":{deep},"list":[1,2,3],"list":[],"deep":5}}"#),
            r#"PUT none {"deep":[{"ab":1}],"list":{"2":1}}"#,
        ],
    )
    .await;
    assert_eq!(runner.dead, []);
    let all = row_of(&runner, "all").await.unwrap();
    assert_eq!(all[1], OwnedCell::Int(7));
    assert_eq!(all[2], OwnedCell::Text("found".into()));
    assert_eq!(all[3], OwnedCell::Double(2.5));
    assert_eq!(all[4], OwnedCell::Json(deep.into()));
    let twice = row_of(&runner, "twice").await.unwrap();
    let nulls = [OwnedCell::Null, OwnedCell::Null, OwnedCell::Null];
    assert_eq!(twice[1..4], nulls);
    assert_eq!(twice[4], OwnedCell::Json("5".into()));
    let none = row_of(&runner, "none").await.unwrap();
    assert_eq!(none[1..4], nulls);
}

#[tokio::test]
async fn a_payload_cannot_pass_for_the_envelope() {
    let metadata = |column, name| ColumnValue {
        column,
        expression: Expression::Path(Path::Metadata(name)),
    };
    let values = vec![
        metadata(0, Metadata::EntityId),
        metadata(1, Metadata::SequenceNumber),
        metadata(2, Metadata::TenantSchema),
        path(4, "entityId"),
    ];
    let program = program(
        Sequence::Guarded,
        vec![("PUT", Operation::Upsert { values })],
    );
    let mut runner = runner(&program).await;
    let payload =
        r#"{"entityId":"spoof","sequenceNumber":9,"tenantSchema":"spoof","eventType":"X"}"#;
    run(&mut runner, &[&format!("PUT x@1 {payload}")]).await;
    let row = row_of(&runner, "x").await.unwrap();
    assert_eq!(row[1..3], [OwnedCell::Int(1), OwnedCell::Null]);
    assert_eq!(row[4], OwnedCell::Json("\"spoof\"".into()));
}
