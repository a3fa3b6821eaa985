//! What a projection tells the outside: metrics, log lines, dead letters, lag.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers included"
)]

#[path = "engine/common/mod.rs"]
mod common;

use std::io::{Result as IoResult, Write};
use std::sync::{Arc, Mutex};

use common::grouped::letters_of;
use common::modes::{Guarantee, settings, spawn};
use common::{SteeredStore, millis, numbers, secs};
use projectionist_core::contract::DeadLetterStore;
use projectionist_engine::{FailurePolicy, Recovery, RetryDelay, Settings};
use projectionist_telemetry::Exporter;
use projectionist_testkit::{Recorder, TestSource, pass};
use tracing_subscriber::fmt::MakeWriter;

/// Keeps the lines that are logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Lines {
    fn of_level(&self, level: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().filter(|line| line.contains(level));
        lines.map(ToOwned::to_owned).collect()
    }
}

/// The value of a metric of the projection under test, with these further labels.
fn value(exporter: &Exporter, name: &str, label: &str) -> Option<f64> {
    let text = exporter.render();
    let mut lines = text
        .lines()
        .filter(|line| line.split(['{', ' ']).next() == Some(name) && line.contains(label));
    lines.next()?.rsplit(' ').next()?.parse().ok()
}

/// Five retries a minute apart, then a dead letter; a handler has five seconds.
fn patient(recorder: &Recorder<u64>) -> Settings {
    let settings = settings(recorder);
    let (retries, delay) = (5, RetryDelay::Fixed(secs(60)));
    let failures = FailurePolicy {
        recovery: Recovery::RetryAndSkip { retries, delay },
        ..settings.failures
    };
    Settings {
        failures,
        dead_letters: true,
        handler_timeout: Some(secs(5)),
        ..settings
    }
}

/// Datum's row 17, and seed 002 on what a failure produces: one error line when a streak opens and
/// one when it ends, the attempts between at debug, and metrics that say so.
#[tokio::test(start_paused = true)]
async fn a_streak_of_failures_shows_in_metrics_in_two_lines_and_in_a_letter() {
    let exporter = Exporter::install().unwrap();
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(lines.clone())
        .finish();
    let _logging = tracing_subscriber::util::SubscriberInitExt::set_default(subscriber);
    let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, usize::MAX);
    recorder.hold_at(2);
    let settings = patient(&recorder);
    let running = spawn(
        Guarantee::AtLeastOnce,
        &source,
        &store,
        &recorder,
        &settings,
    );
    recorder.has_called("observer.error 2#", 1).await;
    recorder.release(2);
    recorder.has_called("observer.error 4#", 3).await;
    pass(millis(1)).await;
    let metric = |name: &str| {
        value(
            &exporter,
            &format!("persistence_projection_{name}"),
            "orders",
        )
    };
    assert_eq!(metric("handler_timeouts_total"), Some(1.0));
    assert_eq!(metric("failures_total"), Some(4.0));
    assert_eq!(metric("stalled"), Some(1.0));
    running.report().await.unwrap();
    assert_eq!(metric("lag_events"), Some(4.0), "nothing is stored yet");
    recorder.has_called("observer.error 4#", 6).await;
    pass(millis(1)).await;
    assert_eq!(metric("stalled"), Some(0.0));
    assert_eq!(metric("events_skipped_total"), Some(1.0));
    running.stop_and_wait().await.unwrap();
    let outcome = |outcome: &str| {
        let label = format!("outcome=\"{outcome}\"");
        value(&exporter, "persistence_projection_events_total", &label)
    };
    let settled = (outcome("applied"), outcome("dead_lettered"));
    assert_eq!(settled, (Some(3.0), Some(1.0)));
    let letters = store
        .inner
        .dead_letters(&letters_of("orders"))
        .await
        .unwrap();
    assert_eq!((letters.len(), letters[0].letter.attempts), (1, 6));
    // Two streaks: the time-out at 2, and the failures at 4.
    assert_eq!(
        lines.of_level("ERROR").len(),
        2,
        "{:?}",
        lines.of_level("ERROR")
    );
    let goes_on = lines.of_level("goes on after failures");
    assert_eq!(goes_on.len(), 2, "{goes_on:?}");
}
