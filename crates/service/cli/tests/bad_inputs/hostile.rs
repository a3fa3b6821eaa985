//! Inputs that want to be executed.

use serde_json::json;

use crate::common::Place;

use super::cases::{Becomes, Case};
use super::{assert_neighbours, assert_nothing_was_executed, good, place_of};

fn of_tenant(tenant: &str) -> Vec<u8> {
    let event = json!({
        "eventType": "SEEN",
        "entityId": "bad",
        "sequenceNumber": 1,
        "tenantSchema": tenant,
        "payload": { "id": "bad" },
    });
    event.to_string().into_bytes()
}

/// Names of tenants that are no names.
pub(crate) fn tenants() -> Vec<Case> {
    let long = "a".repeat(64);
    let refused: [(&'static str, &str, &'static [&'static str]); 17] = [
        ("a tenant with a quote", "a\"b", &["lower-case letters"]),
        ("a tenant that is a path", "../x", &["lower-case letters"]),
        ("a tenant of PostgreSQL", "pg_x", &["reserved"]),
        (
            "the tenant information_schema",
            "information_schema",
            &["reserved"],
        ),
        ("a tenant with the separator", "a__b", &["two underscores"]),
        ("a tenant of SQLite", "sqlite_x", &["reserved"]),
        ("a tenant named sqlite", "sqlite", &["reserved"]),
        ("a tenant of ours", "projectionist_lanes", &["reserved"]),
        ("a tenant named as we are", "projectionist", &["reserved"]),
        ("a tenant that is too long", &long, &["63 bytes"]),
        ("a tenant with a capital", "Acme", &["lower-case letters"]),
        (
            "a tenant with a digit in front",
            "1a",
            &["lower-case letters"],
        ),
        ("a tenant that is blank", " ", &["lower-case letters"]),
        ("a tenant with a line end", "a\nb", &["lower-case letters"]),
        (
            "a tenant that ends a statement",
            "x; DROP TABLE precious",
            &["lower-case letters"],
        ),
        ("a tenant with a hyphen", "a-b", &["lower-case letters"]),
        ("a tenant in another script", "ä", &["lower-case letters"]),
    ];
    let mut cases: Vec<Case> = refused
        .into_iter()
        .map(|(name, tenant, words)| Case {
            name,
            line: of_tenant(tenant),
            becomes: Becomes::Letter {
                class: "tenant",
                field: Some("tenantSchema"),
                words,
            },
        })
        .collect();
    cases.push(Case {
        name: "a tenant with a NUL",
        line: of_tenant("a\0b"),
        becomes: Becomes::Letter {
            class: "envelope",
            field: None,
            words: &["tenantSchema", "U+0000"],
        },
    });
    cases
}

const SQL: &str = r#"'; DROP TABLE precious; -- "); DROP TABLE "things"; /*"#;

/// Events whose texts are statements; all are applied as what they are.
pub(crate) fn statements() -> Vec<Case> {
    let event = json!({
        "eventType": "SEEN",
        "entityId": SQL,
        "forkId": SQL,
        "irVersion": SQL,
        "sequenceNumber": 1,
        SQL: SQL,
        "payload": { "id": SQL, "name": SQL, SQL: SQL, "raw": { SQL: [SQL] } },
    });
    let raw = json!({ SQL: [SQL] }).to_string();
    vec![Case {
        name: "statements in every text",
        line: event.to_string().into(),
        becomes: Becomes::Row {
            row: json!({ "id": SQL, "name": SQL, "raw": raw }),
        },
    }]
}

#[test]
fn a_statement_as_a_type_or_a_tenant_is_no_statement() {
    let lines = [
        json!({ "eventType": SQL, "entityId": "e", "sequenceNumber": 1, "payload": {} }),
        json!({ "eventType": "SEEN", "entityId": "e", "sequenceNumber": 1, "tenantSchema": SQL, "payload": { "id": "e" } }),
    ]
    .map(|event| event.to_string().into_bytes());
    let place = place_of(&[&good("before"), &lines[0], &lines[1], &good("after")]);
    let summary = place.run_once(&[]);
    let counts = &summary["projections"]["things"];
    assert_eq!(
        (&counts["unmatched"], &counts["dead_lettered"]),
        (&json!(1), &json!(1))
    );
    let client = place.client();
    assert_neighbours(&client, "statements");
    assert_nothing_was_executed(&client);
}

/// Its name would be ambiguous. Who sends events must not be able to stop a projection by that.
#[test]
fn a_table_that_begins_with_an_underscore_has_no_tenants() {
    let projections = super::PROJECTIONS.replace("table: things", "table: _things");
    let lines = [good("before"), of_tenant("acme"), good("after")];
    let place = Place::with_events(&projections, lines.join(&b'\n'));
    let counts = &place.run_once(&[])["projections"]["things"];
    assert_eq!(
        (&counts["applied"], &counts["dead_lettered"]),
        (&json!(2), &json!(1))
    );
    let client = place.client();
    assert_eq!(client.rows("_things").len(), 2);
    let letter = &client.letters()[0];
    assert_eq!(letter.class, "tenant");
    assert!(letter.error.contains("begins with `_`"), "{letter:?}");
}

/// A sum that overflows depends on what was added before: the events before it and behind it
/// count, it does not, however they are batched.
#[test]
fn a_sum_that_overflows_is_refused_alone() {
    let counted = |number: i64, count: i64| {
        let event = json!({
            "eventType": "COUNTED",
            "entityId": "e",
            "sequenceNumber": number,
            "payload": { "id": "e", "count": count, "price": 0 },
        });
        event.to_string().into_bytes()
    };
    let lines = [
        good("before"),
        counted(1, i64::MAX - 1),
        counted(2, 2),
        counted(3, 1),
        counted(4, 1),
        counted(5, -5),
        good("after"),
    ];
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    for max_batch in ["20000", "1", "2", "3"] {
        let place = place_of(&lines);
        let summary = place.run_once(&["--max-batch", max_batch]);
        assert_eq!(summary["projections"]["things"]["dead_lettered"], 2);
        let client = place.client();
        assert_neighbours(&client, max_batch);
        let rows = client.rows("things");
        let row = rows.iter().find(|row| row["id"] == "e").unwrap();
        assert_eq!(row["count"], i64::MAX - 5, "batches of {max_batch}");
        let letters = client.letters();
        let events: Vec<_> = letters
            .iter()
            .map(|letter| letter.event.as_slice())
            .collect();
        assert_eq!(events, [lines[2], lines[4]]);
        for letter in letters {
            assert_eq!(letter.class, "data");
            assert!(letter.error.contains("count"), "{letter:?}");
        }
    }
}
