//! Who keeps the lane, and how it is handled.

use std::path::Path;
use std::time::Duration;

use projectionist_store_memory::MemoryStore;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use super::ask::Ask;
use super::stuck::Stuck;
use crate::database;
use crate::failure::Outcome;

/// A store in which the lane is kept, and the guarantee under which it is handled.
#[derive(Clone, Debug)]
pub enum Keeper {
    /// In memory: what remains is the engine.
    Memory(MemoryStore),
    /// In a file: a flag that is stored is a transaction, and the projection has a thread.
    Sqlite(SqliteStore),
    /// In a file, handled in its transactions: a handler holds what storing a flag needs.
    SqliteExactlyOnce(SqliteStore),
}

impl Keeper {
    /// All of them, the file in `folder` made anew.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn all(folder: &Path) -> Outcome<[Self; 3]> {
        std::fs::create_dir_all(folder)?;
        let path = folder.join("answers.db");
        database::remove(&path)?;
        let file = SqliteStore::open(&path, SqliteOptions::default())?;
        Ok([
            Self::Memory(MemoryStore::new()),
            Self::Sqlite(file.clone()),
            Self::SqliteExactlyOnce(file),
        ])
    }

    /// The name in the report.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Memory(_) => "memory, at-least-once",
            Self::Sqlite(_) => "sqlite, at-least-once",
            Self::SqliteExactlyOnce(_) => "sqlite, exactly-once",
        }
    }

    /// How long a stuck projection over this store takes to answer.
    ///
    /// # Errors
    /// As [`Ask::once`].
    pub async fn ask(&self, ask: Ask, stuck: Stuck) -> Outcome<Duration> {
        match self {
            Self::Memory(store) => ask.once(stuck, stuck.at_least_once(store.clone())).await,
            Self::Sqlite(store) => ask.once(stuck, stuck.at_least_once(store.clone())).await,
            Self::SqliteExactlyOnce(store) => {
                ask.once(stuck, stuck.exactly_once(store.clone())).await
            }
        }
    }
}
