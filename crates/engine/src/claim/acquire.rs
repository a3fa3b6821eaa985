//! Gets a claim, at once or after standing by.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Epoch, Error, Holder, LaneState, Owner, ProjectionId,
    Result, Take,
};
use projectionist_telemetry::StandingBy;
use tokio::time::Instant;

use super::{ClaimConfig, WhenHeld, process};
use crate::signals::Signals;

/// How often a standby looks whether the holder is gone. Looking reads one row.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Gets the claim of `lane`, with the moment at which it was asked for; `None` when the projection
/// was stopped meanwhile. No claim is held while this runs: nothing but a stop interrupts it.
///
/// `on_standby` is told the holder each time another one is met.
pub(crate) async fn acquire<S: OffsetStore>(
    store: &S,
    lane: &ProjectionId,
    owner: &Owner,
    config: &ClaimConfig,
    signals: &Signals,
    mut on_standby: impl FnMut(String),
) -> Result<Option<(Claim, LaneState, Instant)>> {
    let began = Instant::now();
    let mut take = Take::Free;
    let mut met: Option<Epoch> = None;
    loop {
        if signals.is_stopping() {
            return Ok(None);
        }
        let (lane, owner) = (lane.clone(), owner.clone());
        let request = ClaimRequest {
            lane,
            owner,
            ttl: config.ttl,
            take,
        };
        let asked_at = Instant::now();
        let (holder, epoch) = match store.claim(&request).await? {
            ClaimOutcome::Granted { claim, lane } => return Ok(Some((claim, lane, asked_at))),
            ClaimOutcome::Held { holder, epoch } => (holder, epoch),
        };
        if take != Take::From(epoch) && may_take(&holder, &request.owner, config.when_held) {
            take = Take::From(epoch);
            continue;
        }
        take = Take::Free;
        let waited = began.elapsed();
        let give_up = config.when_held == WhenHeld::Fail
            || config.wait_at_most.is_some_and(|limit| waited >= limit);
        if give_up {
            return Err(Error::Held {
                lane: request.lane,
                holder: holder.owner.label(),
            });
        }
        if met != Some(epoch) {
            met = Some(epoch);
            let label = holder.owner.label();
            StandingBy {
                lane: &request.lane,
                holder: &label,
            }
            .emit();
            on_standby(label);
        }
        let wait = config
            .wait_at_most
            .map_or(LOOK_EVERY, |limit| LOOK_EVERY.min(limit - waited));
        tokio::select! {
            _stop = signals.ended() => return Ok(None),
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Gets the claim of `lane` if nobody holds it who lives, for as long as `ttl`.
pub(crate) async fn acquire_once<S: OffsetStore>(
    store: &S,
    lane: &ProjectionId,
    owner: &Owner,
    ttl: Duration,
) -> Result<Option<(Claim, LaneState)>> {
    let mut take = Take::Free;
    loop {
        let (lane, owner) = (lane.clone(), owner.clone());
        let request = ClaimRequest {
            lane,
            owner,
            ttl,
            take,
        };
        match store.claim(&request).await? {
            ClaimOutcome::Granted { claim, lane } => return Ok(Some((claim, lane))),
            ClaimOutcome::Held { holder, epoch } => {
                let next = Take::From(epoch);
                if take == next || !may_take(&holder, &request.owner, WhenHeld::Fail) {
                    return Ok(None);
                }
                take = next;
            }
        }
    }
}

/// Whether the lane may be taken although its holder's time is not over. A claim of our own
/// instance is one that could not be given back: a runtime runs a projection once.
fn may_take(holder: &Holder, asker: &Owner, when_held: WhenHeld) -> bool {
    when_held == WhenHeld::Steal
        || holder.owner.instance == asker.instance
        || holder.owner.process.as_ref().is_some_and(process::is_dead)
}
