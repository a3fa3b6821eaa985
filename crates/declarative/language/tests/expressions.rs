//! What the text of an expression means.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers are parts of tests"
)]

use projectionist_language::{Expression, Literal, Metadata, Operation, Path, Step, parse};

/// A file whose column `x`, of JSONB, has the expression; `written` is YAML.
fn file(written: &str) -> String {
    format!(
        "projections:\n  p:\n    source_events: [E]\n    target: {{ table: t, primary_key: [id] }}\n    \
         fields: {{ id: TEXT, x: JSONB }}\n    derive:\n      id: event.entityId\n      x: {written}\n    \
         mutations: {{ E: {{ op: upsert }} }}\n"
    )
}

/// The expression of the column `x` of a file without faults.
fn expression_of(text: &str) -> Expression {
    let program = parse("f.yaml", text).unwrap_or_else(|faults| panic!("{faults}"));
    match &program.projections[0].mutations[0].operation {
        Operation::Upsert { values } => values[1].expression.clone(),
        other => panic!("{other:?}"),
    }
}

fn expression(written: &str) -> Expression {
    expression_of(&file(written))
}

fn payload(steps: &[&str]) -> Expression {
    let steps = steps.iter().map(|step| Step::Key((*step).into()));
    Expression::Path(Path::Payload(steps.collect()))
}

fn text(text: &str) -> Literal {
    Literal::Text(text.into())
}

#[test]
fn the_names_of_the_envelope_mean_the_envelope_directly_after_event() {
    for (name, meant) in [
        ("eventType", Metadata::EventType),
        ("entityId", Metadata::EntityId),
        ("forkId", Metadata::ForkId),
        ("tenantSchema", Metadata::TenantSchema),
        ("irVersion", Metadata::IrVersion),
        ("sequenceNumber", Metadata::SequenceNumber),
        ("ts", Metadata::Ts),
    ] {
        let meant = Expression::Path(Path::Metadata(meant));
        assert_eq!(expression(&format!("event.{name}")), meant);
        assert_eq!(expression(&format!("event.meta.{name}")), meant);
        assert_eq!(expression(&format!("event['{name}']")), meant);
        assert_eq!(expression(&format!("event.meta[\"{name}\"]")), meant);
        assert_eq!(
            expression(&format!("event.payload.{name}")),
            payload(&[name])
        );
        assert_eq!(
            expression(&format!("event.a.{name}")),
            payload(&["a", name])
        );
    }
    assert_eq!(
        expression("event.TS"),
        payload(&["TS"]),
        "names have a case"
    );
    assert_eq!(
        expression("event.payload.meta.ts"),
        payload(&["meta", "ts"])
    );
    assert_eq!(expression("event.payload.payload"), payload(&["payload"]));
    assert_eq!(expression("event.payload"), payload(&[]));
}

#[test]
fn paths_go_down_by_names_keys_and_indexes() {
    let key = |name: &str| Step::Key(name.into());
    for (written, steps) in [
        ("event.a.b", vec![key("a"), key("b")]),
        ("event['a b']", vec![key("a b")]),
        ("event[\"a.b\"].c", vec![key("a.b"), key("c")]),
        (
            "event.items[0][12]",
            vec![key("items"), Step::Index(0), Step::Index(12)],
        ),
        ("event['']", vec![key("")]),
        ("event['größe']", vec![key("größe")]),
        ("event._a1", vec![key("_a1")]),
        ("event.true.null", vec![key("true"), key("null")]),
        ("'event[''it\\''s'']'", vec![key("it's")]),
        ("'  event.a  '", vec![key("a")]),
        ("|\n        event.a", vec![key("a")]),
        ("event.payload[3]", vec![Step::Index(3)]),
    ] {
        let path = Expression::Path(Path::Payload(steps));
        assert_eq!(expression(written), path, "{written}");
    }
}

#[test]
fn literals_are_those_of_yaml_or_of_the_text() {
    let number = |text: &str| Literal::Number(text.into());
    for (written, literal) in [
        ("5", number("5")),
        ("'5'", number("5")),
        ("-1.50", number("-1.50")),
        ("+5", number("5")),
        ("'+5'", number("5")),
        (".5", number("0.5")),
        ("5.", number("5")),
        ("1e3", number("1e3")),
        ("'1E-3'", number("1e-3")),
        ("12345678901234567890.10", number("12345678901234567890.10")),
        ("true", Literal::Bool(true)),
        ("'false'", Literal::Bool(false)),
        ("null", Literal::Null),
        ("~", Literal::Null),
        ("'null'", Literal::Null),
        ("\"'open'\"", text("open")),
        ("'\"open\"'", text("open")),
        ("\"''\"", text("")),
        ("\"'no'\"", text("no")),
        ("\"'event.a'\"", text("event.a")),
        (r#"'"a\"b\\c\n\t\u00e9"'"#, text("a\"b\\c\n\té")),
        (r#"'"it''s"'"#, text("it's")),
        (r#""'\U0001f600'""#, text("😀")),
    ] {
        assert_eq!(
            expression(written),
            Expression::Literal(literal),
            "{written}"
        );
    }
}

/// The column of the fault in line 8, where the expression begins in column 10.
fn column(written: &str) -> usize {
    let faults = parse("f.yaml", &file(written)).unwrap_err();
    let [fault] = faults.as_slice() else {
        panic!("one fault is expected for {written}: {faults}");
    };
    assert_eq!(fault.line, 8, "{written}");
    fault.column
}

#[test]
fn faults_point_at_the_character_also_behind_quotes_and_escapes() {
    // `§` marks the character that the fault points at; it is taken out before the file is read.
    for marked in [
        "event.a + §b",
        "'event.a + §b'",
        "'event[''a''] + §b'",
        "\"event['a'] + §b\"",
        r#""event[\"a\"] + §b""#,
        r#""\u0065vent.a + §b""#,
        r#""\x65vent.a + §b""#,
        r#""\U00000065vent.a + §b""#,
        "\"event['é'] + §b\"",
        "'§  '",
        "event[§0]",
        "event.a[§99999999999]",
        "event.a[§-1]",
        "event.a[§b]",
        "event.a§[",
        "event.a[§'b",
        "event.a§['b'",
        "event.a['b'§'c']",
        "event.§meta",
        "event.meta.§topic",
        "event.ts.§x",
        r#""'a§\\u00'""#,
        r#""'a§\\ud800'""#,
        r#""'a§\\q'""#,
        "§5abc",
        "'§#'",
        "§evnt.a",
        "§hass(event.a)",
        "event.a §event.b",
    ] {
        let before = marked.chars().position(|c| c == '§').unwrap();
        let written = marked.replace('§', "");
        assert_eq!(column(&written), 10 + before, "{marked}");
    }
    // A point at the end of the text, where nothing stands any more.
    assert_eq!(column("event.a."), 10 + 8);
}

#[test]
fn a_path_has_at_most_64_steps() {
    let deepest = format!("event{}", ".a".repeat(64));
    assert_eq!(expression(&deepest), payload(&["a"; 64]));
    assert_eq!(column(&format!("{deepest}.b")), 10 + 5 + 128);
}

/// A file of JSON whose column `x` has the expression, in its last line.
fn json_file(x: &str, id: &str) -> String {
    format!(
        r#"{{"projections": {{"p": {{"source_events": ["E"],
            "target": {{"table": "t", "primary_key": ["id"]}},
            "fields": {{"id": "TEXT", "x": "JSONB"}},
            "mutations": {{"E": {{"op": "upsert"}}}},
            "derive": {{"x": {x}, "id": {id}}}}}}}}}"#
    )
}

#[test]
fn two_escapes_of_json_are_one_character() {
    for (written, meant) in [
        (r#""'\ud83d\ude00'""#, "😀"),
        (r#""'\uD83D\uDE00\ud83d\ude01x'""#, "😀😁x"),
        // An escaped backslash begins no escape of JSON.
        (r#""'\\\\ud83d\\\\ude00'""#, "\\ud83d\\ude00"),
    ] {
        let text_of = expression_of(&json_file(written, "\"event.id\""));
        assert_eq!(text_of, Expression::Literal(text(meant)), "{written}");
    }
    assert!(parse("f.json", &json_file(r#""'\ud83d'""#, "\"event.id\"")).is_err());
}

#[test]
fn faults_behind_two_escapes_of_json_point_at_the_character() {
    let marked = json_file(
        r#""'\ud83d\ude00é\uD83D\uDE01' + §b""#,
        r#""event['\ud83d\ude00'] + §b""#,
    );
    let last = marked.lines().next_back().unwrap();
    let mut marks: Vec<usize> = last
        .chars()
        .enumerate()
        .filter(|(_, character)| *character == '§')
        .map(|(at, _)| at + 1)
        .collect();
    // The second mark stands behind the first.
    marks[1] -= 1;
    let faults = parse("f.json", &marked.replace('§', "")).unwrap_err();
    let columns: Vec<usize> = faults.as_slice().iter().map(|fault| fault.column).collect();
    assert_eq!(columns, marks, "{faults}");
}
