//! The metrics of a lane say what its commits did, and nothing once it has ended.

mod common;

use std::collections::BTreeMap;

use common::{Ledger, at, lane, series};
use projectionist_core::{COUNTER_NAMES, Counters};
use projectionist_telemetry::{FailureStreak, LaneActivity, LaneMetrics};

const LANE: [(&str, &str); 2] = [("projection", "orders"), ("key", "p-3")];

/// The name and the outcome under which a counter of the core is shown.
fn shown_as(counter: &str) -> (&'static str, Option<&str>) {
    match counter {
        "read" => ("persistence_projection_events_read_total", None),
        "parked_total" => ("persistence_projection_events_parked_total", None),
        "unparked_total" => ("persistence_projection_events_unparked_total", None),
        "folded" => ("persistence_projection_events_folded_total", None),
        "malformed" => ("persistence_projection_records_malformed_total", None),
        outcome => ("persistence_projection_events_total", Some(outcome)),
    }
}

#[test]
fn counters_are_the_sum_of_the_commits() {
    let ledger = Ledger::default();
    let metrics = ledger.records(|| LaneMetrics::new(&lane("orders", "p-3")));
    let mut sum = Counters::ZERO;
    for commit in 1..=50_u64 {
        let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        let delta = Counters::from_values(primes.map(|prime| prime * commit));
        sum.add(&delta);
        let time = at(1_000 + i64::try_from(commit).unwrap());
        ledger.records(|| metrics.committed(&delta, time));
    }

    let mut expected = BTreeMap::new();
    for (counter, value) in COUNTER_NAMES.into_iter().zip(sum.values()) {
        let (name, outcome) = shown_as(counter);
        let labels = LANE
            .into_iter()
            .chain(outcome.map(|outcome| ("outcome", outcome)));
        expected.insert(series(name, &labels.collect::<Vec<_>>()), value);
    }
    expected.insert(series("persistence_projection_commits_total", &LANE), 50);
    let mut counters = ledger.counters();
    counters.retain(|_, value| *value > 0);
    assert_eq!(counters, expected);
    let last = ledger.gauge(
        "persistence_projection_last_commit_timestamp_seconds",
        &LANE,
    );
    assert_eq!(last, Some(1_050.0));
}

#[test]
fn settled_events_are_what_is_read_but_not_parked_or_pending() {
    let ledger = Ledger::default();
    let metrics = ledger.records(|| LaneMetrics::new(&lane("orders", "p-3")));
    let delta = Counters::from_values([90, 2, 3, 5, 7, 11, 13, 17, 9, 4, 1, 6]);
    metrics.committed(&delta, at(1));
    let counters = ledger.counters().into_iter();
    let outcomes = counters.filter(|((name, _), _)| name == "persistence_projection_events_total");
    let settled: u64 = outcomes.map(|(_, value)| value).sum();
    assert_eq!(settled, 90 - delta.parked() - delta.pending());
}

#[test]
fn parked_events_go_on_from_what_is_stored() {
    let ledger = Ledger::default();
    let metrics = ledger.records(|| LaneMetrics::new(&lane("orders", "p-3")));
    let parked = || {
        ledger
            .gauge("persistence_projection_parked_events", &LANE)
            .unwrap()
    };
    let stored = Counters {
        parked_total: 9,
        unparked_total: 4,
        ..Counters::ZERO
    };
    metrics.claimed(&stored);
    assert_eq!(parked(), 5.0);
    let delta = Counters {
        parked_total: 1,
        unparked_total: 3,
        ..Counters::ZERO
    };
    metrics.committed(&delta, at(1));
    assert_eq!(parked(), 3.0);
    metrics.released();
    assert_eq!(parked(), 0.0);
    metrics.claimed(&stored);
    assert_eq!(parked(), 5.0);
}

#[test]
fn a_lag_that_nobody_knows_has_no_value() {
    let ledger = Ledger::default();
    let metrics = ledger.records(|| LaneMetrics::new(&lane("orders", "p-3")));
    let lag = || {
        let lag = |unit| ledger.gauge(&format!("persistence_projection_lag_{unit}"), &LANE);
        (lag("events"), lag("seconds"))
    };
    ledger.records(|| metrics.lag(None, None));
    assert_eq!(lag(), (None, None));
    ledger.records(|| metrics.lag(None, Some(2.5)));
    assert_eq!(lag(), (None, Some(2.5)));
    ledger.records(|| metrics.lag(Some(7), None));
    let (events, seconds) = lag();
    assert!(events == Some(7.0) && seconds.unwrap().is_nan());
    metrics.released();
    assert_eq!(lag(), (Some(0.0), Some(0.0)));
}

#[test]
fn one_state_is_on_at_a_time() {
    let ledger = Ledger::default();
    let metrics = ledger.records(|| LaneMetrics::new(&lane("orders", "p-3")));
    for activity in LaneActivity::ALL {
        metrics.state(activity);
        for (other, name) in LaneActivity::ALL.into_iter().zip([
            "starting",
            "standing_by",
            "running",
            "blocked",
            "paused",
            "backing_off",
        ]) {
            let labels = [LANE[0], LANE[1], ("state", name)];
            let value = ledger.gauge("persistence_projection_state", &labels);
            let on = if other == activity { 1.0 } else { 0.0 };
            assert_eq!(value, Some(on), "{name} while {activity:?}");
        }
        let flag = |name| ledger.gauge(name, &LANE).unwrap() == 1.0;
        let standing_by = flag("persistence_projection_standing_by");
        assert_eq!(standing_by, activity == LaneActivity::StandingBy);
        assert_eq!(
            flag("persistence_projection_paused"),
            activity == LaneActivity::Paused
        );
    }
}

#[test]
fn an_ended_lane_leaves_every_gauge_at_zero_but_the_time_of_its_last_commit() {
    for last in LaneActivity::ALL {
        let ledger = Ledger::default();
        ledger.records(|| {
            let metrics = LaneMetrics::new(&lane("orders", "p-3"));
            metrics.claimed(&Counters {
                parked_total: 4,
                ..Counters::ZERO
            });
            metrics.parked_keys(2);
            metrics.lag(Some(5), Some(6.0));
            metrics.state(last);
            metrics.committed(
                &Counters {
                    read: 8,
                    ..Counters::ZERO
                },
                at(77),
            );
        });
        let mut gauges = ledger.gauges();
        let time = series(
            "persistence_projection_last_commit_timestamp_seconds",
            &LANE,
        );
        assert_eq!(gauges.remove(&time), Some(77.0));
        gauges.retain(|_, value| *value != 0.0);
        assert_eq!(gauges, BTreeMap::new());
        let read = ledger.counter("persistence_projection_events_read_total", &LANE);
        assert_eq!(read, Some(8));
    }
}

#[test]
fn a_projection_is_stalled_while_any_of_its_lanes_is() {
    let ledger = Ledger::default();
    let stalled = || {
        ledger.gauge(
            "persistence_projection_stalled",
            &[("projection", "stalls")],
        )
    };
    ledger.records(|| {
        let mut first = FailureStreak::new(lane("stalls", "p-1"));
        let mut second = FailureStreak::new(lane("stalls", "p-2"));
        assert_eq!(stalled(), None);
        first.failed("1", 1, &"no");
        second.failed("1", 1, &"no");
        second.failed("1", 2, &"no");
        assert_eq!(stalled(), Some(1.0));
        first.ended();
        assert_eq!(stalled(), Some(1.0), "the second one is still open");
        drop(second);
        assert_eq!(stalled(), Some(0.0));
        first.failed("2", 1, &"no");
        assert_eq!(stalled(), Some(1.0));
        first.closed();
        first.closed();
        assert_eq!(stalled(), Some(0.0));
    });
    let failures = ledger.counter(
        "persistence_projection_failures_total",
        &[("projection", "stalls")],
    );
    assert_eq!(failures, Some(4));
}
