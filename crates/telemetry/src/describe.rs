//! Tells a recorder what every metric means, before it has a value.

use metrics::{KeyName, Recorder, SharedString, Unit};

use crate::{METRICS, MetricKind, MetricUnit};

pub(crate) fn describe_all(recorder: &impl Recorder) {
    for metric in METRICS {
        let name = KeyName::from_const_str(metric.name);
        let unit = match metric.unit {
            MetricUnit::Count => Some(Unit::Count),
            MetricUnit::Seconds | MetricUnit::UnixSeconds => Some(Unit::Seconds),
            MetricUnit::Flag => None,
        };
        let meaning = SharedString::const_str(metric.meaning);
        match metric.kind {
            MetricKind::Counter => recorder.describe_counter(name, unit, meaning),
            MetricKind::Gauge => recorder.describe_gauge(name, unit, meaning),
        }
    }
}
