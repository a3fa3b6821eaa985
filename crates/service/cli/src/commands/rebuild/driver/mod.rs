//! Rebuilds a projection beside the one in use, without a word to anyone but its [`Watch`].
//!
//! ```text
//! begin ─▶ build (events from the first one) ─▶ compare ─▶ catch up ⇄ swap ─▶ purge
//! ```
//!
//! Every arrow is a commit, so that a rebuild that is killed anywhere is resumed where it was: the
//! lane of what is built says how far it is, and the swap is one transaction.

mod claims;
mod job;
pub(super) mod pace;
mod reached;
mod shadow;
mod watch;

use std::sync::Arc;

use projectionist_core::contract::{OffsetStore, RebuildStore, Swapped};
use projectionist_core::rebuild::{Rebuild, RebuildPhase};
use projectionist_core::{Claim, Counters, LaneState, Offset, ProjectionId};
use projectionist_engine::ProjectionRuntime;
use projectionist_store_sqlite::SqliteStore;

pub(super) use self::claims::refuse_held;
pub(super) use self::job::Job;
pub(super) use self::shadow::{Pass, Passed};
pub(super) use self::watch::Watch;
use crate::exit::Failure;

/// After so many attempts to swap that came too late the one in use is held.
const ATTEMPTS: u32 = 3;

/// The most rows that differ which are told of each table.
const SAMPLE: usize = 5;

/// Rebuilds one projection.
pub(super) struct Driver<'a> {
    pub(super) store: &'a SqliteStore,
    pub(super) runtime: &'a ProjectionRuntime,
    pub(super) watch: Arc<dyn Watch>,
}

/// How a rebuild ended.
pub(super) enum Ended {
    /// It is in use, with what its lane has counted.
    Swapped(Counters),
    /// It was asked to stop, and can be resumed.
    Stopped,
}

impl Driver<'_> {
    /// Begins the rebuild or resumes it, and puts it in use. With `keep` what is in use now is kept.
    pub(super) async fn run(&self, job: &Job, keep: bool) -> Result<Ended, Failure> {
        let lane = job.rebuild.shadow_lane()?;
        claims::refuse_held(self.store, &lane).await?;
        // What earlier swaps have left is in nobody's way, and this is a time to remove it.
        self.purge().await?;
        let rebuild = self.store.begin_rebuild(&job.rebuild).await?;
        job.check_same(&rebuild)?;
        self.watch.began(&rebuild, self.store.lane(&lane).await?);
        if let Passed::Stopped = self.pass(job, RebuildPhase::Building).await? {
            return Ok(Ended::Stopped);
        }
        self.compare(job, &rebuild).await?;
        self.catch_up_and_swap(job, keep).await
    }

    async fn compare(&self, job: &Job, rebuild: &Rebuild) -> Result<(), Failure> {
        let (claim, _) = claims::claim(self.store, self.runtime, &rebuild.shadow_lane()?).await?;
        let (phase, bytes) = (RebuildPhase::Comparing, job.source_bytes());
        self.store.note_rebuild(&claim, phase, bytes).await?;
        self.store.release(&claim).await?;
        let live = job.live.as_ref();
        let comparison = self
            .store
            .compare(rebuild, live, &job.shadow, SAMPLE)
            .await?;
        self.watch.compared(&comparison);
        Ok(())
    }

    async fn catch_up_and_swap(&self, job: &Job, keep: bool) -> Result<Ended, Failure> {
        let lane = job.rebuild.shadow_lane()?;
        let mut held = None;
        for attempt in 1.. {
            if attempt > ATTEMPTS && held.is_none() {
                held = self.hold_live(job).await?;
            }
            if let Passed::Stopped = self.pass(job, RebuildPhase::CatchingUp).await? {
                claims::give_back(self.store, held).await;
                return Ok(Ended::Stopped);
            }
            let (claim, state) = claims::claim(self.store, self.runtime, &lane).await?;
            match self.swap(&claim, &state, keep).await? {
                Swapped::Done => {
                    self.watch.swapped();
                    self.purge().await?;
                    return Ok(Ended::Swapped(state.counters));
                }
                Swapped::Behind(live) => self.watch.behind(attempt, live.as_ref()),
                Swapped::Superseded => {
                    self.store.release(&claim).await?;
                    return Err(superseded(job.rebuild.projection()));
                }
            }
            self.store.release(&claim).await?;
        }
        Ok(Ended::Stopped)
    }

    async fn swap(&self, claim: &Claim, state: &LaneState, keep: bool) -> Result<Swapped, Failure> {
        let shadow = state.offset.as_ref();
        let has_reached = |live: Option<&Offset>| reached::has_reached(shadow, live);
        Ok(self.store.swap(claim, keep, &has_reached).await?)
    }

    /// Takes the lane in use, so that it stands still for the last part of the way.
    async fn hold_live(&self, job: &Job) -> Result<Option<claims::Held>, Failure> {
        let lane = ProjectionId::new(job.rebuild.projection(), &job.rebuild.key)?;
        self.watch.holding_live();
        claims::hold(self.store, self.runtime, &lane).await
    }

    async fn pass(&self, job: &Job, phase: RebuildPhase) -> Result<Passed, Failure> {
        let lane = job.rebuild.shadow_lane()?;
        let (claim, _) = claims::claim(self.store, self.runtime, &lane).await?;
        let bytes = job.source_bytes();
        self.store.note_rebuild(&claim, phase, bytes).await?;
        let pass = Pass {
            store: self.store,
            runtime: self.runtime,
            watch: Arc::clone(&self.watch),
        };
        pass.over(job, &lane).await
    }

    async fn purge(&self) -> Result<(), Failure> {
        while self.store.purge().await? {}
        Ok(())
    }
}

fn superseded(name: &str) -> Failure {
    Failure::at_run_time(format!(
        "projection {name}: another declaration was deployed since the rebuild began, so it is not \
         put in use; remove it with `rebuild {name} --abort`, then begin again"
    ))
}
