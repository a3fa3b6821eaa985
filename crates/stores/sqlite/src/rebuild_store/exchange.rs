//! The steps that put another generation in use.

use projectionist_core::contract::{NewDeclaration, Reached, Swapped};
use projectionist_core::rebuild::{Beside, Rebuild};
use projectionist_core::{ProjectionId, Result, Timestamp};
use rusqlite::Connection;

use super::generation::{self, Generation};
use super::records::{self, Kept};
use super::{lanes, leftovers, shadow_of, tables};
use crate::error::store_error;
use crate::{declaration_store, lane_row};

/// Puts what was built in use, where that is right.
pub(super) fn swap(
    connection: &Connection,
    rebuild: &Rebuild,
    keep: bool,
    reached: Reached<'_>,
    now: Timestamp,
) -> Result<Swapped> {
    let name = rebuild.projection();
    if declaration_store::kept_hash(connection, name)? != rebuild.replaces {
        return Ok(Swapped::Superseded);
    }
    let lane = ProjectionId::new(name, &rebuild.key)?;
    let live = lane_row::read(connection, &lane)?.and_then(|live| live.offset);
    if !reached(live.as_ref()) {
        return Ok(Swapped::Behind(live));
    }
    let live = Generation {
        projection: name.to_owned(),
        table: rebuild.live_table.clone(),
    };
    let built = shadow_of(rebuild);
    let in_use = Generation {
        projection: name.to_owned(),
        table: Some(rebuild.table.clone()),
    };
    if let Some(kept) = records::kept_of(connection, name)? {
        generation::drop_all_of(connection, &kept.generation())?;
        records::remove_kept(connection, name)?;
    }
    let epochs = lanes::epochs(connection, name)?;
    let attached = tables::detach(connection, &live, &built, &in_use)?;
    if keep {
        let old_table = rebuild.live_table.as_ref().unwrap_or(&rebuild.table);
        records::keep(connection, name, old_table, &rebuild.table, now)?;
        let kept = Generation::beside(Beside::Kept, name, old_table);
        generation::rename(connection, &live, &kept)?;
    } else {
        generation::drop(connection, &live)?;
    }
    generation::rename(connection, &built, &in_use)?;
    attached.attach(connection)?;
    lanes::supersede(connection, name, &epochs)?;
    declare(connection, rebuild, now)
        .map_err(|error| store_error(format!("keep the declaration of {name}"), error))?;
    records::remove(connection, name)?;
    Ok(Swapped::Done)
}

/// Keeps what was built as the declaration of the projection, and what it was built from.
fn declare(connection: &Connection, rebuild: &Rebuild, now: Timestamp) -> rusqlite::Result<()> {
    let new = NewDeclaration {
        declaration: rebuild.declaration.clone(),
        replaces: rebuild.replaces.clone(),
    };
    declaration_store::keep(connection, &new, now.unix_millis)?;
    connection
        .prepare_cached("UPDATE projectionist_declarations SET source = ?2 WHERE projection = ?1")?
        .execute((rebuild.projection(), &rebuild.source))?;
    Ok(())
}

/// Puts what is kept in use, and keeps what was; `false` when nothing is kept.
pub(super) fn revert(connection: &Connection, name: &str, now: Timestamp) -> Result<bool> {
    let Some(kept) = records::kept_of(connection, name)? else {
        return Ok(false);
    };
    let Kept {
        table, replaced_by, ..
    } = &kept;
    let named = |table: &std::sync::Arc<str>| Generation {
        projection: name.to_owned(),
        table: Some(table.clone()),
    };
    let (live, in_use) = (named(replaced_by), named(table));
    let stored = kept.generation();
    let passing = Generation::beside(Beside::Passing, name, table);
    let epochs = lanes::epochs(connection, name)?;
    let attached = tables::detach(connection, &live, &stored, &in_use)?;
    generation::rename(connection, &stored, &passing)?;
    let aside = Generation::beside(Beside::Kept, name, replaced_by);
    generation::rename(connection, &live, &aside)?;
    generation::rename(connection, &passing, &in_use)?;
    attached.attach(connection)?;
    lanes::supersede(connection, name, &epochs)?;
    records::exchange_kept(connection, &kept, now)?;
    Ok(true)
}

/// Empties what is in use.
pub(super) fn reset(connection: &Connection, live: &Generation) -> Result<()> {
    tables::empty(connection, live)?;
    let name = &live.projection;
    leftovers::set_guard_aside(connection, name)?;
    for text in [
        "DELETE FROM projectionist_dead_letters WHERE projection = ?1",
        "DELETE FROM projectionist_parked WHERE name = ?1",
    ] {
        connection
            .prepare_cached(text)
            .and_then(|mut statement| statement.execute([name]))
            .map_err(|error| store_error(format!("empty {name}"), error))?;
    }
    lanes::reset(connection, name)
}
