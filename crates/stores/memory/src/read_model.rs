//! Tables of read models: typed rows by key.

mod migrate;
mod row_key;
mod shape;
mod sums;

use std::collections::BTreeMap;

use projectionist_core::contract::ReadModel;
use projectionist_core::row::{
    Absent, Change, Effect, OwnedCell, Present, RowBatch, RowRef, ScopeDelete, Table,
};
use projectionist_core::{Error, Result};

use crate::state::Undo;
use crate::{MemoryStore, Tx};

pub(crate) use self::migrate::migrated;
pub(crate) use self::row_key::RowKey;
use self::row_key::compare;
use self::shape::Places;
use self::sums::sum;

/// The cells of a row, in the order of the columns of the table as it was made.
pub(crate) type Row = Box<[OwnedCell]>;

/// A table with its rows.
#[derive(Debug)]
pub(crate) struct StoredTable {
    pub(crate) shape: Table,
    pub(crate) rows: BTreeMap<RowKey, Row>,
}

impl StoredTable {
    /// The table without rows.
    pub(crate) fn empty(shape: Table) -> Self {
        Self {
            shape,
            rows: BTreeMap::new(),
        }
    }
}

impl ReadModel for MemoryStore {
    async fn create(&self, tx: &mut Tx, table: &Table) -> Result<()> {
        let Tx { state, undo, .. } = tx;
        if let Some(stored) = state.tables.get(&table.name) {
            table.check_owner(&stored.shape.owner)?;
            return Places::of(&stored.shape, table).map(drop);
        }
        let stored = StoredTable::empty(table.clone());
        state.tables.insert(table.name.clone(), stored);
        undo.push(Undo::Table(table.name.clone()));
        Ok(())
    }

    async fn apply(
        &self,
        tx: &mut Tx,
        table: &Table,
        batch: &RowBatch,
        existed: &mut Vec<bool>,
    ) -> Result<()> {
        let Tx { state, undo, .. } = tx;
        let Some(stored) = state.tables.get_mut(&table.name) else {
            let reason = "does not exist; create it before rows are written";
            return Err(schema_error(table, reason));
        };
        let places = Places::of(&stored.shape, table)?;
        if batch.width() != table.columns.len() {
            let (rows, columns) = (batch.width(), table.columns.len());
            let reason = format!("has {columns} columns; the rows of the batch have {rows}");
            return Err(schema_error(table, reason));
        }
        let mut writer = Writer {
            table,
            places,
            batch,
            rows: &mut stored.rows,
            undo,
        };
        for scope in batch.scopes() {
            writer.delete_scope(scope);
        }
        for effect in batch.effects() {
            let present = writer.write(effect)?;
            if effect.report_existed {
                existed.push(present);
            }
        }
        Ok(())
    }
}

/// Writes one batch into one table.
struct Writer<'a> {
    table: &'a Table,
    places: Places,
    batch: &'a RowBatch,
    rows: &'a mut BTreeMap<RowKey, Row>,
    undo: &'a mut Vec<Undo>,
}

impl Writer<'_> {
    fn delete_scope(&mut self, scope: &ScopeDelete) {
        let matches = |row: &Row| {
            scope.columns.iter().all(|column| {
                let asked = self.batch.cell(scope.row, *column);
                let cell = self.places.cell(row, *column);
                compare(cell, asked).is_eq()
            })
        };
        let doomed: Vec<RowKey> = self
            .rows
            .iter()
            .filter(|(_, row)| matches(row))
            .map(|(key, _)| key.clone())
            .collect();
        for key in doomed {
            self.replace(key, None);
        }
    }

    /// Applies an effect, and says whether the row was there before.
    fn write(&mut self, effect: &Effect) -> Result<bool> {
        let key = RowKey::of(self.table, self.batch, effect.row);
        let Some(present) = self.rows.get(&key) else {
            if effect.absent == Absent::Insert {
                let row = self.row(effect.row)?;
                self.replace(key, Some(row));
            }
            return Ok(false);
        };
        match effect.present {
            Present::Keep => {}
            Present::Delete => self.replace(key, None),
            Present::Overwrite => {
                let row = self.row(effect.row)?;
                self.replace(key, Some(row));
            }
            Present::Change { shape, operands } => {
                let row = self.changed(present, self.batch.changes(shape), operands)?;
                self.replace(key, Some(row));
            }
        }
        Ok(true)
    }

    /// A row of the batch, as it is stored.
    fn row(&self, row: RowRef) -> Result<Row> {
        let mut stored = vec![OwnedCell::Null; self.table.columns.len()];
        for column in 0..stored.len() {
            let cell = self.batch.cell(row, column).into();
            self.set(&mut stored, column, cell)?;
        }
        Ok(stored.into())
    }

    fn changed(&self, present: &Row, changes: &[Change], operands: RowRef) -> Result<Row> {
        let mut row = present.clone();
        let columns = self.table.columns.iter().zip(changes).enumerate();
        for (index, (column, change)) in columns {
            let operand = self.batch.cell(operands, index);
            let cell = match change {
                Change::Keep => continue,
                Change::Set => operand.into(),
                Change::Add => sum(column, self.places.cell(&row, index), operand)
                    .map_err(|reason| row_error(self.table, reason))?,
            };
            self.set(&mut row, index, cell)?;
        }
        Ok(row)
    }

    /// Sets the cell of a declared column, unless it is a null where none may be.
    fn set(&self, row: &mut [OwnedCell], index: usize, cell: OwnedCell) -> Result<()> {
        let column = self.table.columns.get(index);
        let forbidden = column.filter(|column| !column.nullable || self.table.is_key(index));
        if let Some(column) = forbidden
            && cell == OwnedCell::Null
        {
            let reason = format!("column {} cannot be null", column.name);
            return Err(row_error(self.table, reason));
        }
        self.places.set(row, index, cell);
        Ok(())
    }

    /// Puts `row`, or nothing, in the place of `key`.
    fn replace(&mut self, key: RowKey, row: Option<Row>) {
        let before = match row {
            Some(row) => self.rows.insert(key.clone(), row),
            None => self.rows.remove(&key),
        };
        self.undo.push(Undo::Row {
            table: self.table.name.clone(),
            key,
            before,
        });
    }
}

fn schema_error(table: &Table, reason: impl Into<String>) -> Error {
    Error::Schema {
        table: table.name.to_string(),
        reason: reason.into(),
    }
}

fn row_error(table: &Table, reason: String) -> Error {
    Error::Row {
        table: table.name.to_string(),
        reason,
    }
}
