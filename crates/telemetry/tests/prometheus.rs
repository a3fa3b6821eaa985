//! The text of the exporter, read back by a parser of its own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the parser is a part of tests"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Ledger, Series, at, lane, series, tell_everything};
use metrics::{Key, Label, Level, Metadata, Recorder};
use projectionist_core::{Counters, Error, ProjectionId};
use projectionist_telemetry::{
    ClaimGranted, Exporter, LaneActivity, LaneMetrics, METRICS, MetricKind,
};

const METADATA: Metadata<'static> = Metadata::new("test", Level::INFO, None);

/// What a scrape holds.
#[derive(Debug, Default)]
struct Scrape {
    help: BTreeMap<String, String>,
    types: BTreeMap<String, String>,
    values: BTreeMap<Series, f64>,
}

/// Reads the text as the format says: any character may stand in a label value, with the three
/// escapes `\\`, `\"` and `\n`, and a series stands once.
fn parse(text: &str) -> Scrape {
    let mut scrape = Scrape::default();
    for line in text.split('\n').filter(|line| !line.is_empty()) {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').unwrap();
            let earlier = scrape.help.insert(name.to_owned(), help.to_owned());
            assert_eq!(earlier, None, "{name} has two helps");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            let earlier = scrape.types.insert(name.to_owned(), kind.to_owned());
            assert_eq!(earlier, None, "{name} has two types");
        } else {
            let (series, value) = parse_sample(line);
            assert!(scrape.types.contains_key(&series.0), "no type above {line}");
            let earlier = scrape.values.insert(series, value);
            assert_eq!(earlier, None, "a series stands twice: {line}");
        }
    }
    scrape
}

fn parse_sample(line: &str) -> (Series, f64) {
    let name_end = line.find(['{', ' ']).unwrap();
    let (name, rest) = line.split_at(name_end);
    let mut labels = BTreeMap::new();
    let mut rest = rest.chars();
    if rest.as_str().starts_with('{') {
        rest.next();
        loop {
            let label: String = rest.by_ref().take_while(|c| *c != '=').collect();
            assert_eq!(rest.next(), Some('"'), "{line}");
            assert_eq!(labels.insert(label, parse_value(&mut rest)), None, "{line}");
            match rest.next() {
                Some(',') => {}
                Some('}') => break,
                other => panic!("{other:?} behind a label of {line}"),
            }
        }
    }
    let value = rest.as_str().strip_prefix(' ').unwrap().parse().unwrap();
    ((name.to_owned(), labels), value)
}

/// Reads a label value up to its closing quote.
fn parse_value(rest: &mut std::str::Chars<'_>) -> String {
    let mut value = String::new();
    loop {
        match rest.next().unwrap() {
            '"' => return value,
            '\\' => value.push(match rest.next().unwrap() {
                'n' => '\n',
                escaped @ ('\\' | '"') => escaped,
                other => panic!("\\{other} is no escape"),
            }),
            plain => value.push(plain),
        }
    }
}

/// Everything that a lane can tell.
fn run(lane: &ProjectionId, factor: u64) -> LaneMetrics {
    let metrics = LaneMetrics::new(lane);
    metrics.claimed(&Counters {
        parked_total: 2 * factor,
        ..Counters::ZERO
    });
    let counts = [10, 1, 2, 3, 4, 5, 6, 7, 9, 8, 11, 12].map(|count| count * factor);
    metrics.committed(&Counters::from_values(counts), at(1_234_567_890));
    metrics.parked_keys(3);
    metrics.lag(Some(factor), Some(0.25));
    metrics.state(LaneActivity::Running);
    tell_everything(lane, "an event");
    metrics
}

const HOSTILE: [&str; 9] = [
    "plain",
    r#"the "best" orders"#,
    r"a\b",
    r"a\\b",
    r#"ends with \"#,
    r#"a\"b"#,
    r#"a"b"#,
    r#"{key="x"} 1 # HELP \n"#,
    "заказы 注文 🧾 e\u{301} \u{2028} \u{feff}",
];

#[test]
fn the_text_says_what_was_emitted() {
    let ids: Vec<ProjectionId> = HOSTILE.iter().map(|part| lane(part, part)).collect();
    let (exporter, recorder) = Exporter::detached();
    let ledger = Ledger::default();
    let mut kept = Vec::new();
    for (id, factor) in ids.iter().zip(1..) {
        kept.push(metrics::with_local_recorder(&recorder, || run(id, factor)));
        kept.push(ledger.records(|| run(id, factor)));
    }
    let mut expected = ledger.gauges();
    expected.extend(
        ledger
            .counters()
            .into_iter()
            .map(|(series, value)| (series, value as f64)),
    );
    let scrape = parse(&exporter.render());
    assert_eq!(scrape.values, expected);
    // The ledger is trusted no further than this.
    let labels = [
        ("projection", r"a\\b"),
        ("key", r"a\\b"),
        ("outcome", "stale"),
    ];
    let stale = series("persistence_projection_events_total", &labels);
    assert_eq!(scrape.values.get(&stale), Some(&(5.0 * 4.0)));

    drop(kept);
    let ended = parse(&exporter.render());
    for (series, value) in &ended.values {
        let gauge = ended.types.get(&series.0).unwrap() == "gauge";
        let stays = series.0.ends_with("_timestamp_seconds");
        assert!(!gauge || stays || *value == 0.0, "{series:?} is {value}");
    }
}

#[test]
fn help_and_type_come_from_the_table() {
    let (exporter, recorder) = Exporter::detached();
    let kept = metrics::with_local_recorder(&recorder, || run(&lane("orders", "all"), 1));
    let scrape = parse(&exporter.render());
    drop(kept);
    let text = |text: &str| text.to_owned();
    let help: BTreeMap<_, _> = METRICS
        .iter()
        .map(|m| (text(m.name), text(m.meaning)))
        .collect();
    assert_eq!(scrape.help, help);
    let kind = |kind| match kind {
        MetricKind::Counter => text("counter"),
        MetricKind::Gauge => text("gauge"),
    };
    let types: BTreeMap<_, _> = METRICS
        .iter()
        .map(|m| (text(m.name), kind(m.kind)))
        .collect();
    assert_eq!(scrape.types, types);
}

#[test]
fn every_short_label_value_comes_back_and_stays_itself() {
    let (exporter, recorder) = Exporter::detached();
    let mut emitted = BTreeSet::from([String::new()]);
    for _ in 0..4 {
        for value in emitted.clone() {
            emitted.extend(['\\', '"', '\n', 'n', 'é'].map(|next| format!("{value}{next}")));
        }
    }
    assert_eq!(emitted.len(), 1 + 5 + 25 + 125 + 625);
    for value in &emitted {
        let key = Key::from_parts("hostile_total", vec![Label::new("key", value.clone())]);
        recorder.register_counter(&key, &METADATA).increment(1);
        let key = Key::from_parts("hostile", vec![Label::new("key", value.clone())]);
        recorder.register_gauge(&key, &METADATA).set(1.0);
    }
    let values = parse(&exporter.render()).values;
    for name in ["hostile_total", "hostile"] {
        let of_name = values.keys().filter(|series| series.0 == name);
        let read: BTreeSet<String> = of_name.map(|(_, labels)| labels["key"].clone()).collect();
        assert_eq!(read, emitted, "{name}");
    }
    assert!(values.values().all(|value| *value == 1.0));
}

#[test]
fn gauges_of_any_value_can_be_read() {
    let (exporter, recorder) = Exporter::detached();
    let numbers = [
        0.1,
        -2.5,
        1e300,
        1e-300,
        f64::INFINITY,
        9_007_199_254_740_992.0,
    ];
    for (number, name) in numbers.into_iter().zip(["a", "b", "c", "d", "e", "f"]) {
        recorder
            .register_gauge(&Key::from_name(name), &METADATA)
            .set(number);
    }
    recorder
        .register_gauge(&Key::from_name("nan"), &METADATA)
        .set(f64::NAN);
    let mut values = parse(&exporter.render()).values;
    assert!(values.remove(&series("nan", &[])).unwrap().is_nan());
    assert_eq!(values.into_values().collect::<Vec<_>>(), numbers);
}

#[test]
fn a_process_has_one_exporter() {
    let exporter = Exporter::install().unwrap();
    let lane = lane("global", "all");
    // Another thread: nothing of this one's is meant.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (0..3).for_each(|_| {
                ClaimGranted {
                    lane: &lane,
                    epoch: projectionist_core::Epoch(1),
                }
                .emit()
            })
        });
    });
    let labels = [("projection", "global"), ("key", "all")];
    let granted = series("persistence_projection_claims_granted_total", &labels);
    assert_eq!(parse(&exporter.render()).values.get(&granted), Some(&3.0));
    let again = Exporter::install().unwrap_err();
    assert!(matches!(again, Error::Configuration { .. }), "{again}");
}
