//! Why a test of a projection does not pass.

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::{Error, ProjectionId};
use projectionist_engine::ProjectionStatus;

/// Why a test of a projection does not pass.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TestKitError {
    /// The projection could not be started.
    #[error("{id} could not be started: {source}")]
    NotStarted {
        /// The projection.
        id: ProjectionId,
        /// Why.
        source: Arc<Error>,
    },
    /// The projection failed and is not restarted.
    #[error("{id} failed: {source}")]
    Failed {
        /// The projection.
        id: ProjectionId,
        /// Why.
        source: Arc<Error>,
    },
    /// The assertion did not hold in time.
    #[error(
        "the assertion did not hold within {within:?}{}; {id} was {status} then",
        .missing.as_ref().map(|missing| format!(" ({missing})")).unwrap_or_default()
    )]
    TimedOut {
        /// The projection.
        id: ProjectionId,
        /// How long it was waited for.
        within: Duration,
        /// What was not so when it was looked at last, where the assertion says that.
        missing: Option<String>,
        /// What the projection did when the time was over.
        status: Box<ProjectionStatus>,
    },
}
