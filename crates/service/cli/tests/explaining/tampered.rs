//! Rows that somebody else has changed are found, and the event is named that tells it.

use serde_json::{Value, json};

use crate::stand::{Stand, event};

const FILE: &str = r#"
projections:
  accounts:
    source_events: [PAID, CLOSED]
    target: { table: accounts, primary_key: [id] }
    fields: { id: BIGINT, total: { type: "NUMERIC(12,2)", default: 0 }, paid: { type: INT, default: 0 } }
    derive: { id: event.entityId }
    mutations:
      PAID: { op: increment, by: { total: event.amount, paid: 1 } }
      CLOSED: { op: delete }
"#;

fn paid(entity: &str, number: i64, amount: &str) -> Value {
    event("PAID", entity, number, json!({ "amount": amount }))
}

/// Account 7 has 1.25 and then 4.75, account -3 has 2.00, account 9 was closed.
fn stand() -> Stand {
    let file = FILE.replace("id: event.entityId", "id: int(event.entityId)");
    let closed = event("CLOSED", "9", 2, json!({}));
    let events = [
        paid("7", 1, "1.25"),
        paid("-3", 1, "2"),
        paid("9", 1, "8"),
        paid("7", 2, "3.50"),
        closed,
    ];
    Stand::after(&file, &events)
}

/// The only row of the sample of an audit, and the sentences of the story that it points to.
fn both(stand: &Stand, key: &str) -> (Value, Vec<String>) {
    let found = stand.audit(&["accounts"], 1);
    let sample = found["tables"][0]["sample"].as_array().unwrap().clone();
    assert_eq!(sample.len(), 1, "{found:#}");
    let [row] = <[Value; 1]>::try_from(sample).unwrap();
    assert_eq!(row["key"], json!({ "id": key }));
    let story = stand.explain(&["accounts", key], false);
    assert_eq!(row["told"], story["told"]);
    let sentences = story["told"].as_array().unwrap().iter();
    let sentences = sentences.map(|told| told.as_str().unwrap().to_owned());
    (row, sentences.collect())
}

#[test]
fn nothing_is_found_where_nothing_was_changed() {
    let stand = stand();
    let found = stand.audit(&["accounts"], 0);
    assert_eq!(
        (&found["events"], &found["tables"][0]["rows"]),
        (&json!(5), &json!(2))
    );
    let text = stand.ended(&["audit", "accounts"]);
    assert_eq!((text.code, text.stderr.as_str()), (0, ""), "{text:?}");
    assert!(
        text.stdout
            .starts_with("accounts: 2 row(s) in 1 table(s) are as 5 event(s) make them"),
        "{text:?}"
    );
}

#[test]
fn a_value_that_was_changed_is_told_with_the_event_that_made_it() {
    let stand = stand();
    stand.tamper("UPDATE accounts SET total = '12.00' WHERE id = 7");
    let (row, sentences) = both(&stand, "7");
    assert_eq!(row["what"], "differing");
    let difference = &row["differences"][0];
    assert_eq!(
        (
            &difference["column"],
            &difference["table"],
            &difference["events"]
        ),
        (&json!("total"), &json!("12.00"), &json!("4.75"))
    );
    assert_eq!(
        (&difference["last_event"]["line"], &difference["made_by"]),
        (&json!(4), &json!(null))
    );
    let [sentence] = <[String; 1]>::try_from(sentences).unwrap();
    let begins = "`total` is 12.00 in the table; the event at line 4 (PAID, number 2, offset ";
    assert!(sentence.starts_with(begins), "{sentence}");
    assert!(
        sentence.ends_with(") made it 4.75; no event makes it 12.00"),
        "{sentence}"
    );
}

#[test]
fn a_value_of_an_earlier_event_names_that_one_too() {
    let stand = stand();
    stand.tamper("UPDATE accounts SET total = '1.25', paid = 1 WHERE id = 7");
    let (row, _) = both(&stand, "7");
    let columns = row["differences"].as_array().unwrap().iter();
    let columns: Vec<_> = columns
        .map(|one| {
            (
                &one["column"],
                &one["last_event"]["line"],
                &one["made_by"]["line"],
            )
        })
        .collect();
    let (four, one) = (json!(4), json!(1));
    assert_eq!(
        columns,
        [
            (&json!("total"), &four, &one),
            (&json!("paid"), &four, &one)
        ]
    );
}

#[test]
fn a_row_that_was_deleted_names_the_event_that_wrote_it() {
    let stand = stand();
    stand.tamper("DELETE FROM accounts WHERE id = -3");
    let (row, sentences) = both(&stand, "-3");
    assert_eq!(
        (&row["what"], &row["last_event"]["line"]),
        (&json!("missing"), &json!(2))
    );
    assert!(
        sentences[0].contains("the event at line 2 (PAID, number 1"),
        "{sentences:?}"
    );
    // A key that looks like an option is named.
    let command = row["explain"].as_str().unwrap();
    let target = stand.place.views().display().to_string();
    assert_eq!(
        command,
        format!("projectionist explain accounts 'id=-3' --store sqlite:{target}")
    );
    stand.explain(&["accounts", "id=-3"], false);
}

#[test]
fn a_row_that_nobody_made_is_told_so() {
    let stand = stand();
    stand.tamper("INSERT INTO accounts (id, total, paid) VALUES (55, '1.00', 1)");
    let (row, sentences) = both(&stand, "55");
    assert_eq!(
        (&row["what"], &row["last_event"]),
        (&json!("unexpected"), &json!(null))
    );
    assert_eq!(
        sentences,
        ["the row is in the table, and no event makes it"]
    );
}

#[test]
fn a_row_that_came_back_names_the_event_that_deleted_it() {
    let stand = stand();
    stand.tamper("INSERT INTO accounts (id, total, paid) VALUES (9, '8.00', 1)");
    let (row, sentences) = both(&stand, "9");
    assert_eq!(
        (&row["what"], &row["last_event"]["line"]),
        (&json!("unexpected"), &json!(5))
    );
    assert!(
        sentences[0].contains("line 3 (PAID, number 1"),
        "{sentences:?}"
    );
    assert!(
        sentences[0].contains("line 5 (CLOSED, number 2"),
        "{sentences:?}"
    );
}

#[test]
fn a_sample_is_limited_and_the_counts_are_not() {
    let stand = stand();
    stand.tamper("UPDATE accounts SET paid = 70 WHERE id = 7");
    stand.tamper("DELETE FROM accounts WHERE id = -3");
    stand.tamper("INSERT INTO accounts (id, total, paid) VALUES (1, '1.00', 1)");
    let found = stand.audit(&["accounts", "--sample", "1"], 3);
    let table = &found["tables"][0];
    assert_eq!(
        (
            &table["rows"],
            &table["missing"],
            &table["unexpected"],
            &table["differing"]
        ),
        (&json!(2), &json!(1), &json!(1), &json!(1))
    );
    let sample = table["sample"].as_array().unwrap();
    assert_eq!(
        (sample.len(), &sample[0]["key"]),
        (1, &json!({ "id": "-3" }))
    );
    let text = stand.ended(&["audit", "accounts", "--sample", "2"]);
    assert_eq!(text.code, 1);
    assert!(
        text.stdout
            .contains("1 more are not shown, --sample 3 shows all"),
        "{text:?}"
    );
    // Without a sample the source is read once, and the sum is the same.
    stand.audit(&["accounts", "--sample", "0"], 3);
}
