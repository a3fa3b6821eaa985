//! The inert blueprint of a projection over lanes.

use std::fmt;
use std::sync::Arc;

use projectionist_core::contract::{LaneSource, Mode, OffsetStore};
use projectionist_core::{ProjectionId, Result};

use super::LanedProjectionHandle;
use super::supervisor::Supervisor;
use crate::delivery::Delivery;
use crate::{Projection, ProjectionRuntime, RestartBackoff};

/// The blueprint of a projection over a source whose lanes come and go.
///
/// It is inert until it is spawned. For every lane that is assigned, `template` makes the
/// projection (name, key of the lane), which is run like any other one: it claims the lane, reads
/// its offset and opens the provider behind that. A lane that moves to another process goes on
/// there where it was committed here.
///
/// The projections of the template should wait for a lane that another owner still holds, as they
/// do by default ([`WhenHeld::Wait`](crate::WhenHeld::Wait)).
pub struct LanedProjection<L, S, T> {
    pub(super) name: String,
    pub(super) source: Arc<L>,
    pub(super) store: S,
    pub(super) template: T,
    pub(super) mode: Mode,
    pub(super) restart: RestartBackoff,
}

impl<L: LaneSource, S: OffsetStore, T> LanedProjection<L, S, T> {
    /// A projection of this name over the lanes of `source`. `store` is where the projections of
    /// `template` keep their offsets; here it keeps the pause flag of the name.
    pub fn new<D>(name: impl Into<String>, source: L, store: S, template: T) -> Self
    where
        D: Delivery<L::Provider, S>,
        T: Fn(ProjectionId, L::Provider) -> Projection<L::Provider, S, D> + Send + 'static,
    {
        Self {
            name: name.into(),
            source: Arc::new(source),
            store,
            template,
            mode: Mode::default(),
            restart: RestartBackoff::default(),
        }
    }

    /// Whether the source is followed: holds for the watch and for the projections of all lanes,
    /// whatever the template says. Default [`Mode::Live`].
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// When the source is watched again after its watch failed. The restarts of a lane are the
    /// template's to set.
    #[must_use]
    pub fn with_restart(mut self, restart: RestartBackoff) -> Self {
        self.restart = restart;
        self
    }

    /// Starts to watch the source.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Configuration`] for a name that no projection can have.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn spawn<D>(self, runtime: &ProjectionRuntime) -> Result<LanedProjectionHandle>
    where
        D: Delivery<L::Provider, S>,
        T: Fn(ProjectionId, L::Provider) -> Projection<L::Provider, S, D> + Send + 'static,
    {
        // Only the name is looked at: keys are the source's, and are checked as they come.
        ProjectionId::new(&self.name, "any")?;
        let supervisor = Supervisor::new(self, runtime.clone());
        let handle = supervisor.handle();
        tokio::spawn(supervisor.supervise());
        Ok(handle)
    }
}

impl<L, S, T> fmt::Debug for LanedProjection<L, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LanedProjection")
            .field("name", &self.name)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}
