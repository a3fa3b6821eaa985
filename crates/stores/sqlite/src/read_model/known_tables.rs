//! The tables that were seen, so that a batch costs no look at the schema.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use projectionist_core::Result;
use projectionist_core::row::{Table, TableName};

use super::statements::Statements;

/// The most tables that are remembered; beyond that all are looked at again.
const MOST: usize = 2_000;

/// What is known of the tables of a file, at one version of its schema.
#[derive(Debug, Default)]
pub(crate) struct KnownTables {
    schema_version: i64,
    known: HashMap<TableName, KnownTable>,
    /// Whether something was learnt in the open transaction. It may not hold after a rollback.
    uncommitted: bool,
}

#[derive(Debug)]
struct KnownTable {
    table: Table,
    statements: Statements,
    /// Whether the file has it in this shape, for this owner.
    verified: bool,
}

impl KnownTables {
    /// Forgets what was seen when the schema is not the same any more.
    pub(super) fn at_version(&mut self, schema_version: i64) {
        if self.schema_version != schema_version {
            self.schema_version = schema_version;
            self.verify_again();
        }
    }

    /// Whether the file is known to have the table in this shape.
    pub(super) fn is_verified(&self, table: &Table) -> bool {
        self.known
            .get(&table.name)
            .is_some_and(|known| known.verified && same(&known.table, table))
    }

    /// Notes that the file has the table in this shape, at this version of its schema: the table
    /// itself may have made a new one.
    pub(super) fn verified(&mut self, table: &Table, schema_version: i64) -> Result<()> {
        self.uncommitted = true;
        self.schema_version = schema_version;
        self.entry(table)?.verified = true;
        Ok(())
    }

    /// The texts for a table, whether it was seen or not.
    pub(super) fn statements(&mut self, table: &Table) -> Result<&mut Statements> {
        self.entry(table).map(|known| &mut known.statements)
    }

    pub(crate) fn committed(&mut self) {
        self.uncommitted = false;
    }

    pub(crate) fn rolled_back(&mut self) {
        if std::mem::take(&mut self.uncommitted) {
            self.verify_again();
        }
    }

    /// Every table may be another one now.
    pub(crate) fn forget(&mut self) {
        self.verify_again();
    }

    fn verify_again(&mut self) {
        for known in self.known.values_mut() {
            known.verified = false;
        }
    }

    fn entry(&mut self, table: &Table) -> Result<&mut KnownTable> {
        if self.known.len() >= MOST && !self.known.contains_key(&table.name) {
            self.known.clear();
        }
        match self.known.entry(table.name.clone()) {
            Entry::Occupied(mut entry) => {
                if !same(&entry.get().table, table) {
                    entry.insert(KnownTable::of(table)?);
                }
                Ok(entry.into_mut())
            }
            Entry::Vacant(entry) => Ok(entry.insert(KnownTable::of(table)?)),
        }
    }
}

impl KnownTable {
    fn of(table: &Table) -> Result<Self> {
        Ok(Self {
            table: table.clone(),
            statements: Statements::of(table)?,
            verified: false,
        })
    }
}

/// Whether two tables of one name are equal; clones are without a look at their columns.
fn same(a: &Table, b: &Table) -> bool {
    let shared = Arc::ptr_eq(&a.columns, &b.columns) && Arc::ptr_eq(&a.key, &b.key);
    a.owner == b.owner
        && a.indexes == b.indexes
        && (shared || (a.columns == b.columns && a.key == b.key))
}
