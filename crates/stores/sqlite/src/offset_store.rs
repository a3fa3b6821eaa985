//! Claims and commits of lanes, each in a transaction of its own.

use std::time::Duration;

use projectionist_core::contract::{OffsetStore, Placement};
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Commit, Epoch, LaneState, ProjectionId, Result, Take,
    Timestamp,
};
use rusqlite::{Connection, Params};

use crate::SqliteStore;
use crate::error::{signed, store_error};
use crate::{lane_move, lane_row};

impl OffsetStore for SqliteStore {
    async fn claim(&self, request: &ClaimRequest) -> Result<ClaimOutcome> {
        // Whoever waits for a lane asks again and again: that must not take the write lock.
        let seen = self.lane(&request.lane).await?;
        if let Some(held) = held(seen.as_ref(), request.take, self.clock.now()) {
            return Ok(held);
        }
        let mut writer = self.file.writer().await;
        writer.rows.forget(&request.lane);
        writer.transaction(|connection| grant(connection, request, || self.clock.now()))
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        let mut writer = self.file.writer().await;
        writer.transaction(|connection| {
            let expires_at = self.clock.now().plus(ttl).unix_millis;
            let renewed = execute(
                connection,
                "UPDATE projectionist_lanes SET owner = ?4, owner_process = ?5, expires_at = ?6
                 WHERE name = ?1 AND key = ?2 AND epoch = ?3",
                (
                    claim.lane.name(),
                    claim.lane.key(),
                    signed(claim.epoch.0),
                    &claim.owner.instance,
                    lane_row::process_text(&claim.owner),
                    expires_at,
                ),
                || format!("renew the claim of {}", claim.lane),
            )?;
            if renewed == 1 {
                return Ok(());
            }
            let state = lane_row::read(connection, &claim.lane)?;
            Err(lane_row::fenced(claim, state.as_ref()))
        })
    }

    async fn release(&self, claim: &Claim) -> Result<()> {
        let mut writer = self.file.writer().await;
        writer.transaction(|connection| {
            execute(
                connection,
                "UPDATE projectionist_lanes SET owner = NULL, owner_process = NULL, expires_at = NULL
                 WHERE name = ?1 AND key = ?2 AND epoch = ?3",
                (claim.lane.name(), claim.lane.key(), signed(claim.epoch.0)),
                || format!("release {}", claim.lane),
            )?;
            Ok(())
        })
    }

    async fn commit(&self, claim: &Claim, commit: &Commit) -> Result<()> {
        let mut writer = self.file.writer().await;
        writer.rows.forget(&claim.lane);
        writer.transaction(|connection| {
            lane_move::advance(connection, claim, commit, self.clock.now())
        })
    }

    async fn lane(&self, lane: &ProjectionId) -> Result<Option<LaneState>> {
        self.file
            .read(|connection| lane_row::read(connection, lane))
    }

    async fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        self.file.read(lane_row::read_all)
    }

    fn placement(&self) -> Placement {
        Placement::OwnThread
    }
}

/// The answer to someone who may not have the lane yet.
fn held(state: Option<&LaneState>, take: Take, now: Timestamp) -> Option<ClaimOutcome> {
    let state = state?;
    let holder = state.holder.as_ref()?;
    let granted = now >= holder.expires_at || take == Take::From(state.epoch);
    (!granted).then(|| ClaimOutcome::Held {
        holder: holder.clone(),
        epoch: state.epoch,
    })
}

fn grant(
    connection: &Connection,
    request: &ClaimRequest,
    now: impl FnOnce() -> Timestamp,
) -> Result<ClaimOutcome> {
    let now = now();
    let state = lane_row::read(connection, &request.lane)?;
    if let Some(held) = held(state.as_ref(), request.take, now) {
        return Ok(held);
    }
    let claim = Claim {
        lane: request.lane.clone(),
        owner: request.owner.clone(),
        epoch: Epoch(state.map_or(0, |state| state.epoch.0) + 1),
    };
    execute(
        connection,
        "INSERT INTO projectionist_lanes (name, key, epoch, owner, owner_process, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (name, key) DO UPDATE SET
             epoch = excluded.epoch, owner = excluded.owner,
             owner_process = excluded.owner_process, expires_at = excluded.expires_at",
        (
            claim.lane.name(),
            claim.lane.key(),
            signed(claim.epoch.0),
            &claim.owner.instance,
            lane_row::process_text(&claim.owner),
            now.plus(request.ttl).unix_millis,
        ),
        || format!("claim {}", claim.lane),
    )?;
    let lane = lane_row::read(connection, &claim.lane)?;
    let lane = lane.ok_or_else(|| lane_row::fenced(&claim, None))?;
    Ok(ClaimOutcome::Granted { claim, lane })
}

fn execute(
    connection: &Connection,
    text: &str,
    parameters: impl Params,
    action: impl Fn() -> String,
) -> Result<usize> {
    connection
        .prepare_cached(text)
        .and_then(|mut statement| statement.execute(parameters))
        .map_err(|error| store_error(action(), error))
}
