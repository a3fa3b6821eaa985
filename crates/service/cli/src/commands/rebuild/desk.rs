//! Rebuilds that are begun, watched, given up and reverted from afar.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projectionist_admin_api::view::{RebuildPhase as Phase, RebuildView};
use projectionist_core::contract::{DeclarationStore, RebuildStore};
use projectionist_core::rebuild::{RebuildPhase, RebuildState, rebuild_state};
use projectionist_core::{Clock, SystemClock};
use projectionist_engine::ProjectionRuntime;
use projectionist_store_sqlite::SqliteStore;
use tokio::runtime::Handle;

use super::arguments::RebuildArguments;
use super::begun::{Begun, How};
use super::driver::{Driver, Job, refuse_held};
use super::plan;
use crate::commands::files::position_of;
use crate::exit::Failure;
use crate::place::Target;

/// Begins, watches, gives up and reverts rebuilds of the projections of a target.
pub(crate) struct Rebuilds {
    store: SqliteStore,
    target: Target,
    /// The last one of each projection that this process has begun.
    begun: Mutex<BTreeMap<String, Arc<Begun>>>,
}

impl Rebuilds {
    pub(crate) fn new(store: SqliteStore, target: Target) -> Self {
        Self {
            store,
            target,
            begun: Mutex::default(),
        }
    }

    /// Whether the target declares a projection of that name.
    pub(crate) async fn knows(&self, name: &str) -> Result<bool, Failure> {
        let declarations = self.store.declarations().await?;
        let mut kept = declarations.iter();
        Ok(kept.any(|kept| kept.declaration.projection == name))
    }

    /// Begins to rebuild a projection as the target declares it, or goes on with what was begun.
    pub(crate) async fn start(&self, name: &str, keep: bool) -> Result<(), Failure> {
        let arguments = RebuildArguments::beside(name, &self.target, keep);
        let names = [name.to_owned()];
        let mut jobs = plan::jobs(&self.store, &names, &arguments).await?;
        let Some(job) = jobs.pop() else {
            return Err(Failure::at_run_time(format!(
                "projection {name} is declared no more: there is nothing to rebuild"
            )));
        };
        refuse_held(&self.store, &job.rebuild.shadow_lane()?).await?;
        let begun = Arc::new(Begun::at(SystemClock.now()));
        {
            let mut known = self.begun();
            if known.get(name).is_some_and(|one| one.outcome().is_none()) {
                return Err(Failure::at_run_time(format!(
                    "projection {name} is being rebuilt already"
                )));
            }
            known.insert(name.to_owned(), Arc::clone(&begun));
        }
        let (store, runtime) = (self.store.clone(), Handle::current());
        let thread = std::thread::Builder::new().name(format!("rebuild {name}"));
        let spawned = thread.spawn({
            let begun = Arc::clone(&begun);
            move || runtime.block_on(build(store, job, keep, begun))
        });
        if let Err(error) = spawned {
            let failure = Failure::at_run_time(format!("cannot start a thread: {error}"));
            begun.end(Err(failure), SystemClock.now());
        }
        Ok(())
    }

    /// Stops the rebuild of a projection, where this process does it, and removes all of it. `false`
    /// when there is none.
    pub(crate) async fn abort(&self, name: &str) -> Result<bool, Failure> {
        let begun = self.begun().get(name).cloned();
        if let Some(begun) = &begun {
            begun.stop().await;
        }
        let Some(state) = rebuild_state(&self.store, name).await? else {
            return Ok(false);
        };
        refuse_held(&self.store, &state.rebuild.shadow_lane()?).await?;
        self.store.drop_shadow(name).await?;
        while self.store.purge().await? {}
        Ok(true)
    }

    /// Puts back in use what the last rebuild has kept. `false` when nothing is kept.
    pub(crate) async fn revert(&self, name: &str) -> Result<bool, Failure> {
        Ok(self.store.revert(name).await?)
    }

    /// Stops every rebuild that this process does. They go on where they are begun again.
    pub(crate) async fn stop_all(&self) {
        let all: Vec<Arc<Begun>> = self.begun().values().cloned().collect();
        for begun in all {
            begun.stop().await;
        }
    }

    /// How far the rebuild of a projection is, whoever does it, or how the last one here has ended.
    pub(crate) async fn view(&self, name: &str) -> Result<RebuildView, Failure> {
        let kept = self.store.kept_generations().await?;
        let state = rebuild_state(&self.store, name).await?;
        let begun = self.begun().get(name).cloned();
        let mut view = RebuildView {
            name: name.to_owned(),
            phase: Phase::None,
            read: 0,
            fraction: None,
            events_per_second: None,
            started_at_ms: begun.as_ref().map(|begun| begun.began_at.unix_millis),
            ended_at_ms: None,
            can_be_reverted: kept.iter().any(|kept| kept.projection == name),
            error: None,
        };
        let outcome = begun.as_ref().and_then(|begun| begun.outcome());
        let is_here = begun.is_some() && outcome.is_none();
        match &state {
            Some(state) => tell_state(&mut view, state, is_here),
            // It has begun, and no row of it is there yet.
            None if is_here => view.phase = Phase::Building,
            None => {}
        }
        if let Some(outcome) = outcome {
            view.ended_at_ms = Some(outcome.at.unix_millis);
            match outcome.how {
                How::Swapped if state.is_none() => {
                    view.phase = Phase::Done;
                    view.read = outcome.read;
                }
                How::Stopped if state.is_none() => view.phase = Phase::Aborted,
                How::Failed(error) => {
                    view.phase = Phase::Failed;
                    view.error = Some(error);
                }
                How::Swapped | How::Stopped => {}
            }
        }
        Ok(view)
    }

    fn begun(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Begun>>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn build(store: SqliteStore, job: Job, keep: bool, begun: Arc<Begun>) {
    let runtime = ProjectionRuntime::new();
    let driver = Driver {
        store: &store,
        runtime: &runtime,
        watch: begun.clone(),
    };
    let ended = driver.run(&job, keep).await;
    begun.end(ended, SystemClock.now());
}

/// Tells a rebuild that is not finished.
fn tell_state(view: &mut RebuildView, state: &RebuildState, is_here: bool) {
    let RebuildState { rebuild, lane, .. } = state;
    view.read = lane.counters.read;
    view.events_per_second = state.events_per_second();
    view.started_at_ms = Some(rebuild.began_at.unix_millis);
    view.fraction = fraction(state);
    let is_done = is_here || lane.holder.is_some();
    view.phase = match rebuild.phase {
        _ if !is_done => Phase::Failed,
        RebuildPhase::Building | RebuildPhase::Comparing => Phase::Building,
        RebuildPhase::CatchingUp => Phase::Swapping,
    };
    if !is_done {
        view.error =
            Some("it was interrupted; begin again to go on where it was, or give it up".to_owned());
    }
}

/// What part of its file it has read; `None` where several are read, or none is known.
fn fraction(state: &RebuildState) -> Option<f64> {
    let position = position_of(state.lane.offset.as_ref()?)?;
    let bytes = state.rebuild.source_bytes.filter(|bytes| *bytes > 0)?;
    #[expect(
        clippy::cast_precision_loss,
        reason = "a part for people; beyond 2^53 bytes the last digits do not matter"
    )]
    let part = position.byte as f64 / bytes as f64;
    position.file_name().is_none().then(|| part.min(1.0))
}
