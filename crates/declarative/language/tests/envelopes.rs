//! The forms of an envelope: what each becomes, and what is warned of. What is refused stands in
//! `faults/`.
#![expect(clippy::unwrap_used, reason = "the helpers are parts of tests")]

use projectionist_language::model::{Envelope, EnvelopePlaces, Step};
use projectionist_language::{inspect, parse};

fn file(envelope: &str, events: &str) -> String {
    let first = events.split(',').next().unwrap_or_default();
    let mutations: Vec<String> = events
        .split(',')
        .map(|event| format!("{event}: {{ op: upsert }}"))
        .collect();
    assert!(!first.is_empty());
    format!(
        "{envelope}
projections:
  rows:
    source_events: [{events}]
    target: {{ table: rows, primary_key: [id] }}
    fields: {{ id: TEXT }}
    derive: {{ id: event.entityId }}
    mutations: {{ {} }}
",
        mutations.join(", ")
    )
}

fn envelope(text: &str) -> Envelope {
    parse("f.yaml", &file(text, "a.read")).unwrap().envelope
}

fn keys(names: &[&str]) -> Vec<Step> {
    names.iter().map(|name| Step::Key((*name).into())).collect()
}

#[test]
fn presets_have_a_name() {
    assert_eq!(envelope(""), Envelope::Causet);
    assert_eq!(envelope("envelope: causet"), Envelope::Causet);
    assert_eq!(envelope("envelope: cloudevents"), Envelope::CloudEvents);
    let key = vec!["id".into(), "a b".into()];
    assert_eq!(
        envelope("envelope: { debezium: { key: [id, a b] } }"),
        Envelope::Debezium { key }
    );
}

#[test]
fn a_mapping_names_places() {
    let whole = r#"envelope:
  type: $.kind
  entity: "$.who['a b'][0]"
  sequence: $.seq
  ts: $["at"]
  tenant: $.org
  fork: $.fork
  payload: $.data"#;
    let mut entity = keys(&["who", "a b"]);
    entity.push(Step::Index(0));
    let places = EnvelopePlaces {
        event_type: keys(&["kind"]),
        entity,
        sequence: Some(keys(&["seq"])),
        ts: Some(keys(&["at"])),
        tenant: Some(keys(&["org"])),
        fork: Some(keys(&["fork"])),
        payload: Some(keys(&["data"])),
    };
    assert_eq!(envelope(whole), Envelope::Places(places));
    let least = EnvelopePlaces {
        event_type: keys(&["kind"]),
        entity: keys(&["id"]),
        sequence: None,
        ts: None,
        tenant: None,
        fork: None,
        payload: None,
    };
    for text in [
        "envelope: { type: $.kind, entity: $.id }",
        "envelope: { type: $.kind, entity: $.id, payload: $ }",
    ] {
        assert_eq!(envelope(text), Envelope::Places(least.clone()));
    }
}

#[test]
fn rows_of_a_snapshot_that_nobody_reads_are_warned_of() {
    let debezium = "envelope: { debezium: { key: [id] } }";
    let warned = |text: &str| {
        let inspection = inspect("f.yaml", text);
        assert!(inspection.outcome.is_ok());
        inspection.warnings
    };
    let warnings = warned(&file(debezium, "t.create,t.update"));
    assert_eq!(warnings.len(), 1);
    assert_eq!(
        warnings[0].message,
        "`t.create` is read and `t.read` is not"
    );
    assert_eq!(warned(&file(debezium, "t.create,t.read")), []);
    assert_eq!(warned(&file("envelope: causet", "t.create")), []);
}
