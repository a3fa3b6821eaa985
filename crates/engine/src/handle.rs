//! Speaks with a running projection.

use std::sync::Arc;

use projectionist_core::{Error, ProjectionId};
use tokio::sync::watch;

use crate::restart::supervisor::Shared;
use crate::{Completion, ProjectionStatus};

/// Speaks with a running projection.
///
/// Dropping it asks the projection to stop and waits for nothing: keep it, and
/// [`stop_and_wait`](Self::stop_and_wait) before the process ends.
#[derive(Debug)]
pub struct ProjectionHandle {
    id: ProjectionId,
    shared: Arc<Shared>,
    status: watch::Receiver<ProjectionStatus>,
}

impl ProjectionHandle {
    pub(crate) fn new(
        id: ProjectionId,
        shared: Arc<Shared>,
        status: watch::Receiver<ProjectionStatus>,
    ) -> Self {
        Self { id, shared, status }
    }

    /// The projection's identity.
    #[must_use]
    pub fn id(&self) -> &ProjectionId {
        &self.id
    }

    /// What it does at the moment.
    #[must_use]
    pub fn status(&self) -> ProjectionStatus {
        self.status.borrow().clone()
    }

    /// Is told every change of the status.
    #[must_use]
    pub fn status_receiver(&self) -> watch::Receiver<ProjectionStatus> {
        self.status.clone()
    }

    /// Something that can ask it to stop when the handle is elsewhere.
    #[must_use]
    pub fn stop_signal(&self) -> StopSignal {
        StopSignal {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Asks it to stop: the invocation in flight ends, what was handled is saved. A backoff and a
    /// retry delay end at once.
    pub fn stop(&self) {
        self.shared.signals.stop();
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Why it failed.
    pub async fn wait(&self) -> Result<Completion, Arc<Error>> {
        let mut status = self.status.clone();
        // The sender lives in `shared`, which this handle holds: the channel cannot close.
        let ended = status.wait_for(ProjectionStatus::is_terminal).await;
        match ended.as_deref() {
            Ok(ProjectionStatus::Failed { error }) => Err(Arc::clone(error)),
            Ok(ProjectionStatus::Completed) => Ok(Completion::Completed),
            Ok(_) | Err(_) => Ok(Completion::Stopped),
        }
    }

    /// Asks it to stop and waits for its end.
    ///
    /// # Errors
    /// Why it failed.
    pub async fn stop_and_wait(&self) -> Result<Completion, Arc<Error>> {
        self.stop();
        self.wait().await
    }
}

impl Drop for ProjectionHandle {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Asks a projection to stop. See [`ProjectionHandle::stop_signal`].
#[derive(Clone, Debug)]
pub struct StopSignal {
    shared: Arc<Shared>,
}

impl StopSignal {
    /// As [`ProjectionHandle::stop`].
    pub fn stop(&self) {
        self.shared.signals.stop();
    }
}
