//! What the tests share: a recorder that keeps every value under its name and labels.

#![allow(dead_code, unused_imports, reason = "no test file needs all of it")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers are parts of tests"
)]

mod occurrences;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use projectionist_core::{ProjectionId, Timestamp};

pub(crate) use occurrences::tell_everything;

/// A name and its labels, sorted by their names.
pub(crate) type Series = (String, BTreeMap<String, String>);

/// Keeps counters and gauges apart, each as a plain number.
#[derive(Default)]
pub(crate) struct Ledger {
    counters: Mutex<BTreeMap<Series, Arc<AtomicU64>>>,
    gauges: Mutex<BTreeMap<Series, Arc<AtomicU64>>>,
}

impl Ledger {
    /// Runs `body` with this ledger as the recorder of its thread.
    pub(crate) fn records<T>(&self, body: impl FnOnce() -> T) -> T {
        metrics::with_local_recorder(self, body)
    }

    pub(crate) fn counters(&self) -> BTreeMap<Series, u64> {
        let counters = self.counters.lock().unwrap();
        let value = |(series, value): (&Series, &Arc<AtomicU64>)| {
            (series.clone(), value.load(Ordering::SeqCst))
        };
        counters.iter().map(value).collect()
    }

    pub(crate) fn gauges(&self) -> BTreeMap<Series, f64> {
        let gauges = self.gauges.lock().unwrap();
        let value = |(series, value): (&Series, &Arc<AtomicU64>)| {
            (series.clone(), f64::from_bits(value.load(Ordering::SeqCst)))
        };
        gauges.iter().map(value).collect()
    }

    /// The value of the counter with this name and these labels.
    pub(crate) fn counter(&self, name: &str, labels: &[(&str, &str)]) -> Option<u64> {
        self.counters().get(&series(name, labels)).copied()
    }

    /// The value of the gauge with this name and these labels.
    pub(crate) fn gauge(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        self.gauges().get(&series(name, labels)).copied()
    }
}

pub(crate) fn series(name: &str, labels: &[(&str, &str)]) -> Series {
    let label = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    (name.to_owned(), labels.iter().map(label).collect())
}

fn cell(map: &Mutex<BTreeMap<Series, Arc<AtomicU64>>>, key: &Key) -> Arc<AtomicU64> {
    let labels: Vec<_> = key
        .labels()
        .map(|label| (label.key(), label.value()))
        .collect();
    let mut map = map.lock().unwrap();
    Arc::clone(map.entry(series(key.name(), &labels)).or_default())
}

impl Recorder for Ledger {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(cell(&self.counters, key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(cell(&self.gauges, key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        panic!("{} is a histogram; the table has none", key.name())
    }
}

pub(crate) fn lane(name: &str, key: &str) -> ProjectionId {
    ProjectionId::new(name, key).unwrap()
}

/// A moment of these Unix seconds.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_millis(seconds * 1_000)
}

/// An error that shows its cause only to `Debug`, as errors do that hold the event.
#[derive(Debug)]
pub(crate) struct HoldsEvent(pub(crate) &'static str);

impl std::fmt::Display for HoldsEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the event does not fit")
    }
}

impl std::error::Error for HoldsEvent {}
