//! Brings projections to life.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use projectionist_core::contract::{OffsetStore, Placement, SourceProvider};
use projectionist_core::{Clock, Error, Owner, ProjectionId, Result, SystemClock};
use tokio::sync::mpsc;

use crate::claim::process;
use crate::delivery::Delivery;
use crate::management::desk::CALLS;
use crate::restart::shared::Shared;
use crate::restart::supervisor::{Environment, Supervisor};
use crate::{Projection, ProjectionHandle};

/// Brings projections to life: one owner of lanes, which runs each projection at most once.
///
/// A clone is the same runtime. Two runtimes of one process are two owners, which the claims keep
/// apart as they keep processes apart.
#[derive(Clone)]
pub struct ProjectionRuntime {
    environment: Environment,
    live: Live,
}

/// The identities that run now.
type Live = Arc<Mutex<HashSet<ProjectionId>>>;

impl Default for ProjectionRuntime {
    fn default() -> Self {
        Self::new()
    }
}

impl ProjectionRuntime {
    /// A runtime with the system's clock.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock))
    }

    /// A runtime that takes the wall-clock time from `clock`.
    #[must_use]
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        let owner = new_owner();
        Self {
            environment: Environment { owner, clock },
            live: Live::default(),
        }
    }

    /// Who this runtime is to the stores.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        &self.environment.owner
    }

    /// Starts a projection: on the tokio runtime that is entered, or on a thread of its own where
    /// its store works in place.
    ///
    /// # Errors
    /// [`Error::AlreadyRunning`] when this runtime runs one of the same identity; nothing was
    /// claimed then. [`Error::Configuration`] for a setting that cannot work, and when no thread can
    /// be had.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn spawn<P, S, D>(&self, projection: Projection<P, S, D>) -> Result<ProjectionHandle>
    where
        P: SourceProvider,
        S: OffsetStore,
        D: Delivery<P, S>,
    {
        projection.settings.check(&projection.id)?;
        let reservation = self.reserve(&projection.id)?;
        self.launch(projection, reservation)
    }

    /// Keeps an identity for one projection.
    pub(crate) fn reserve(&self, id: &ProjectionId) -> Result<Reservation> {
        Reservation::new(&self.live, id)
    }

    /// Starts a projection whose identity is kept for it.
    pub(crate) fn launch<P, S, D>(
        &self,
        projection: Projection<P, S, D>,
        reservation: Reservation,
    ) -> Result<ProjectionHandle>
    where
        P: SourceProvider,
        S: OffsetStore,
        D: Delivery<P, S>,
    {
        let id = projection.id.clone();
        let placement = projection.store.placement();
        let clock = Arc::clone(&self.environment.clock);
        let provider = Arc::clone(&projection.provider);
        let awaited = Box::new(move || provider.waiting_for());
        let shared = Arc::new(Shared::new(&id, clock, awaited));
        let (calls, called) = mpsc::channel(CALLS);
        let handle = ProjectionHandle::new(id, Arc::clone(&shared), calls);
        let supervisor = Supervisor::new(projection, self.environment.clone(), shared);
        let life = supervisor.supervise(called, reservation);
        match placement {
            Placement::Runtime => drop(tokio::spawn(life)),
            Placement::OwnThread => on_own_thread(handle.id(), life)?,
        }
        Ok(handle)
    }
}

fn on_own_thread(id: &ProjectionId, life: impl Future<Output = ()> + Send + 'static) -> Result<()> {
    let runtime = tokio::runtime::Handle::current();
    let thread = std::thread::Builder::new().name(id.to_string());
    let spawned = thread.spawn(move || runtime.block_on(life));
    spawned.map(drop).map_err(|error| Error::Configuration {
        subject: format!("thread of {id}"),
        reason: error.to_string(),
    })
}

/// An owner that no other one is equal to.
pub(crate) fn new_owner() -> Owner {
    Owner {
        instance: new_instance(),
        process: process::current(),
    }
}

/// 128 bits that no other runtime has: the standard library seeds every `RandomState` from the
/// system.
fn new_instance() -> String {
    let [high, low] = [0, 1].map(|_| RandomState::new().build_hasher().finish());
    format!("{high:016x}{low:016x}")
}

/// An identity that runs; dropping it lets it run again.
pub(crate) struct Reservation {
    live: Live,
    id: ProjectionId,
}

impl Reservation {
    fn new(live: &Live, id: &ProjectionId) -> Result<Self> {
        let mut ids = live.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.insert(id.clone()) {
            Ok(Self {
                live: Arc::clone(live),
                id: id.clone(),
            })
        } else {
            Err(Error::AlreadyRunning(id.clone()))
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.live
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.id);
    }
}

impl fmt::Debug for ProjectionRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectionRuntime")
            .field("owner", &self.environment.owner)
            .finish()
    }
}
