//! The metrics of the process, pushed to a collector of OpenTelemetry.

use std::fmt;
use std::time::Duration;

use metrics::Recorder;
use metrics_opentelemetry::{OpenTelemetryMetrics, OpenTelemetryRecorder};
use opentelemetry::metrics::MeterProvider;
use opentelemetry_otlp::{MetricExporter, Protocol, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use projectionist_core::{Error, Result};

use crate::describe::describe_all;

/// How long a collector may take to take in one push.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where a collector takes metrics, behind its address.
const PATH: &str = "/v1/metrics";

/// Pushes the metrics of the process to a collector: OTLP over HTTP, in Protobuf, from a thread of
/// its own. A push that fails is told in the log and costs nobody else; the next one brings the
/// sums of both.
pub struct OtlpExporter {
    provider: SdkMeterProvider,
}

impl OtlpExporter {
    /// Makes an exporter and the recorder that feeds it. `collector` is the address of the
    /// collector, such as `http://localhost:4318`; the values are pushed every `interval`, and at
    /// [`shutdown`](Self::shutdown).
    ///
    /// The resource is called `projectionist`; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`
    /// say more.
    ///
    /// # Errors
    /// [`Error::Configuration`] for an address that is none.
    pub fn detached(
        collector: &str,
        interval: Duration,
    ) -> Result<(Self, impl Recorder + Send + Sync + 'static)> {
        let refused = |reason: String| Error::Configuration {
            subject: format!("collector {collector}"),
            reason,
        };
        if !collector.starts_with("http://") && !collector.starts_with("https://") {
            let reason = "write its address, such as http://localhost:4318";
            return Err(refused(reason.to_owned()));
        }
        let exporter = MetricExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{}{PATH}", collector.trim_end_matches('/')))
            .with_timeout(TIMEOUT)
            .build()
            .map_err(|error| refused(error.to_string()))?;
        let reader = PeriodicReader::builder(exporter)
            .with_interval(interval)
            .build();
        let mut resource = Resource::builder();
        if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("projectionist");
        }
        let provider = SdkMeterProvider::builder()
            .with_resource(resource.build())
            .with_reader(reader)
            .build();
        let metrics = OpenTelemetryMetrics::new(provider.meter("projectionist"));
        let recorder = OpenTelemetryRecorder::new(metrics);
        describe_all(&recorder);
        Ok((Self { provider }, recorder))
    }

    /// Pushes the last values and ends. It waits for the collector, up to ten seconds.
    ///
    /// # Errors
    /// [`Error::Configuration`] when the collector did not take them.
    pub fn shutdown(self) -> Result<()> {
        self.provider
            .shutdown()
            .map_err(|error| Error::Configuration {
                subject: "collector of metrics".to_owned(),
                reason: format!("the last values were not taken: {error}"),
            })
    }
}

impl fmt::Debug for OtlpExporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OtlpExporter")
    }
}
