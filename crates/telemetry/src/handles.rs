//! Finds the metric of a lane: the only place where the macros of `metrics` are used.

#![expect(
    clippy::disallowed_macros,
    reason = "metrics are found here and nowhere else, by the names of the table"
)]

use std::sync::OnceLock;

use metrics::{Counter, Gauge};
use projectionist_core::ProjectionId;

use crate::metric_names::{KEY, PROJECTION};

/// A counter of all lanes of a name.
pub(crate) fn projection_counter(name: &'static str, lane: &ProjectionId) -> Counter {
    metrics::counter!(name, PROJECTION => lane.name().to_owned())
}

/// A gauge of all lanes of a name.
pub(crate) fn projection_gauge(name: &'static str, lane: &ProjectionId) -> Gauge {
    metrics::gauge!(name, PROJECTION => lane.name().to_owned())
}

/// A counter of one lane.
pub(crate) fn lane_counter(name: &'static str, lane: &ProjectionId) -> Counter {
    metrics::counter!(name, PROJECTION => lane.name().to_owned(), KEY => lane.key().to_owned())
}

/// A gauge of one lane.
pub(crate) fn lane_gauge(name: &'static str, lane: &ProjectionId) -> Gauge {
    metrics::gauge!(name, PROJECTION => lane.name().to_owned(), KEY => lane.key().to_owned())
}

/// A counter of one lane with one more label.
pub(crate) fn lane_counter_with(
    name: &'static str,
    lane: &ProjectionId,
    (label, value): (&'static str, &'static str),
) -> Counter {
    metrics::counter!(
        name,
        PROJECTION => lane.name().to_owned(),
        KEY => lane.key().to_owned(),
        label => value
    )
}

/// A gauge of one lane with one more label.
pub(crate) fn lane_gauge_with(
    name: &'static str,
    lane: &ProjectionId,
    (label, value): (&'static str, &'static str),
) -> Gauge {
    metrics::gauge!(
        name,
        PROJECTION => lane.name().to_owned(),
        KEY => lane.key().to_owned(),
        label => value
    )
}

/// A gauge of one lane that does not exist before its value is known: a 0 would be a claim.
pub(crate) struct LateGauge {
    name: &'static str,
    lane: ProjectionId,
    gauge: OnceLock<Gauge>,
}

impl LateGauge {
    pub(crate) fn new(name: &'static str, lane: &ProjectionId) -> Self {
        Self {
            name,
            lane: lane.clone(),
            gauge: OnceLock::new(),
        }
    }

    pub(crate) fn set(&self, value: f64) {
        let gauge = self.gauge.get_or_init(|| lane_gauge(self.name, &self.lane));
        gauge.set(value);
    }

    /// Sets it only where it had a value.
    pub(crate) fn reset(&self, value: f64) {
        if let Some(gauge) = self.gauge.get() {
            gauge.set(value);
        }
    }
}
