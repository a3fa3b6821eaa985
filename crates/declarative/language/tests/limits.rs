//! A file has limits, and what lies beyond them is refused before it costs anything.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers are parts of tests"
)]

use std::fmt::Write;

use projectionist_language::{Faults, MAX_FILE_BYTES, parse};

fn only_message(text: &str) -> String {
    let faults = parse("f.yaml", text).unwrap_err();
    let [fault] = faults.as_slice() else {
        panic!("one fault is expected: {faults}");
    };
    fault.message.clone()
}

fn projections(count: usize) -> String {
    let mut text = "projections:\n".to_owned();
    for number in 0..count {
        writeln!(
            text,
            "  p{number}: {{ source_events: [E], target: {{ table: t{number}, primary_key: [id] }}, \
             fields: {{ id: TEXT }}, derive: {{ id: event.entityId }}, mutations: {{ E: {{ op: upsert }} }} }}"
        )
        .unwrap();
    }
    text
}

fn columns(count: usize) -> String {
    let mut text = "projections:\n  p:\n    source_events: [E]\n    target: { table: t, primary_key: [c0] }\n    \
                    derive: { c0: event.entityId }\n    mutations: { E: { op: upsert } }\n    fields:\n"
        .to_owned();
    for number in 0..count {
        writeln!(text, "      c{number}: TEXT").unwrap();
    }
    text
}

fn events(count: usize) -> String {
    let mut names = String::new();
    let mut mutations = String::new();
    for number in 0..count {
        writeln!(names, "      - E{number}").unwrap();
        writeln!(mutations, "      E{number}: {{ op: upsert }}").unwrap();
    }
    format!(
        "projections:\n  p:\n    target: {{ table: t, primary_key: [id] }}\n    fields: {{ id: TEXT }}\n    \
         derive: {{ id: event.entityId }}\n    source_events:\n{names}    mutations:\n{mutations}"
    )
}

#[test]
fn projections_columns_and_event_types_are_counted() {
    assert!(parse("f.yaml", &projections(1_000)).is_ok());
    assert_eq!(
        only_message(&projections(1_001)),
        "the file has 1001 projections; at most 1000 are allowed"
    );
    assert!(parse("f.yaml", &columns(500)).is_ok());
    assert_eq!(
        only_message(&columns(501)),
        "`fields` has 501 columns; at most 500 are allowed"
    );
    assert!(parse("f.yaml", &events(1_000)).is_ok());
    assert_eq!(
        only_message(&events(1_001)),
        "`source_events` has 1001 event types; at most 1000 are allowed"
    );
}

#[test]
fn a_file_has_at_most_four_mebibytes() {
    let mut text = projections(1);
    text.push_str(&"#".repeat(MAX_FILE_BYTES - text.len()));
    assert!(parse("f.yaml", &text).is_ok());
    text.push('#');
    assert_eq!(
        only_message(&text),
        "the file has 4194305 bytes; at most 4194304 are read"
    );
}

#[test]
fn nesting_is_refused_at_the_same_depth_in_every_style() {
    let texts = [
        format!("projections: {}", "[".repeat(100_000)),
        format!("projections: {}", "{a: ".repeat(100_000)),
        format!("projections:\n{}", "- ".repeat(100_000)),
        format!("projections:\n{}", "? ".repeat(100_000)),
        (0..70).fold(String::new(), |text, depth| {
            format!("{text}{}a:\n", " ".repeat(depth))
        }),
    ];
    for text in &texts {
        assert_eq!(
            only_message(text),
            "lists and mappings are nested deeper than 64 levels here"
        );
    }
}

#[test]
fn names_have_63_bytes_and_tables_keep_out_of_reserved_ground() {
    let named = |projection: &str, table: &str, column: &str| {
        format!(
            "projections:\n  {projection}:\n    source_events: [E]\n    target: {{ table: {table}, primary_key: [{column}] }}\n    \
             fields: {{ {column}: TEXT }}\n    derive: {{ {column}: event.entityId }}\n    mutations: {{ E: {{ op: upsert }} }}\n"
        )
    };
    let longest = "n".repeat(63);
    assert!(parse("f.yaml", &named(&longest, &longest, &longest)).is_ok());
    for reserved_word in ["order", "user", "select", "table", "group"] {
        assert!(
            parse(
                "f.yaml",
                &named(reserved_word, reserved_word, reserved_word)
            )
            .is_ok()
        );
    }
    let longer = "é".repeat(32);
    for text in [
        named(&longer, "t", "c"),
        named("p", &longer, "c"),
        named("p", "t", &longer),
        named("p", "PROJECTIONIST_x", "c"),
        named("p", "sqlite_x", "c"),
        named("p", "a__b", "c"),
        named("p", "\"a\\0b\"", "c"),
        named("p", "\"\"", "c"),
        named("\"p\\n\"", "t", "c"),
    ] {
        only_message(&text);
    }
    // The prefix has to be whole.
    assert!(parse("f.yaml", &named("p", "projectionists", "c")).is_ok());
}

#[test]
fn thousands_of_faults_are_counted_and_not_all_kept() {
    let mut text = "projections:\n".to_owned();
    for number in 0..900 {
        writeln!(text, "  p{number}: {{ a: 1, b: 2 }}").unwrap();
    }
    let faults = parse("f.yaml", &text).unwrap_err();
    assert_eq!(faults.as_slice().len(), Faults::MOST);
    assert!(faults.omitted() > 0);
    let rendered = faults.render("f.yaml", &text);
    assert!(rendered.ends_with(&format!("and {} more faults\n", faults.omitted())));
}

#[test]
fn a_long_line_is_shown_in_part() {
    let text = format!("{{\"projections\": {{}}, {}\"x\": 1}}", " ".repeat(100_000));
    let faults = parse("f.json", &text).unwrap_err();
    assert!(faults.render("f.json", &text).len() < 2_000);
}

/// A projection with so many columns beside `id`, and the rest of its `target`.
fn with_target(columns: usize, target: &str) -> String {
    let fields: String = (0..columns)
        .map(|number| format!(", c{number}: TEXT"))
        .collect();
    format!(
        "projections:\n  p:\n    source_events: [E]\n    target: {{ table: t, {target} }}\n    \
         fields: {{ id: TEXT{fields} }}\n    derive: {{ id: event.entityId }}\n    \
         mutations: {{ E: {{ op: ignore }} }}\n"
    )
}

/// The first so many of these columns.
fn first(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|number| format!("c{number}")).collect();
    names.join(", ")
}

#[test]
fn indexes_and_their_columns_are_counted() {
    let indexes = |count: usize| {
        let each: Vec<String> = (0..count).map(|number| format!("[c{number}]")).collect();
        format!("primary_key: [id], indexes: [{}]", each.join(", "))
    };
    assert!(parse("f.yaml", &with_target(33, &indexes(32))).is_ok());
    assert_eq!(
        only_message(&with_target(33, &indexes(33))),
        "`indexes` has 33 indexes; at most 32 are allowed"
    );
    let index = |count| format!("primary_key: [id], indexes: [[{}]]", first(count));
    assert!(parse("f.yaml", &with_target(33, &index(32))).is_ok());
    assert_eq!(
        only_message(&with_target(33, &index(33))),
        "an index has 33 columns; at most 32 are allowed"
    );
    let key = |count| format!("primary_key: [{}]", first(count));
    assert!(parse("f.yaml", &with_target(33, &key(32))).is_ok());
    assert_eq!(
        only_message(&with_target(33, &key(33))),
        "`primary_key` has 33 columns; at most 32 are allowed"
    );
}
