//! Runs a projection until what a test says of it holds.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_engine::{Delivery, Projection, ProjectionHandle, ProjectionRuntime};

use super::{Assertion, TestKitError};

/// Runs a projection until what a test says of it holds.
///
/// The assertion is looked at again and again, for 3 s at most and every 100 ms by default; both
/// are times of tokio, which a test may pause. An assertion that does not hold in time is an error,
/// also where the source is empty or the handler hangs. The end of a source is none: what the
/// projection did may show later. A projection that fails and is not restarted is an error at once.
/// Whatever the outcome, the projection is stopped before it is told; that takes its own
/// `stop_timeout` at most.
///
/// ```
/// use std::sync::Arc;
/// use projectionist_core::ProjectionId;
/// use projectionist_engine::{Projection, ProjectionRuntime};
/// use projectionist_store_memory::MemoryStore;
/// use projectionist_testkit::{ProjectionTestKit, Recorder, TestEnvelope, TestSource};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let source = TestSource::of([]).inclusive();
/// source.push_envelope(TestEnvelope::new(1, "account-a", 1, 10));
/// source.push_envelope(TestEnvelope::new(2, "account-b", 1, 20));
/// let recorder = Recorder::default();
/// let factory = {
///     let recorder = recorder.clone();
///     move || recorder.handler()
/// };
/// let id = ProjectionId::new("account-index", "all")?;
/// let projection = Projection::at_least_once(id, source, MemoryStore::new(), factory);
/// let kit = ProjectionTestKit::new(ProjectionRuntime::new());
/// kit.run(projection, || recorder.handled() == [10, 20]).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ProjectionTestKit {
    runtime: ProjectionRuntime,
    timeout: Duration,
    poll_interval: Duration,
}

impl ProjectionTestKit {
    /// Runs projections in `runtime`.
    #[must_use]
    pub fn new(runtime: ProjectionRuntime) -> Self {
        Self {
            runtime,
            timeout: Duration::from_secs(3),
            poll_interval: Duration::from_millis(100),
        }
    }

    /// How long an assertion may take to hold. Default 3 s.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// How long to wait between two looks. Default 100 ms.
    #[must_use]
    pub fn with_poll_interval(self, poll_interval: Duration) -> Self {
        Self {
            poll_interval,
            ..self
        }
    }

    /// Runs the projection until the assertion holds, and stops it.
    ///
    /// # Errors
    /// [`TestKitError`]: the projection could not be started, it failed, or the assertion did not
    /// hold in time.
    pub async fn run<P, S, D, A>(
        &self,
        projection: Projection<P, S, D>,
        mut assertion: impl FnMut() -> A,
    ) -> Result<(), TestKitError>
    where
        P: SourceProvider,
        S: OffsetStore,
        D: Delivery<P, S>,
        A: Assertion,
    {
        self.run_async(projection, async || assertion()).await
    }

    /// As [`run`](Self::run), with an assertion that asks a store or another task. One that waits
    /// for too long is out of time too.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_async<P, S, D, A>(
        &self,
        projection: Projection<P, S, D>,
        assertion: impl AsyncFnMut() -> A,
    ) -> Result<(), TestKitError>
    where
        P: SourceProvider,
        S: OffsetStore,
        D: Delivery<P, S>,
        A: Assertion,
    {
        let id = projection.id().clone();
        let started = self.runtime.spawn(projection);
        let handle = started.map_err(|error| TestKitError::NotStarted {
            id: id.clone(),
            source: Arc::new(error),
        })?;
        let mut missing = None;
        let out_of_time = tokio::select! {
            biased;
            () = failed(&handle) => None,
            () = self.poll(assertion, &mut missing) => None,
            () = tokio::time::sleep(self.timeout) => Some(Box::new(handle.status())),
        };
        // A failure at the very moment at which the assertion held is told too.
        let stopped = handle.stop_and_wait().await;
        if let Some(status) = out_of_time {
            let within = self.timeout;
            return Err(TestKitError::TimedOut {
                id,
                within,
                missing,
                status,
            });
        }
        let failed = |source| TestKitError::Failed { id, source };
        stopped.map(drop).map_err(failed)
    }

    /// Ends when the assertion holds; `missing` is what was not so when it was looked at last.
    async fn poll<A: Assertion>(
        &self,
        mut assertion: impl AsyncFnMut() -> A,
        missing: &mut Option<String>,
    ) {
        while let Err(not_yet) = assertion().await.holds() {
            *missing = not_yet;
            tokio::time::sleep(self.poll_interval).await;
        }
    }
}

/// Ends when the projection has failed for good, and never otherwise.
async fn failed(handle: &ProjectionHandle) {
    if handle.wait().await.is_ok() {
        pending().await
    }
}
