//! Makes a recorder that of the whole process.

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use metrics_util::layers::{Fanout, FanoutBuilder};
use projectionist_core::{Error, Result};

/// Makes `recorder` that of the whole process. What was counted before is lost.
///
/// # Errors
/// [`Error::Configuration`] when the process has a recorder already.
pub fn install(recorder: impl Recorder + Sync + 'static) -> Result<()> {
    metrics::set_global_recorder(recorder).map_err(|_| Error::Configuration {
        subject: "metrics exporter".to_owned(),
        reason: "this process has a recorder of metrics already; combine them with `Both`, and \
                 install that"
            .to_owned(),
    })
}

/// Two recorders as one: each of them sees every value.
///
/// ```
/// use projectionist_telemetry::{Both, install};
///
/// # fn with(first: metrics::NoopRecorder, second: metrics::NoopRecorder) -> projectionist_core::Result<()> {
/// install(Both::of(first, second))
/// # }
/// ```
pub struct Both(Fanout);

impl Both {
    /// Both of them.
    pub fn of(
        first: impl Recorder + Send + Sync + 'static,
        second: impl Recorder + Send + Sync + 'static,
    ) -> Self {
        let builder = FanoutBuilder::default();
        Self(builder.add_recorder(first).add_recorder(second).build())
    }
}

impl Recorder for Both {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, meaning: SharedString) {
        self.0.describe_counter(name, unit, meaning);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, meaning: SharedString) {
        self.0.describe_gauge(name, unit, meaning);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, meaning: SharedString) {
        self.0.describe_histogram(name, unit, meaning);
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        self.0.register_counter(key, metadata)
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.0.register_gauge(key, metadata)
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        self.0.register_histogram(key, metadata)
    }
}
