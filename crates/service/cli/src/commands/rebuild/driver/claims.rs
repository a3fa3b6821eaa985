//! The claims that a rebuild holds between the runs of the engine.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Clock, Epoch, LaneState, ProjectionId, SystemClock, Take,
};
use projectionist_engine::ProjectionRuntime;
use projectionist_engine::claim::process;
use projectionist_store_sqlite::SqliteStore;
use tokio::task::JoinHandle;

use crate::exit::Failure;

/// How long a claim holds without being renewed. A process of this machine that died is told at
/// once.
const TTL: Duration = Duration::from_secs(10);

/// A lane that is held, and renewed until this goes.
pub(super) struct Held {
    claim: Claim,
    renewing: JoinHandle<()>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

/// Refuses when somebody else does the rebuild of this lane.
pub(in crate::commands::rebuild) async fn refuse_held(
    store: &SqliteStore,
    lane: &ProjectionId,
) -> Result<(), Failure> {
    let state = store.lane(lane).await?.unwrap_or_default();
    let Some(holder) = state.holder else {
        return Ok(());
    };
    let is_over = holder.expires_at <= SystemClock.now();
    if is_over || holder.owner.process.as_ref().is_some_and(process::is_dead) {
        return Ok(());
    }
    Err(done_by(&holder.owner.label()))
}

/// Claims the lane of a rebuild. The engine takes it over from the same runtime.
pub(super) async fn claim(
    store: &SqliteStore,
    runtime: &ProjectionRuntime,
    lane: &ProjectionId,
) -> Result<(Claim, LaneState), Failure> {
    let mut take = Take::Free;
    loop {
        let asked = request(runtime, lane, take);
        match store.claim(&asked).await? {
            ClaimOutcome::Granted { claim, lane } => return Ok((claim, lane)),
            ClaimOutcome::Held { holder, epoch } => {
                let is_own = holder.owner.instance == runtime.owner().instance;
                let is_gone = holder.owner.process.as_ref().is_some_and(process::is_dead);
                if take == Take::From(epoch) || !(is_own || is_gone) {
                    return Err(done_by(&holder.owner.label()));
                }
                take = Take::From(epoch);
            }
        }
    }
}

/// Takes a lane from whoever has it, and keeps it; `None` when nobody ever had it.
pub(super) async fn hold(
    store: &SqliteStore,
    runtime: &ProjectionRuntime,
    lane: &ProjectionId,
) -> Result<Option<Held>, Failure> {
    if store.lane(lane).await?.is_none() {
        return Ok(None);
    }
    let mut epoch = Epoch(0);
    loop {
        let asked = request(runtime, lane, Take::From(epoch));
        match store.claim(&asked).await? {
            ClaimOutcome::Granted { claim, .. } => {
                let renewing = tokio::spawn(renew(store.clone(), claim.clone()));
                return Ok(Some(Held { claim, renewing }));
            }
            ClaimOutcome::Held { epoch: present, .. } => epoch = present,
        }
    }
}

/// Gives a held lane back. Best effort: it ends by its time too.
pub(super) async fn give_back(store: &SqliteStore, held: Option<Held>) {
    if let Some(held) = held {
        let _released = store.release(&held.claim).await;
    }
}

async fn renew(store: SqliteStore, claim: Claim) {
    loop {
        tokio::time::sleep(TTL / 3).await;
        // A claim that was superseded is not renewed; the swap does not need it.
        let _renewed = store.renew(&claim, TTL).await;
    }
}

fn request(runtime: &ProjectionRuntime, lane: &ProjectionId, take: Take) -> ClaimRequest {
    ClaimRequest {
        lane: lane.clone(),
        owner: runtime.owner().clone(),
        ttl: TTL,
        take,
    }
}

fn done_by(label: &str) -> Failure {
    Failure::at_run_time(format!(
        "{label} does this rebuild already; wait until it has ended, or stop it"
    ))
}
