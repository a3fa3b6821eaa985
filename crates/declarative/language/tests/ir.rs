//! The compiled form: what stands in it, that it means the same, and that changes are noticed.
#![allow(
    clippy::unwrap_used,
    reason = "the helpers belong to tests: a step that fails must name its line"
)]

use projectionist_language::ir::newer_format;
use projectionist_language::{
    CelExpression, ColumnRules, Expression, Literal, OnMissing, Operation, Path, Program, Retries,
    Start, Step, compile, declaration_hash, declaration_text, parse, program_hash,
};

const EXAMPLE: &str = include_str!("files/artist_followers.yaml");
const GOLDEN: &str = include_str!("ir/artist_followers.projections.json");
const EVERY_PART: &str = include_str!("files/every_part.yaml");

fn program(text: &str) -> Program {
    parse("f.yaml", text).unwrap()
}

/// The program with everything in the order of names, where order means nothing.
fn sorted(mut program: Program) -> Program {
    program.projections.sort_by(|a, b| a.name.cmp(&b.name));
    for projection in &mut program.projections {
        let mutations = &mut projection.mutations;
        mutations.sort_by(|a, b| a.event_type.cmp(&b.event_type));
    }
    program
}

#[test]
fn the_example_compiles_to_the_file_that_is_kept() {
    assert_eq!(compile(&program(EXAMPLE)), GOLDEN);
}

#[test]
fn an_ir_is_a_file_that_means_the_same() {
    for text in [EXAMPLE, EVERY_PART] {
        let before = program(text);
        let ir = compile(&before);
        let after = parse("causet.projections.json", &ir).unwrap();
        assert_eq!(sorted(after.clone()), sorted(before.clone()));
        // It is also what another compiler of JSON reads.
        let json: serde_json::Value = serde_json::from_str(&ir).unwrap();
        assert_eq!(json["hash"], program_hash(&before));
        assert_eq!(compile(&after), ir);
        for projection in &before.projections {
            let alone = parse("stored", &declaration_text(&before, projection)).unwrap();
            let hash = declaration_hash(&alone, &alone.projections[0]);
            assert_eq!(hash, declaration_hash(&before, projection));
            assert_eq!(alone.projections[0].columns, projection.columns);
        }
    }
}

/// The example, spelt otherwise in every way that does not change what it says.
const RESPELT: &str = r#"
# A comment.
"projections":
    "artist_followers":
        mutations: { ARTIST_UNFOLLOWED: { op: delete }, ARTIST_FOLLOWED: {op: "upsert", set: {followed_at: event.meta.ts}} }
        derive: { artist_id: "event['artist_id']", user_id: event.payload.user_id }
        fields:
            followed_at: { type: bigint, nullable: true }
            artist_id: { type: text, required: true }
            user_id: Text
        target: { primary_key: ["user_id", artist_id], table: artist_followers }
        source_events: [ARTIST_UNFOLLOWED, ARTIST_FOLLOWED]
envelope: causet
"#;

#[test]
fn spelling_does_not_change_the_hash() {
    let hash = program_hash(&program(EXAMPLE));
    let json = include_str!("files/artist_followers.json");
    for text in [RESPELT, json, GOLDEN] {
        assert_eq!(program_hash(&program(text)), hash, "{text}");
    }
}

#[test]
fn every_change_of_meaning_changes_the_hash() {
    let mut hashes = vec![program_hash(&program(EVERY_PART))];
    for (from, to) in [
        ("table: order,", "table: orders,"),
        ("sequence: none", ""),
        ("size: int", "size: bigint"),
        (
            "any: numeric",
            "any: { type: numeric, nullable: false, default: 1 }",
        ),
        ("default: 7", "default: 8"),
        (
            "user: event['user name'].names[0]",
            "user: event['user name'].names[1]",
        ),
        ("note: \"'it\\\\'s \\\\u00e9'\"", "note: \"'its'\""),
        ("total: 12.50", "total: 12.51"),
        ("set: { note: null, size: -5 }", "set: { note: null }"),
        ("ORDER_SEEN: { op: insert }", "ORDER_SEEN: { op: upsert }"),
        ("lines: 1 }", "lines: 2 }"),
        ("set: { paid: true }", "set: { paid: event.paid }"),
        (
            "primary_key: [sku, order_id]",
            "primary_key: [order_id, sku]",
        ),
        (
            "filter: { order_id: event.entityId }",
            "filter: { sku: event.entityId }",
        ),
        ("each: event.order.lines", "each: event.lines"),
        ("qty: item }", "qty: item.qty }"),
    ] {
        assert_eq!(EVERY_PART.matches(from).count(), 1, "{from}");
        let changed = EVERY_PART.replace(from, to);
        let hash = program_hash(&program(&changed));
        assert!(!hashes.contains(&hash), "{from}");
        hashes.push(hash);
    }
}

type ModelChange = Box<dyn Fn(&mut Program)>;

/// A change of the rules of one column.
fn ruled(change: fn(&mut ColumnRules)) -> ModelChange {
    Box::new(move |program| {
        let mut rules = program.projections[0].rules.to_vec();
        change(&mut rules[2]);
        program.projections[0].rules = rules.into();
    })
}

/// Changes of the model that the file says elsewhere; each must be told by the hash.
#[test]
fn every_part_of_the_model_is_in_the_hash() {
    let base = program(EXAMPLE);
    let path = |key: &str| Expression::Path(Path::Payload(vec![Step::Key(key.into())]));
    let cel = Expression::Cel(CelExpression {
        text: "event.a > 1".into(),
        reads: Vec::new(),
    });
    let changes: Vec<ModelChange> = vec![
        Box::new(|_| {}),
        Box::new(|p| p.envelope = projectionist_language::Envelope::CloudEvents),
        Box::new(|p| {
            p.envelope = projectionist_language::Envelope::Debezium {
                key: vec!["id".into()],
            };
        }),
        Box::new(|p| p.projections[0].indexes = vec![[2].into()]),
        Box::new(|p| p.projections[0].start = Start::Latest),
        Box::new(|p| p.projections[0].on_gap = projectionist_language::OnGap::Warn),
        Box::new(|p| p.projections[0].retries = Retries { data: 1, other: 5 }),
        Box::new(|p| p.projections[0].retries = Retries { data: 0, other: 4 }),
        Box::new(move |p| p.projections[0].mutations[0].when = Some(cel.clone())),
        ruled(|rules| rules.lenient = true),
        ruled(|rules| rules.zone = Some(projectionist_language::Zone::Offset(-90))),
        ruled(|rules| rules.nul = projectionist_language::NulRule::Strip),
        Box::new(|p| p.projections[0].mutations[1].operation = Operation::Ignore),
        Box::new(move |p| {
            let Operation::Delete { key } = &p.projections[0].mutations[1].operation else {
                return;
            };
            p.projections[0].mutations[1].operation = Operation::Patch {
                key: key.clone(),
                set: vec![projectionist_language::ColumnValue {
                    column: 2,
                    expression: path("at"),
                }],
                present: Vec::new(),
                on_missing: OnMissing::Create,
            };
        }),
        Box::new(|p| {
            let Operation::Delete { key } = &p.projections[0].mutations[1].operation else {
                return;
            };
            p.projections[0].mutations[1].operation = Operation::Patch {
                key: key.clone(),
                set: vec![projectionist_language::ColumnValue {
                    column: 2,
                    expression: Expression::Literal(Literal::Null),
                }],
                present: Vec::new(),
                on_missing: OnMissing::Error,
            };
        }),
    ];
    let mut hashes = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        let mut program = base.clone();
        change(&mut program);
        let hash = program_hash(&program);
        assert!(!hashes.contains(&hash), "change {index}");
        hashes.push(hash);
    }
}

/// What a reader of a changed IR is told.
fn told(from: &str, to: &str) -> String {
    assert!(GOLDEN.contains(from), "{from}");
    let changed = GOLDEN.replacen(from, to, 1);
    parse("ir.json", &changed).unwrap_err().to_string()
}

#[test]
fn an_ir_that_was_changed_is_refused_with_the_place() {
    for (from, to, words) in [
        (
            "\"BIGINT\"",
            "\"TEXT\"",
            &["ir.json:4:11", "have the hash sha256:", "compile"][..],
        ),
        ("\"sha256:", "\"sha256:0", &["ir.json:4:11", "the IR says"]),
        ("STRICT, ", "", &["the SQL is not what"]),
        ("\"hash\"", "\"hush\"", &["unknown key `hush`"]),
        ("\"compiler\": \"", "\"compiler\": [\"", &["ir.json"]),
        (
            "\"format\": 1",
            "\"format\": \"one\"",
            &["ir.json:2:13", "number"],
        ),
    ] {
        let said = told(from, to);
        for word in words {
            assert!(said.contains(word), "{from}: {word}: {said}");
        }
    }
    // Half of a file.
    let half = &GOLDEN[..GOLDEN.len() / 2];
    assert!(parse("ir.json", half).is_err());
}

#[test]
fn sql_of_another_compiler_is_not_compared_and_never_used() {
    let other = GOLDEN
        .replacen(
            "\"compiler\": \"projectionist ",
            "\"compiler\": \"another ",
            1,
        )
        .replace("STRICT, ", "");
    assert_eq!(sorted(program(&other)), sorted(program(EXAMPLE)));
}

#[test]
fn an_ir_of_a_newer_format_is_told_apart() {
    let newer = GOLDEN.replacen("\"format\": 1", "\"format\": 2", 1);
    let said = parse("ir.json", &newer).unwrap_err().to_string();
    assert!(
        said.contains("format 2") && said.contains("newer"),
        "{said}"
    );
    assert_eq!(newer_format(&newer), Some(2));
    assert_eq!(newer_format(GOLDEN), None);
    assert_eq!(newer_format(EXAMPLE), None);
}
