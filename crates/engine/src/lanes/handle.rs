//! Speaks with a projection over lanes.

use std::fmt;
use std::sync::Arc;

use futures::future::{BoxFuture, join_all};
use projectionist_core::Result;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::status::{LaneReport, LaneView, LanedStatus, Published};
use crate::{Completion, GroupFailure, ProjectionHandle};

/// Sets the pause flag of the name.
pub(super) type SetPaused = Arc<dyn Fn(bool) -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// Speaks with a projection over lanes: with one lane by its key, or with all.
///
/// Dropping it asks it to stop and waits for nothing: keep it, and
/// [`stop_and_wait`](Self::stop_and_wait) before the process ends.
pub struct LanedProjectionHandle {
    name: String,
    published: watch::Receiver<Published>,
    stop: CancellationToken,
    set_paused: SetPaused,
}

impl LanedProjectionHandle {
    pub(super) fn new(
        name: String,
        published: watch::Receiver<Published>,
        stop: CancellationToken,
        set_paused: SetPaused,
    ) -> Self {
        Self {
            name,
            published,
            stop,
            set_paused,
        }
    }

    /// The name of the projection.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does at the moment, as a whole.
    #[must_use]
    pub fn status(&self) -> LanedStatus {
        self.published.borrow().status.clone()
    }

    /// The lanes that it has, in the order of their keys: those that are its own, and those that
    /// it is giving up. A lane that failed for good is among them until it is taken away.
    #[must_use]
    pub fn lanes(&self) -> Vec<LaneReport> {
        let lanes = self.published.borrow().lanes.clone();
        lanes.iter().map(LaneView::report).collect()
    }

    /// The projection of one lane; `None` when there is none. Its lane may be taken away at any
    /// moment, which ends it.
    #[must_use]
    pub fn instance(&self, key: &str) -> Option<Arc<ProjectionHandle>> {
        let published = self.published.borrow();
        let lane = published.lanes.iter().find(|lane| lane.id.key() == key)?;
        lane.life.handle().cloned()
    }

    /// Is told every change: of the status, of the lanes, and of what the projection of a lane
    /// does.
    #[must_use]
    pub fn receiver(&self) -> LanedReceiver {
        LanedReceiver(self.published.clone())
    }

    /// Pauses all lanes of the projection's name until they are resumed: those that it has, those
    /// that it will have, and those that other processes have. For one lane ask its
    /// [`instance`](Self::instance).
    ///
    /// # Errors
    /// [`projectionist_core::Error::Store`] for the store's own failures.
    pub async fn pause_all(&self) -> Result<()> {
        self.set_all_paused(true).await
    }

    /// Lifts the pause of all lanes of the name. A lane that is paused by its own flag stays so.
    ///
    /// # Errors
    /// As [`pause_all`](Self::pause_all).
    pub async fn resume_all(&self) -> Result<()> {
        self.set_all_paused(false).await
    }

    async fn set_all_paused(&self, paused: bool) -> Result<()> {
        (self.set_paused)(paused).await?;
        let lanes = self.published.borrow().lanes.clone();
        let live = lanes.iter().filter_map(|lane| lane.life.handle());
        // One that ends meanwhile obeys by that; all others look by themselves before long.
        let _looked = join_all(live.map(|handle| handle.look())).await;
        Ok(())
    }

    /// Asks it to stop: every lane is given up in order, and then the source is left.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Why the source cannot be watched any more, and the lanes that failed for good.
    pub async fn wait(&self) -> Result<Completion, GroupFailure> {
        let mut receiver = self.receiver();
        match receiver.wait_for(|_, _| false).await {
            LanedStatus::Failed { failure } => Err(failure.as_ref().clone()),
            LanedStatus::Completed => Ok(Completion::Completed),
            _ => Ok(Completion::Stopped),
        }
    }

    /// Asks it to stop and waits for its end.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub async fn stop_and_wait(&self) -> Result<Completion, GroupFailure> {
        self.stop();
        self.wait().await
    }
}

impl Drop for LanedProjectionHandle {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for LanedProjectionHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LanedProjectionHandle")
            .field("name", &self.name)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// Is told every change of a projection over lanes. See [`LanedProjectionHandle::receiver`].
#[derive(Clone, Debug)]
pub struct LanedReceiver(watch::Receiver<Published>);

impl LanedReceiver {
    /// Waits until the status and the lanes are as `wanted`, and gives the status. The end of the
    /// projection ends the wait too.
    pub async fn wait_for(
        &mut self,
        mut wanted: impl FnMut(&LanedStatus, &[LaneReport]) -> bool,
    ) -> LanedStatus {
        loop {
            let now = self.0.borrow_and_update().clone();
            let lanes: Vec<LaneReport> = now.lanes.iter().map(LaneView::report).collect();
            let is_reached = now.status.is_terminal() || wanted(&now.status, &lanes);
            // An error says that the owner is gone: what it said last is how it ended.
            if is_reached || self.0.changed().await.is_err() {
                return now.status;
            }
        }
    }
}
