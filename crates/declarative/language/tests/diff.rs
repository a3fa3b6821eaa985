//! What each change of a file asks of the tables that are there.
#![allow(
    clippy::unwrap_used,
    reason = "the helpers belong to tests: a step that fails must name its line"
)]

use std::sync::Arc;

use projectionist_core::row::{Column, ColumnType};
use projectionist_language::Class::{Additive, Incompatible, NeedsRebuild};
use projectionist_language::{
    Change, Class, ColumnRules, ColumnValue, Envelope, Expression, Literal, NulRule, OnGap,
    OnMissing, Operation, Program, Projection, Retries, Sequence, Start, Zone, diff, parse,
};

const FILE: &str = r#"
projections:
  orders:
    source_events: [PLACED, ADDED, CANCELLED, SET]
    target: { table: orders, primary_key: [id] }
    fields:
      id: TEXT
      status: TEXT
      total: { type: "NUMERIC(12,2)", default: 0 }
      lines: { type: INT, nullable: false, default: 0 }
    derive: { id: event.entityId, status: "'open'", total: event.total }
    mutations:
      PLACED: { op: upsert }
      ADDED: { op: increment, by: { lines: 1 }, set: { status: "'more'" } }
      CANCELLED: { op: delete }
      SET: { op: replace, filter: { status: event.status } }
  others:
    source_events: [PLACED]
    target: { table: others, primary_key: [id] }
    fields: { id: TEXT }
    derive: { id: event.entityId }
    mutations: { PLACED: { op: insert } }
"#;

/// The changes between the file and itself with some texts replaced.
fn changed(changes: &[(&str, &str)]) -> Vec<(Class, String)> {
    let mut text = FILE.to_owned();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    told(&parse("old", FILE).unwrap(), &parse("new", &text).unwrap())
}

fn told(old: &Program, new: &Program) -> Vec<(Class, String)> {
    let changes = diff(old, new).into_iter();
    changes
        .map(|change| {
            (
                change.class,
                format!("{}: {}", change.projection, change.what),
            )
        })
        .collect()
}

/// A part of the file, what it becomes, the class of that, and what is told.
const CHANGES: [(&str, &str, Class, &str); 16] = [
    (
        "      lines:",
        "      note: TEXT\n      lines:",
        Additive,
        "orders: new column `note`",
    ),
    (
        "      lines:",
        "      note: { type: INT, nullable: false, default: 1 }\n      lines:",
        Additive,
        "orders: new column `note`",
    ),
    (
        "type: INT",
        "type: BIGINT",
        Additive,
        "orders: column `lines` is BIGINT and was INT",
    ),
    (
        "NUMERIC(12,2)",
        "NUMERIC(14,2)",
        Additive,
        "orders: column `total` is NUMERIC(14,2) and was NUMERIC(12,2)",
    ),
    (
        "nullable: false, ",
        "",
        Additive,
        "orders: column `lines` allows null",
    ),
    (
        "status: TEXT",
        "status: { type: TEXT, default: new }",
        Additive,
        "orders: column `status` has a default",
    ),
    (
        "NUMERIC(12,2)",
        "NUMERIC(12,3)",
        NeedsRebuild,
        "orders: column `total` is NUMERIC(12,3) and was NUMERIC(12,2)",
    ),
    (
        "status: TEXT",
        "status: { type: TEXT, nullable: false, default: x }",
        NeedsRebuild,
        "orders: column `status` allows no null",
    ),
    (
        "type: \"NUMERIC(12,2)\", default: 0",
        "type: \"NUMERIC(12,2)\", default: 1",
        NeedsRebuild,
        "orders: column `total` has another default",
    ),
    (
        "type: \"NUMERIC(12,2)\", default: 0",
        "type: \"NUMERIC(12,2)\"",
        NeedsRebuild,
        "orders: column `total` has no default any more",
    ),
    (
        "by: { lines: 1 }",
        "by: { lines: 2 }",
        NeedsRebuild,
        "orders: `ADDED` has another `by` for `lines`",
    ),
    (
        "set: { status: \"'more'\" }",
        "set: { status: null }",
        NeedsRebuild,
        "orders: `ADDED` has another value for `status`",
    ),
    (
        "filter: { status: event.status }",
        "filter: { status: event.old }",
        NeedsRebuild,
        "orders: `SET` has another `filter` for `status`",
    ),
    (
        "PLACED: { op: upsert }",
        "PLACED: { op: insert }",
        NeedsRebuild,
        "orders: `PLACED` has op insert and had upsert",
    ),
    (
        "mutations: { PLACED: { op: insert } }",
        "mutations: { PLACED: { op: insert } }\n    sequence: none",
        NeedsRebuild,
        "others: `sequence` is none",
    ),
    (
        "table: others",
        "table: more",
        NeedsRebuild,
        "others: table `others` becomes `more`",
    ),
];

#[test]
fn every_change_of_a_file_has_its_class() {
    for (from, to, class, what) in CHANGES {
        let found = changed(&[(from, to)]);
        let expected = (class, what.to_owned());
        assert!(found.contains(&expected), "{to}: {found:?}");
        assert_eq!(
            found.iter().map(|(class, _)| *class).max(),
            Some(class),
            "{found:?}"
        );
    }
    assert_eq!(changed(&[]), []);
}

#[test]
fn a_new_column_with_a_value_is_no_change_of_the_events_that_write_it() {
    let found = changed(&[
        ("      lines:", "      note: TEXT\n      lines:"),
        (
            "total: event.total }",
            "total: event.total, note: event.note }",
        ),
    ]);
    assert_eq!(found, [(Additive, "orders: new column `note`".to_owned())]);
}

#[test]
fn projections_and_event_types_come_and_go() {
    let new = FILE
        .replace("others:\n", "more:\n")
        .replace("table: others", "table: more");
    let old = parse("old", FILE).unwrap();
    let new = parse("new", &new).unwrap();
    let gone = (Additive, "others: not declared any more".to_owned());
    assert_eq!(
        told(&old, &new),
        [(Additive, "more: new projection".to_owned()), gone]
    );

    let added = changed(&[
        ("[PLACED, ADDED", "[PAID, PLACED, ADDED"),
        (
            "      ADDED: {",
            "      PAID: { op: delete }\n      ADDED: {",
        ),
    ]);
    assert_eq!(
        added,
        [(Additive, "orders: new event type `PAID`".to_owned())]
    );
    let removed = changed(&[
        ("CANCELLED, SET]", "CANCELLED]"),
        (
            "      SET: { op: replace, filter: { status: event.status } }\n",
            "",
        ),
    ]);
    assert_eq!(
        removed,
        [(NeedsRebuild, "orders: event type `SET` is gone".to_owned())]
    );
}

#[test]
fn a_table_that_changes_hands_is_incompatible() {
    // Renamed, with its table.
    let renamed = changed(&[("  others:\n", "  more:\n")]);
    let taken = "more: takes the table `others` of the projection `others`".to_owned();
    assert_eq!(renamed[0], (Incompatible, taken));
    // Swapped.
    let text = FILE
        .replace("table: orders", "table: x")
        .replace("table: others", "table: orders");
    let new = parse("new", &text.replace("table: x", "table: others")).unwrap();
    let found = told(&parse("old", FILE).unwrap(), &new);
    let takes = |(class, what): &&(Class, String)| *class == Incompatible && what.contains("takes");
    assert_eq!(found.iter().filter(takes).count(), 2, "{found:?}");
}

/// A projection with a column of every role, made without a file.
fn model() -> Program {
    let column = |name: &str| Column {
        name: name.into(),
        column_type: ColumnType::BigInt,
        nullable: name != "id",
        default: None,
    };
    let columns: Arc<[Column]> = [column("id"), column("a")].into();
    Program {
        envelope: Envelope::Causet,
        projections: vec![Projection {
            name: "p".into(),
            table: "p".into(),
            rules: vec![ColumnRules::default(); 2].into(),
            columns,
            key: [0].into(),
            indexes: Vec::new(),
            start: Start::Earliest,
            on_gap: OnGap::Ignore,
            retries: Retries::default(),
            sequence: Sequence::Guarded,
            mutations: vec![projectionist_language::Mutation {
                event_type: "E".into(),
                when: None,
                operation: Operation::Patch {
                    key: vec![one(0)],
                    set: vec![one(1)],
                    present: Vec::new(),
                    on_missing: OnMissing::Create,
                },
            }],
        }],
    }
}

fn one(column: usize) -> ColumnValue {
    ColumnValue {
        column,
        expression: Expression::Literal(Literal::Number("1".into())),
    }
}

/// The class of one change of the model.
fn class_of(change: impl FnOnce(&mut Program)) -> Option<Class> {
    let mut new = model();
    change(&mut new);
    diff(&model(), &new)
        .into_iter()
        .map(|change| change.class)
        .max()
}

#[test]
fn every_setting_has_its_class() {
    assert_eq!(class_of(|_| {}), None);
    assert_eq!(
        class_of(|new| new.envelope = Envelope::CloudEvents),
        Some(NeedsRebuild)
    );
    assert_eq!(
        class_of(|new| new.projections[0].indexes = vec![[1].into()]),
        Some(Additive)
    );
    assert_eq!(
        class_of(|new| new.projections[0].start = Start::Latest),
        Some(Additive)
    );
    assert_eq!(
        class_of(|new| new.projections[0].on_gap = OnGap::Warn),
        Some(Additive)
    );
    let retries = Retries { data: 2, other: 5 };
    assert_eq!(
        class_of(|new| new.projections[0].retries = retries),
        Some(Additive)
    );
    assert_eq!(
        class_of(|new| new.projections[0].key = [1].into()),
        Some(NeedsRebuild)
    );
    for rules in [
        ColumnRules {
            lenient: true,
            ..ColumnRules::default()
        },
        ColumnRules {
            zone: Some(Zone::Offset(60)),
            ..ColumnRules::default()
        },
        ColumnRules {
            nul: NulRule::Replace,
            ..ColumnRules::default()
        },
    ] {
        let mut ruled = model();
        ruled.projections[0].rules = [ColumnRules::default(), rules].into();
        // More is taken: only dead letters would have become something else.
        let class = |changes: Vec<Change>| changes.into_iter().map(|change| change.class).max();
        assert_eq!(class(diff(&model(), &ruled)), Some(Additive), "{rules:?}");
        assert_eq!(
            class(diff(&ruled, &model())),
            Some(NeedsRebuild),
            "{rules:?}"
        );
    }
    let when = Expression::Literal(Literal::Bool(true));
    let class = class_of(|new| new.projections[0].mutations[0].when = Some(when));
    assert_eq!(class, Some(NeedsRebuild));
    let class = class_of(|new| {
        if let Operation::Patch { on_missing, .. } = &mut new.projections[0].mutations[0].operation
        {
            *on_missing = OnMissing::Ignore;
        }
    });
    assert_eq!(class, Some(NeedsRebuild));
}
