//! The metrics of the process as Prometheus text, for whoever serves them.

use std::borrow::Cow;
use std::fmt;

use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Label, Metadata, Recorder, SharedString, Unit,
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use projectionist_core::Result;

use crate::describe::describe_all;
use crate::install::install;

/// Reads the metrics of the process as Prometheus text. It opens no port.
///
/// ```
/// # fn main() -> projectionist_core::Result<()> {
/// let exporter = projectionist_telemetry::Exporter::install()?;
/// // Start projections, and answer a scrape with this:
/// let body = exporter.render();
/// # assert_eq!(body, "");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Exporter {
    values: PrometheusHandle,
}

impl Exporter {
    /// The content type under which [`render`](Self::render)'s text is served.
    pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

    /// Makes an exporter and installs its recorder for the whole process. Do so before the first
    /// projection is spawned: what was counted before is lost.
    ///
    /// # Errors
    /// [`Error::Configuration`](projectionist_core::Error::Configuration) when the process has a recorder already.
    pub fn install() -> Result<Self> {
        let (exporter, recorder) = Self::detached();
        install(recorder)?;
        Ok(exporter)
    }

    /// Makes an exporter and the recorder that feeds it, for a process that combines recorders
    /// and for tests.
    #[must_use]
    pub fn detached() -> (Self, ExporterRecorder) {
        let recorder = PrometheusBuilder::new().build_recorder();
        describe_all(&recorder);
        let values = recorder.handle();
        (Self { values }, ExporterRecorder(recorder))
    }

    /// All metrics that have a value, in Prometheus' text format, in no particular order.
    #[must_use]
    pub fn render(&self) -> String {
        self.values.render()
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exporter")
    }
}

/// Feeds an [`Exporter`].
///
/// The text format escapes backslashes. The library beneath takes a backslash that stands before a
/// quote, a line end or another backslash for an escape that was made already, so that two names
/// can come out as one. Here every backslash is doubled before it sees it, which it leaves as is.
pub struct ExporterRecorder(PrometheusRecorder);

impl Recorder for ExporterRecorder {
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
        self.0.register_counter(&escaped(key), metadata)
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.0.register_gauge(&escaped(key), metadata)
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        self.0.register_histogram(&escaped(key), metadata)
    }
}

impl fmt::Debug for ExporterRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExporterRecorder")
    }
}

/// The key with every backslash of its label values doubled.
fn escaped(key: &Key) -> Cow<'_, Key> {
    if key.labels().all(|label| !label.value().contains('\\')) {
        return Cow::Borrowed(key);
    }
    let double = |label: &Label| {
        let value = label.value().replace('\\', r"\\");
        Label::new(label.key().to_owned(), value)
    };
    let labels: Vec<Label> = key.labels().map(double).collect();
    Cow::Owned(Key::from_parts(key.name_shared(), labels))
}
