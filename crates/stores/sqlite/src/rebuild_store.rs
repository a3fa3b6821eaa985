//! Rebuilds: a generation beside the one in use, and the transactions that exchange them.

mod compare;
mod exchange;
mod generation;
mod lanes;
mod leftovers;
mod records;
mod tables;

use std::sync::Arc;

use projectionist_core::contract::{Reached, RebuildStore, Swapped};
use projectionist_core::rebuild::{Beside, Comparison, KeptGeneration, Rebuild, RebuildPhase};
use projectionist_core::row::Table;
use projectionist_core::{Claim, Error, Result};
use rusqlite::Connection;

use self::generation::Generation;
use crate::error::store_error;
use crate::{SqliteStore, lane_row};

impl RebuildStore for SqliteStore {
    async fn rebuilds(&self) -> Result<Vec<Rebuild>> {
        self.file.read(records::rebuilds)
    }

    async fn kept_generations(&self) -> Result<Vec<KeptGeneration>> {
        self.file.read(records::kept_generations)
    }

    async fn begin_rebuild(&self, rebuild: &Rebuild) -> Result<Rebuild> {
        let now = self.clock.now();
        self.exchange(|connection| {
            let name = rebuild.projection();
            if records::rebuild_of(connection, name)?.is_some() {
                records::resume(connection, rebuild, now)?;
            } else {
                generation::drop_all_of(connection, &shadow_of(rebuild))?;
                records::add(connection, rebuild, now)?;
                lanes::make_shadow(connection, rebuild, now)?;
            }
            records::rebuild_of(connection, name)?.ok_or_else(|| missing(name))
        })
        .await
    }

    async fn note_rebuild(
        &self,
        claim: &Claim,
        phase: RebuildPhase,
        source_bytes: Option<u64>,
    ) -> Result<()> {
        let name = live_name(claim)?;
        let mut writer = self.file.writer().await;
        writer.transaction(|connection| {
            check_claim(connection, claim)?;
            records::note(connection, name, phase, source_bytes)
        })
    }

    async fn compare(
        &self,
        rebuild: &Rebuild,
        live: Option<&Table>,
        shadow: &Table,
        sample: usize,
    ) -> Result<Comparison> {
        let connection = self.file.fresh_reader()?;
        compare::compare(&connection, rebuild, live, shadow, sample)
    }

    async fn swap(&self, claim: &Claim, keep: bool, reached: Reached<'_>) -> Result<Swapped> {
        let name = live_name(claim)?;
        let now = self.clock.now();
        self.exchange(|connection| {
            check_claim(connection, claim)?;
            let rebuild = records::rebuild_of(connection, name)?.ok_or_else(|| missing(name))?;
            exchange::swap(connection, &rebuild, keep, reached, now)
        })
        .await
    }

    async fn revert(&self, projection: &str) -> Result<bool> {
        let now = self.clock.now();
        self.exchange(|connection| exchange::revert(connection, projection, now))
            .await
    }

    async fn drop_shadow(&self, projection: &str) -> Result<bool> {
        self.exchange(|connection| {
            let Some(rebuild) = records::rebuild_of(connection, projection)? else {
                return Ok(false);
            };
            generation::drop_all_of(connection, &shadow_of(&rebuild))?;
            records::remove(connection, projection)?;
            Ok(true)
        })
        .await
    }

    async fn reset(&self, table: &Table) -> Result<()> {
        let live = Generation {
            projection: table.owner.to_string(),
            table: Some(Arc::clone(&table.name.name)),
        };
        self.exchange(|connection| exchange::reset(connection, &live))
            .await
    }

    async fn purge(&self) -> Result<bool> {
        let mut writer = self.file.writer().await;
        writer.transaction(leftovers::purge)
    }
}

impl SqliteStore {
    /// Runs a step after which names may stand for something else, in a transaction of its own.
    async fn exchange<T>(&self, step: impl FnOnce(&Connection) -> Result<T> + Send) -> Result<T> {
        let mut writer = self.file.writer().await;
        let outcome = writer.transaction(step);
        writer.forget();
        outcome
    }
}

/// What a rebuild builds.
fn shadow_of(rebuild: &Rebuild) -> Generation {
    Generation::beside(Beside::Shadow, rebuild.projection(), &rebuild.table)
}

/// The projection in use whose shadow this claim moves.
fn live_name(claim: &Claim) -> Result<&str> {
    match Beside::of_projection(claim.lane.name()) {
        Some((Beside::Shadow, live)) => Ok(live),
        _ => Err(Error::Configuration {
            subject: format!("claim of {}", claim.lane),
            reason: "it is not the lane of a rebuild; claim that one".to_owned(),
        }),
    }
}

fn check_claim(connection: &Connection, claim: &Claim) -> Result<()> {
    let lane = lane_row::read(connection, &claim.lane)?;
    match lane {
        Some(lane) if lane.epoch == claim.epoch => Ok(()),
        lane => Err(lane_row::fenced(claim, lane.as_ref())),
    }
}

fn missing(projection: &str) -> Error {
    store_error(
        format!("find the rebuild of {projection}"),
        rusqlite::Error::QueryReturnedNoRows,
    )
}
