//! Everything that a store holds, and how a transaction's writes are taken back.

use std::collections::BTreeMap;

use projectionist_core::contract::StoredDeadLetter;
use projectionist_core::row::TableName;
use projectionist_core::{Counters, ProjectionId, Timestamp};

use crate::dead_letter_store::Letters;
use crate::declaration_store::Declarations;
use crate::entries::Entries;
use crate::lanes::Lanes;
use crate::management::{Flags, Requests};
use crate::owner_report_store::OwnerReports;
use crate::parked_store::Parked;
use crate::read_model::{Row, RowKey, StoredTable};
use crate::sequence_guard::{GuardVersions, Guards, Scope};

/// Everything that a store holds.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) lanes: Lanes,
    pub(crate) letters: Letters,
    pub(crate) parked: Parked,
    pub(crate) flags: Flags,
    pub(crate) requests: Requests,
    pub(crate) owner_reports: OwnerReports,
    pub(crate) tables: BTreeMap<TableName, StoredTable>,
    pub(crate) guards: Guards,
    pub(crate) guard_versions: GuardVersions,
    pub(crate) entries: Entries,
    pub(crate) declarations: Declarations,
}

/// What a write replaced.
#[derive(Debug)]
pub(crate) enum Undo {
    /// A table was made.
    Table(TableName),
    /// A row was written or deleted.
    Row {
        table: TableName,
        key: RowKey,
        before: Option<Row>,
    },
    /// A sequence number was recorded.
    Sequence {
        scope: Scope,
        entity: Box<str>,
        before: Option<i64>,
    },
    /// A letter was settled.
    Letter(StoredDeadLetter),
    /// A lane counted anew what had been a dead letter.
    Counters {
        lane: ProjectionId,
        counters: Counters,
        updated_at: Option<Timestamp>,
    },
    /// An entry was written or deleted.
    Entry {
        table: String,
        key: String,
        before: Option<String>,
    },
}

impl State {
    /// Takes one write back. Writes are taken back in the reverse of their order.
    pub(crate) fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Table(name) => {
                self.tables.remove(&name);
            }
            Undo::Row { table, key, before } => {
                if let Some(stored) = self.tables.get_mut(&table) {
                    match before {
                        Some(row) => stored.rows.insert(key, row),
                        None => stored.rows.remove(&key),
                    };
                }
            }
            Undo::Sequence {
                scope,
                entity,
                before,
            } => {
                let entities = self.guards.entry(scope).or_default();
                match before {
                    Some(sequence) => entities.insert(entity, sequence),
                    None => entities.remove(&entity),
                };
            }
            Undo::Letter(before) => self.letters.put(before),
            Undo::Counters {
                lane,
                counters,
                updated_at,
            } => {
                if let Some(lane) = self.lanes.get_mut(&lane) {
                    lane.counters = counters;
                    lane.updated_at = updated_at;
                }
            }
            Undo::Entry { table, key, before } => {
                let entries = self.entries.entry(table).or_default();
                match before {
                    Some(value) => entries.insert(key, value),
                    None => entries.remove(&key),
                };
            }
        }
    }
}
