//! Questions that cannot be answered say what is known.

use serde_json::json;

use crate::stand::{Stand, event};

const FILE: &str = r#"
projections:
  lines:
    source_events: [SET]
    target: { table: order_lines, primary_key: [sku, number] }
    fields: { sku: TEXT, number: INT, note: TEXT }
    derive: { sku: event.entityId, number: event.number, note: event.note }
    mutations: { SET: { op: upsert } }
"#;

#[test]
fn a_question_that_names_nothing_is_told_what_there_is() {
    let stand = Stand::after(FILE, &[event("SET", "a", 1, json!({ "number": 1 }))]);
    let tampered_key = ["explain", "order_lines", "a", "one"];
    for (arguments, parts) in [
        (
            &["explain", "order_line", "a", "1"][..],
            &["`order_line`", "did you mean `order_lines`"][..],
        ),
        (
            &["explain", "lines", "a", "1"],
            &["the table of projection lines is `order_lines`"],
        ),
        (
            &["explain", "order_lines", "a"],
            &["sku, number", "2 value(s) are needed, 1 were given"],
        ),
        (&["explain", "order_lines", "number=1"], &["1 were given"]),
        (&tampered_key, &["`one`", "key column number"]),
        (
            &["explain", "order_lines", "a", "1", "--tenant", "No Name"],
            &["No Name"],
        ),
        (
            &["audit", "line"],
            &["no projection `line`", "did you mean `lines`"],
        ),
        (
            &["audit", "order_lines"],
            &["no projection `order_lines`", "it has lines"],
        ),
        (&["audit", "lines", "--tenant", "No Name"], &["No Name"]),
    ] {
        let ended = stand.ended(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{ended:?}");
        for part in parts {
            assert!(ended.stderr.contains(part), "{part}: {ended:?}");
        }
    }
}

#[test]
fn a_key_that_no_event_is_about_is_told_so() {
    let stand = Stand::after(FILE, &[event("SET", "a", 1, json!({ "number": 1 }))]);
    let ended = stand.ended(&["explain", "order_lines", "b", "1"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let told = "no event is about a row with this key, and there is none in the table\n";
    assert!(ended.stdout.ends_with(told), "{ended:?}");
}

#[test]
fn a_table_of_another_shape_is_refused() {
    let stand = Stand::after(FILE, &[event("SET", "a", 1, json!({ "number": 1 }))]);
    let connection = rusqlite::Connection::open(stand.place.views()).unwrap();
    connection
        .execute_batch("ALTER TABLE order_lines DROP COLUMN note")
        .unwrap();
    for arguments in [
        &["explain", "order_lines", "a", "1"][..],
        &["audit", "lines"],
    ] {
        let ended = stand.ended(arguments);
        assert_eq!(ended.code, 4, "{ended:?}");
        assert!(ended.stderr.contains("note"), "{ended:?}");
    }
}

#[test]
fn a_table_that_is_gone_lacks_all_its_rows() {
    let stand = Stand::after(FILE, &[event("SET", "a", 1, json!({ "number": 1 }))]);
    let connection = rusqlite::Connection::open(stand.place.views()).unwrap();
    connection.execute_batch("DROP TABLE order_lines").unwrap();
    let found = stand.audit(&["lines"], 1);
    assert_eq!(found["tables"][0]["missing"], 1);
    let story = stand.explain(&["order_lines", "a", "1"], false);
    assert_eq!(story["row"]["table"], json!(null));
}
