//! Where the metrics of a run go: to the admin endpoint, to a collector, or to both.

use projectionist_telemetry::{Exporter, install};

use crate::args::admin::AdminArguments;
use crate::exit::Failure;

#[cfg(feature = "otlp")]
use crate::output::tell;

/// The metrics of a run, counted from now on.
pub(crate) struct Metrics {
    /// What the admin endpoint reads, where there is one.
    pub(super) exporter: Option<Exporter>,
    #[cfg(feature = "otlp")]
    pushed: Option<projectionist_telemetry::OtlpExporter>,
}

/// How often metrics are pushed.
#[cfg(feature = "otlp")]
const PUSHED_EVERY: std::time::Duration = std::time::Duration::from_secs(15);

impl Metrics {
    /// Begins to count, where anybody wants it.
    #[cfg(feature = "otlp")]
    pub(crate) fn start(arguments: &AdminArguments) -> Result<Self, Failure> {
        use projectionist_telemetry::{Both, OtlpExporter};

        let (exporter, read) = arguments.admin.map(|_| Exporter::detached()).unzip();
        let collector = arguments.otlp.as_deref();
        let pushed = collector.map(|collector| OtlpExporter::detached(collector, PUSHED_EVERY));
        let (pushed, sent) = pushed.transpose()?.unzip();
        match (read, sent) {
            (Some(read), Some(sent)) => install(Both::of(read, sent))?,
            (Some(read), None) => install(read)?,
            (None, Some(sent)) => install(sent)?,
            (None, None) => {}
        }
        Ok(Self { exporter, pushed })
    }

    /// Begins to count, where anybody wants it.
    #[cfg(not(feature = "otlp"))]
    pub(crate) fn start(arguments: &AdminArguments) -> Result<Self, Failure> {
        if let Some(collector) = &arguments.otlp {
            return Err(Failure::usage(format!(
                "--otlp {collector}: this build pushes no metrics; build it with the feature `otlp`, or \
                 let a collector scrape /metrics of --admin"
            )));
        }
        let (exporter, read) = arguments.admin.map(|_| Exporter::detached()).unzip();
        read.map(install).transpose()?;
        Ok(Self { exporter })
    }

    /// Pushes the last values. A collector that does not take them is told, and costs the run nothing.
    pub(crate) fn end(self) {
        #[cfg(feature = "otlp")]
        if let Some(pushed) = self.pushed
            && let Err(error) = pushed.shutdown()
        {
            tell(error);
        }
    }
}
