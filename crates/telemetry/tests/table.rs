//! What is emitted is in the table, what is in the table is emitted, and the guide shows it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Ledger, Series, at, lane, tell_everything};
use projectionist_core::Counters;
use projectionist_telemetry::{LaneActivity, LaneMetrics, METRICS, MetricKind};

/// The kind and the names of the labels, by the name of the metric.
type Shapes = BTreeMap<String, (&'static str, BTreeSet<String>)>;

fn emitted() -> Shapes {
    let ledger = Ledger::default();
    ledger.records(|| {
        let lane = lane("table", "all");
        let metrics = LaneMetrics::new(&lane);
        metrics.committed(&Counters::ZERO, at(1));
        metrics.lag(Some(1), Some(1.0));
        metrics.state(LaneActivity::Running);
        tell_everything(&lane, "an event");
    });
    let mut shapes = Shapes::new();
    let mut add = |(name, labels): Series, kind| {
        let shape = (kind, labels.into_keys().collect());
        let first = shapes.entry(name.clone()).or_insert_with(|| shape.clone());
        assert_eq!(*first, shape, "{name} has two shapes");
    };
    for series in ledger.counters().into_keys() {
        add(series, "counter");
    }
    for series in ledger.gauges().into_keys() {
        add(series, "gauge");
    }
    shapes
}

#[test]
fn the_table_has_what_is_emitted_and_nothing_else() {
    let mut table = Shapes::new();
    for metric in METRICS {
        let labels = metric.labels.iter().map(|label| (*label).to_owned());
        let shape = (metric.kind.name(), labels.collect());
        let earlier = table.insert(metric.name.to_owned(), shape);
        assert_eq!(earlier, None, "{} stands twice", metric.name);
    }
    assert_eq!(table, emitted());
}

#[test]
fn names_follow_the_conventions_of_prometheus() {
    for metric in METRICS {
        let name = metric.name;
        assert!(name.starts_with("persistence_projection_"), "{name}");
        let is_counter = metric.kind == MetricKind::Counter;
        assert_eq!(name.ends_with("_total"), is_counter, "{name}");
        let in_seconds = metric.unit.name().ends_with("seconds");
        assert_eq!(name.ends_with("_seconds"), in_seconds, "{name}");
    }
}

#[test]
fn the_label_values_that_the_table_names_are_those_that_are_emitted() {
    let ledger = Ledger::default();
    let _kept = ledger.records(|| LaneMetrics::new(&lane("values", "all")));
    let series = ledger
        .counters()
        .into_keys()
        .chain(ledger.gauges().into_keys());
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, mut labels) in series {
        for label in ["outcome", "state"] {
            if let Some(value) = labels.remove(label) {
                values.entry(name.clone()).or_default().insert(value);
            }
        }
    }
    assert_eq!(values.len(), 4, "{values:?}");
    for (name, values) in values {
        let metric = METRICS.iter().find(|metric| metric.name == name).unwrap();
        let words = metric.meaning.split([' ', ',', '.', ':', ';']);
        let words: BTreeSet<&str> = words.collect();
        for value in values {
            assert!(
                words.contains(value.as_str()),
                "{name} tells nothing of {value}"
            );
        }
    }
}

#[test]
fn the_guide_shows_the_table() {
    let mut table = String::from(
        "| name | kind | unit | labels | meaning |\n| --- | --- | --- | --- | --- |\n",
    );
    for metric in METRICS {
        let labels = metric.labels.join("`, `");
        table.push_str(&format!(
            "| `{}` | {} | {} | `{labels}` | {} |\n",
            metric.name,
            metric.kind.name(),
            metric.unit.name(),
            metric.meaning,
        ));
    }
    let guide = include_str!("../../../docs/guides/metrics.md");
    let shown = guide
        .split_once("<!-- metrics -->\n")
        .and_then(|(_, rest)| rest.split_once("<!-- end of metrics -->"));
    let (shown, _) = shown.expect("the guide has both marks");
    assert!(
        shown == table,
        "docs/guides/metrics.md must hold this table:\n\n{table}"
    );
}

/// The metrics that a file asks for, each with labels that it has.
fn asked_in(file: &str) -> BTreeSet<String> {
    const BEGIN: &str = "persistence_projection_";
    let packaging = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging");
    let text = std::fs::read_to_string(format!("{packaging}/{file}")).unwrap();
    let mut asked = BTreeSet::new();
    for (at, _) in text.match_indices(BEGIN) {
        let is_of_name = |c: char| c.is_ascii_lowercase() || c == '_';
        let rest = &text[at..];
        let name = &rest[..rest.find(|c| !is_of_name(c)).unwrap()];
        let metric = METRICS.iter().find(|metric| metric.name == name);
        let metric = metric.unwrap_or_else(|| panic!("{file}: {name} is no metric"));
        asked.insert(name.to_owned());
        // Of the form {label="…",label=~"…"}, where there is one.
        let filter = rest[name.len()..].strip_prefix('{');
        let filter = filter.map_or("", |filter| &filter[..filter.find('}').unwrap()]);
        for label in filter.split(',').filter(|one| !one.is_empty()) {
            let label = label.split(['=', '~']).next().unwrap();
            assert!(
                metric.labels.contains(&label),
                "{file}: {name} has no {label}"
            );
        }
    }
    asked
}

#[test]
fn the_dashboard_of_grafana_shows_every_metric_and_alerts_watch_such_as_there_are() {
    let told: BTreeSet<String> = METRICS
        .iter()
        .map(|metric| metric.name.to_owned())
        .collect();
    assert_eq!(asked_in("grafana/projectionist.json"), told);
    assert!(asked_in("prometheus/alerts.yaml").len() > 5);
}
