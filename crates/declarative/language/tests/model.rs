//! What comes out of a file without faults.

use projectionist_core::Timestamp;
use projectionist_core::row::{Column, ColumnType, OwnedCell};
use projectionist_language::{
    ColumnRules, ColumnValue, Envelope, Expression, Literal, Metadata, Mutation, NulRule, OnGap,
    OnMissing, Operation, Path, Program, Projection, Retries, Sequence, Start, Step, Zone, inspect,
    parse,
};

fn column(name: &str, column_type: ColumnType, nullable: bool) -> Column {
    Column {
        name: name.into(),
        column_type,
        nullable,
        default: None,
    }
}

fn with_default(column: Column, default: OwnedCell) -> Column {
    Column {
        default: Some(default),
        ..column
    }
}

fn value(column: usize, expression: Expression) -> ColumnValue {
    ColumnValue { column, expression }
}

fn literal(literal: Literal) -> Expression {
    Expression::Literal(literal)
}

fn number(text: &str) -> Expression {
    literal(Literal::Number(text.into()))
}

fn metadata(metadata: Metadata) -> Expression {
    Expression::Path(Path::Metadata(metadata))
}

fn key(name: &str) -> Step {
    Step::Key(name.into())
}

fn payload(steps: &[Step]) -> Expression {
    Expression::Path(Path::Payload(steps.to_vec()))
}

fn item(steps: &[Step]) -> Expression {
    Expression::Path(Path::Item(steps.to_vec()))
}

fn mutation(event_type: &str, operation: Operation) -> Mutation {
    Mutation {
        event_type: event_type.into(),
        when: None,
        operation,
    }
}

/// The rules of so many columns that ask for none.
fn no_rules(columns: usize) -> std::sync::Arc<[ColumnRules]> {
    vec![ColumnRules::default(); columns].into()
}

/// The example of the format, word for word.
fn artist_followers() -> Program {
    let key_values = vec![
        value(0, payload(&[key("user_id")])),
        value(1, payload(&[key("artist_id")])),
    ];
    let mut values = key_values.clone();
    values.push(value(2, metadata(Metadata::Ts)));
    Program {
        envelope: Envelope::Causet,
        projections: vec![Projection {
            name: "artist_followers".into(),
            table: "artist_followers".into(),
            columns: [
                column("user_id", ColumnType::Text, false),
                column("artist_id", ColumnType::Text, false),
                column("followed_at", ColumnType::BigInt, true),
            ]
            .into(),
            key: [0, 1].into(),
            rules: no_rules(3),
            indexes: Vec::new(),
            start: Start::Earliest,
            on_gap: OnGap::Ignore,
            retries: Retries { data: 0, other: 5 },
            sequence: Sequence::Guarded,
            mutations: vec![
                mutation("ARTIST_FOLLOWED", Operation::Upsert { values }),
                mutation("ARTIST_UNFOLLOWED", Operation::Delete { key: key_values }),
            ],
        }],
    }
}

#[test]
fn the_example_of_the_format() {
    let text = include_str!("files/artist_followers.yaml");
    assert_eq!(parse("artist_followers.yaml", text), Ok(artist_followers()));
}

#[test]
fn the_example_in_json_and_with_other_line_ends() {
    let json = include_str!("files/artist_followers.json");
    assert_eq!(parse("artist_followers.json", json), Ok(artist_followers()));
    let text = include_str!("files/artist_followers.yaml");
    for changed in [
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        format!("%YAML 1.2\n---\n{text}...\n"),
    ] {
        assert_eq!(
            parse("f.yaml", &changed),
            Ok(artist_followers()),
            "{changed}"
        );
    }
}

fn orders_columns() -> Vec<Column> {
    let numeric = |limits| ColumnType::Numeric { limits };
    vec![
        column("order_id", ColumnType::Uuid, false),
        column("user", ColumnType::Text, true),
        with_default(
            column("total", numeric(Some((12, 2))), true),
            OwnedCell::Numeric("7.00".into()),
        ),
        with_default(
            column("lines", ColumnType::BigInt, false),
            OwnedCell::Int(0),
        ),
        with_default(
            column("placed_at", ColumnType::TimestampTz, true),
            OwnedCell::Timestamp(Timestamp::from_unix_millis(1_719_331_200_000)),
        ),
        column("paid", ColumnType::Boolean, false),
        with_default(
            column("ratio", ColumnType::Double, true),
            OwnedCell::Double(0.5),
        ),
        with_default(
            column("note", ColumnType::Text, true),
            OwnedCell::Text("no".into()),
        ),
        with_default(
            column("extra", ColumnType::Jsonb, true),
            OwnedCell::Json(r#"{"tags":["a",1.50,null],"open":true}"#.into()),
        ),
        column("size", ColumnType::Int, true),
        column("whole", numeric(Some((5, 0))), true),
        column("any", numeric(None), true),
    ]
}

fn orders() -> Projection {
    let derived = vec![
        value(0, metadata(Metadata::EntityId)),
        value(
            1,
            payload(&[key("user name"), key("names"), Step::Index(0)]),
        ),
        value(2, number("12.50")),
        value(4, payload(&[key("ts")])),
        value(5, literal(Literal::Bool(false))),
        value(7, literal(Literal::Text("it's é".into()))),
        value(8, payload(&[])),
    ];
    let mut upserted = derived.clone();
    upserted[5] = value(7, literal(Literal::Null));
    upserted.push(value(9, number("-5")));
    let id = vec![derived[0].clone()];
    Projection {
        name: "orders".into(),
        table: "order".into(),
        columns: orders_columns().into(),
        key: [0].into(),
        rules: no_rules(12),
        indexes: Vec::new(),
        start: Start::Earliest,
        on_gap: OnGap::Ignore,
        retries: Retries { data: 0, other: 5 },
        sequence: Sequence::None,
        mutations: vec![
            mutation("ORDER_PLACED", Operation::Upsert { values: upserted }),
            mutation("ORDER_SEEN", Operation::Insert { values: derived }),
            mutation(
                "ORDER_LINE_ADDED",
                Operation::Increment {
                    key: id.clone(),
                    by: vec![value(3, number("1")), value(6, payload(&[key("ratio")]))],
                    set: vec![value(5, literal(Literal::Bool(true)))],
                    on_missing: OnMissing::Create,
                },
            ),
            mutation("ORDER_CANCELLED", Operation::Delete { key: id }),
        ],
    }
}

fn order_lines() -> Projection {
    let values = vec![
        value(0, metadata(Metadata::EntityId)),
        value(1, item(&[key("sku")])),
        value(2, item(&[])),
    ];
    Projection {
        name: "order_lines".into(),
        table: "order_lines".into(),
        columns: [
            column("order_id", ColumnType::Text, false),
            column("sku", ColumnType::Text, false),
            column("qty", ColumnType::Int, true),
        ]
        .into(),
        key: [1, 0].into(),
        rules: no_rules(3),
        indexes: Vec::new(),
        start: Start::Earliest,
        on_gap: OnGap::Ignore,
        retries: Retries { data: 0, other: 5 },
        sequence: Sequence::Guarded,
        mutations: vec![
            mutation(
                "ORDER_LINES_SET",
                Operation::Replace {
                    filter: vec![value(0, metadata(Metadata::EntityId))],
                    each: Some(Path::Payload(vec![key("order"), key("lines")])),
                    values: values.clone(),
                },
            ),
            mutation(
                "no",
                Operation::Replace {
                    filter: vec![
                        value(0, literal(Literal::Text("x".into()))),
                        value(1, payload(&[key("sku")])),
                    ],
                    each: Some(Path::Payload(vec![key("lines")])),
                    values,
                },
            ),
        ],
    }
}

#[test]
fn every_part_of_the_language() {
    let text = include_str!("files/every_part.yaml");
    let program = parse("every_part.yaml", text).unwrap();
    let [first, second] = program.projections.as_slice() else {
        panic!("two projections are declared");
    };
    assert_eq!(first, &orders());
    assert_eq!(second, &order_lines());
}

#[test]
fn the_key_of_a_delete_keeps_the_order_of_the_key() {
    let text = include_str!("files/artist_followers.yaml")
        .replace("[user_id, artist_id]", "[artist_id, user_id]");
    let program = parse("f.yaml", &text).unwrap();
    let Operation::Delete { key } = &program.projections[0].mutations[1].operation else {
        panic!("the second mutation deletes");
    };
    assert_eq!(
        key.iter().map(|value| value.column).collect::<Vec<_>>(),
        [1, 0]
    );
}

fn moment(name: &str) -> Column {
    column(name, ColumnType::TimestampTz, true)
}

fn visits_mutations() -> Vec<Mutation> {
    let who = value(0, metadata(Metadata::EntityId));
    let here = value(1, literal(Literal::Text("here".into())));
    let at = value(2, metadata(Metadata::Ts));
    let present = vec![
        value(3, payload(&[key("seen"), key("east")])),
        value(6, payload(&[key("n")])),
        value(7, payload(&[key("a note")])),
    ];
    let whole = [who.clone(), here, at.clone()].into_iter();
    let patch = |set, present, on_missing| Operation::Patch {
        key: vec![who.clone()],
        set,
        present,
        on_missing,
    };
    let increment = |by, set, on_missing| Operation::Increment {
        key: vec![who.clone()],
        by: vec![value(6, by)],
        set,
        on_missing,
    };
    vec![
        Mutation {
            when: Some(payload(&[key("real")])),
            ..mutation(
                "CAME",
                Operation::Upsert {
                    values: whole.chain(present.clone()).collect(),
                },
            )
        },
        mutation("MOVED", patch(Vec::new(), present, OnMissing::Create)),
        Mutation {
            when: Some(payload(&[key("a"), Step::Index(0)])),
            ..mutation(
                "RENAMED",
                patch(
                    vec![value(1, payload(&[key("status")])), value(6, number("1"))],
                    Vec::new(),
                    OnMissing::Ignore,
                ),
            )
        },
        mutation("SEEN", Operation::Ignore),
        mutation(
            "COUNTED",
            increment(number("1"), Vec::new(), OnMissing::Error),
        ),
        mutation(
            "ADDED",
            increment(payload(&[key("n")]), vec![at], OnMissing::Create),
        ),
        mutation(
            "LEFT",
            Operation::Delete {
                key: vec![who.clone()],
            },
        ),
    ]
}

fn visits() -> Projection {
    let rules = |zone, nul, lenient| ColumnRules { lenient, zone, nul };
    let zoned = |zone| rules(Some(zone), NulRule::Error, false);
    Projection {
        name: "visits".into(),
        table: "visits".into(),
        columns: [
            column("who", ColumnType::Text, false),
            with_default(
                column("status", ColumnType::Text, true),
                OwnedCell::Text("here".into()),
            ),
            moment("at"),
            moment("east"),
            moment("west"),
            moment("home"),
            column("n", ColumnType::BigInt, true),
            column("note", ColumnType::Jsonb, true),
        ]
        .into(),
        rules: [
            rules(None, NulRule::Replace, false),
            rules(None, NulRule::Strip, false),
            zoned(Zone::Offset(0)),
            zoned(Zone::Offset(345)),
            zoned(Zone::Offset(-150)),
            zoned(Zone::Named(chrono_tz::Europe::Zurich)),
            rules(None, NulRule::Error, true),
            ColumnRules::default(),
        ]
        .into(),
        key: [0].into(),
        indexes: vec![[1, 2].into(), [2].into()],
        start: Start::Earliest,
        on_gap: OnGap::Ignore,
        retries: Retries {
            data: 0,
            other: 1_000,
        },
        sequence: Sequence::Guarded,
        mutations: visits_mutations(),
    }
}

#[test]
fn every_option_of_the_language() {
    let text = include_str!("files/every_option.yaml");
    let inspection = inspect("every_option.yaml", text);
    assert_eq!(inspection.warnings, []);
    let program = inspection.outcome.unwrap();
    let [first, second] = program.projections.as_slice() else {
        panic!("two projections are declared");
    };
    assert_eq!(first, &visits());
    // What the file says for all of its projections holds where one says nothing.
    assert_eq!(second.start, Start::Latest);
    // It has no numbers, so that the warning of the file is not for it.
    assert_eq!(second.on_gap, OnGap::Ignore);
    assert_eq!(second.retries, Retries { data: 1, other: 7 });
    assert_eq!(second.sequence, Sequence::None);
    assert_eq!(second.indexes, [[0].into()]);
    assert_eq!(second.mutations[0].when, Some(payload(&[key("has_lines")])));
}
