//! What is written to the log: how many lines, at which level, and nothing of an event.
#![expect(clippy::unwrap_used, reason = "the capture is a part of tests")]

mod common;

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use common::{HoldsEvent, lane, tell_everything};
use projectionist_telemetry::FailureStreak;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// Stands in every event of these tests, and in no line.
const EVENT: &str = "card 4111-1111";

/// One line: its level, and all its fields as text.
type Line = (Level, String);

#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Vec<Line>>>);

impl<S: Subscriber> Layer<S> for Capture {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        let line = (*event.metadata().level(), text.0);
        self.0.lock().unwrap().push(line);
    }
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

fn lines_of(body: impl FnOnce()) -> Vec<Line> {
    let capture = Capture::default();
    let subscriber = tracing_subscriber::registry().with(capture.clone());
    tracing::subscriber::with_default(subscriber, body);
    let lines = capture.0.lock().unwrap();
    lines.clone()
}

fn at_level(lines: &[Line], level: Level) -> Vec<&str> {
    let of_level = lines.iter().filter(|line| line.0 == level);
    of_level.map(|line| line.1.as_str()).collect()
}

#[test]
fn a_streak_of_a_thousand_failures_is_told_twice() {
    let lines = lines_of(|| {
        let mut streak = FailureStreak::new(lane("log-streak", "all"));
        for attempt in 1..=1_000 {
            streak.failed("17", attempt, &HoldsEvent(EVENT));
        }
        streak.ended();
        streak.ended();
    });
    let [opened] = at_level(&lines, Level::ERROR)[..] else {
        panic!("one line opens the streak: {lines:?}");
    };
    assert!(opened.contains("projection=log-streak/all ") && opened.contains("offset=\"17\" "));
    let [ended] = at_level(&lines, Level::WARN)[..] else {
        panic!("one line ends the streak: {lines:?}");
    };
    assert!(ended.contains("projection=log-streak/all ") && ended.contains("attempts=1000 "));
    assert_eq!(at_level(&lines, Level::DEBUG).len(), 999);
    assert_eq!(lines.len(), 1_001);
    assert_eq!((lines[0].0, lines[1_000].0), (Level::ERROR, Level::WARN));
    assert!(lines.iter().all(|line| !line.1.contains(EVENT)));
}

#[test]
fn every_second_streak_is_told_again() {
    let lines = lines_of(|| {
        let mut streak = FailureStreak::new(lane("log-again", "all"));
        for _ in 0..3 {
            streak.failed("17", 1, &"no");
            streak.failed("17", 2, &"no");
            streak.ended();
        }
    });
    assert_eq!(at_level(&lines, Level::ERROR).len(), 3);
    assert_eq!(at_level(&lines, Level::WARN).len(), 3);
}

#[test]
fn a_streak_that_the_end_of_its_projection_cuts_off_has_no_line_of_success() {
    let lines = lines_of(|| {
        let mut streak = FailureStreak::new(lane("log-closed", "all"));
        streak.failed("17", 1, &"no");
        streak.closed();
    });
    assert_eq!(lines.len(), 1);
}

#[test]
fn every_line_names_its_lane_and_none_holds_an_event() {
    let lines = lines_of(|| tell_everything(&lane("log-all", "p-3"), EVENT));
    assert_eq!(lines.len(), 29);
    for (_, line) in &lines {
        assert!(line.contains("projection=log-all/p-3 "), "{line}");
        assert!(!line.contains(EVENT), "{line}");
    }
}

#[test]
fn lines_have_the_level_of_what_is_to_be_done_about_them() {
    let lines = lines_of(|| tell_everything(&lane("log-levels", "p-3"), EVENT));
    let level_of = |words: &str| {
        let found: Vec<Level> = lines
            .iter()
            .filter(|line| line.1.contains(words))
            .map(|line| line.0)
            .collect();
        assert!(!found.is_empty(), "no line says {words:?}");
        found
    };
    for (words, levels) in [
        ("parked; later envelopes of its key wait", vec![Level::WARN]),
        ("parked behind its key", vec![Level::DEBUG]),
        ("no envelope of the key is parked", vec![Level::INFO]),
        ("skipped, and not kept", vec![Level::WARN]),
        ("does not vouch for it", vec![Level::WARN]),
        ("the handler timed out", vec![Level::DEBUG]),
        ("message=paused", vec![Level::INFO]),
        ("message=resumed", vec![Level::INFO]),
        ("command carried out", vec![Level::INFO]),
        ("command refused", vec![Level::WARN]),
        ("lane lost", vec![Level::WARN]),
        ("the flow lost the context", vec![Level::ERROR]),
        ("of another run's envelope", vec![Level::ERROR]),
    ] {
        assert_eq!(level_of(words), levels, "{words}");
    }
}
