//! The last minutes of every lane.

use std::collections::{BTreeMap, VecDeque};

use crate::view::{History, LaneHistory, LaneStatus, Sample};

/// How long a sample is kept, in milliseconds.
const KEPT_MS: i64 = 15 * 60 * 1000;

/// Over how long a rate is taken, in milliseconds: shorter ones jump with every commit.
const RATE_OVER_MS: i64 = 5_000;

/// Most lanes that are remembered; those behind them in order have no history.
const MAX_LANES: usize = 1_000;

type Lane = (String, String);

/// The last minutes of every lane.
#[derive(Debug, Default)]
pub(super) struct Rings {
    lanes: BTreeMap<Lane, VecDeque<Sample>>,
}

impl Rings {
    /// Adds what lanes are now, and forgets what is too old and lanes that are gone.
    pub(super) fn add(&mut self, at_ms: i64, lanes: &[LaneStatus]) {
        for lane in lanes {
            let id = (lane.name.clone(), lane.key.clone());
            if self.lanes.len() >= MAX_LANES && !self.lanes.contains_key(&id) {
                continue;
            }
            self.lanes.entry(id).or_default().push_back(Sample {
                at_ms,
                read: lane.counters.read,
                lag_events: lane.lag_events,
                lag_seconds: lane.lag_seconds,
            });
        }
        self.lanes.retain(|_, samples| {
            while samples
                .front()
                .is_some_and(|oldest| oldest.at_ms < at_ms - KEPT_MS)
            {
                samples.pop_front();
            }
            !samples.is_empty()
        });
    }

    /// How many events a lane has read a second, over the last seconds; 0 before there are two
    /// samples, and where the count went back.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a rate is shown with three digits"
    )]
    pub(super) fn events_per_second(&self, name: &str, key: &str) -> f64 {
        let rate = || {
            let samples = self.lanes.get(&(name.to_owned(), key.to_owned()))?;
            let last = samples.back()?;
            let first = samples
                .iter()
                .rev()
                .skip(1)
                .find(|sample| sample.at_ms <= last.at_ms - RATE_OVER_MS)
                .or_else(|| samples.front())?;
            let (events, ms) = (
                last.read.saturating_sub(first.read),
                last.at_ms - first.at_ms,
            );
            (ms > 0).then(|| events as f64 * 1000.0 / ms as f64)
        };
        rate().unwrap_or(0.0)
    }

    /// Everything since a moment.
    pub(super) fn history(&self, since_ms: i64) -> History {
        let lanes = self.lanes.iter().map(|((name, key), samples)| {
            let from = samples.partition_point(|sample| sample.at_ms < since_ms);
            LaneHistory {
                name: name.clone(),
                key: key.clone(),
                samples: samples.range(from..).copied().collect(),
            }
        });
        History {
            lanes: lanes.collect(),
        }
    }

    /// Everything of one lane.
    pub(super) fn of_lane(&self, name: &str, key: &str) -> Option<LaneHistory> {
        let samples = self.lanes.get(&(name.to_owned(), key.to_owned()))?;
        Some(LaneHistory {
            name: name.to_owned(),
            key: key.to_owned(),
            samples: samples.iter().copied().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{CountersView, State};

    fn lane(name: &str, read: u64) -> LaneStatus {
        LaneStatus {
            name: name.to_owned(),
            key: "all".to_owned(),
            state: State::Running,
            reason: None,
            since_ms: None,
            is_here: true,
            owner: None,
            epoch: 1,
            offset: None,
            updated_at_ms: None,
            lag_events: None,
            lag_seconds: None,
            counters: CountersView {
                read,
                ..CountersView::default()
            },
            failure: None,
        }
    }

    #[test]
    fn a_rate_is_that_of_the_last_five_seconds() {
        let mut rings = Rings::default();
        assert!(rings.events_per_second("a", "all").abs() < 1e-9);
        // 1,000 a second for ten seconds, then 100 a second for ten seconds.
        let mut read = 0;
        for second in 0..=20 {
            rings.add(second * 1000, &[lane("a", read)]);
            let expected = match second {
                0 => Some(0.0),
                1..=10 => Some(1000.0),
                // Some of both.
                11..=14 => None,
                _ => Some(100.0),
            };
            let found = rings.events_per_second("a", "all");
            let is_as_expected = expected.is_none_or(|it: f64| (found - it).abs() < 1e-6);
            assert!(is_as_expected, "{second}: {found}");
            read += if second < 10 { 1000 } else { 100 };
        }
    }

    #[test]
    fn a_count_that_went_back_is_no_rate() {
        let mut rings = Rings::default();
        rings.add(0, &[lane("a", 500)]);
        rings.add(1000, &[lane("a", 3)]);
        assert!(rings.events_per_second("a", "all").abs() < 1e-9);
    }

    #[test]
    fn fifteen_minutes_are_kept_and_a_lane_that_is_gone_is_forgotten() {
        let mut rings = Rings::default();
        rings.add(0, &[lane("gone", 1), lane("a", 1)]);
        rings.add(1000, &[lane("a", 2)]);
        rings.add(KEPT_MS + 500, &[lane("a", 3)]);
        let kept = rings.history(0);
        assert_eq!(kept.lanes.len(), 1);
        let times: Vec<i64> = kept.lanes[0].samples.iter().map(|s| s.at_ms).collect();
        assert_eq!(times, [1000, KEPT_MS + 500]);
        assert_eq!(rings.history(2000).lanes[0].samples.len(), 1);
        assert_eq!(rings.of_lane("gone", "all"), None);
    }

    #[test]
    fn there_is_a_bound_on_lanes() {
        let mut rings = Rings::default();
        let lanes: Vec<LaneStatus> = (0..=MAX_LANES).map(|n| lane(&n.to_string(), 0)).collect();
        rings.add(0, &lanes);
        rings.add(1, &lanes);
        assert_eq!(rings.history(0).lanes.len(), MAX_LANES);
    }
}
