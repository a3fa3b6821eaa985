//! Tables of read models: typed rows by key.

use std::collections::BTreeMap;

use projectionist_core::contract::ReadModel;
use projectionist_core::row::{
    Absent, Change, Effect, OwnedCell, Present, RowBatch, RowRef, ScopeDelete, Table,
};
use projectionist_core::{Error, Result};

use crate::row_key::{RowKey, compare};
use crate::state::Undo;
use crate::sum::sum;
use crate::{MemoryStore, Tx};

/// The cells of a row, in the order of the table's columns.
pub(crate) type Row = Box<[OwnedCell]>;

/// A table with its rows.
#[derive(Debug)]
pub(crate) struct StoredTable {
    pub(crate) shape: Table,
    pub(crate) rows: BTreeMap<RowKey, Row>,
}

impl ReadModel for MemoryStore {
    async fn create(&self, tx: &mut Tx, table: &Table) -> Result<()> {
        let Tx { state, undo } = tx;
        if let Some(stored) = state.tables.get(&table.name) {
            return same_shape(&stored.shape, table);
        }
        let stored = StoredTable {
            shape: table.clone(),
            rows: BTreeMap::new(),
        };
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
        let Tx { state, undo } = tx;
        let Some(stored) = state.tables.get_mut(&table.name) else {
            let reason = "does not exist; create it before rows are written";
            return Err(schema_error(table, reason));
        };
        same_shape(&stored.shape, table)?;
        if batch.width() != table.columns.len() {
            let (rows, columns) = (batch.width(), table.columns.len());
            let reason = format!("has {columns} columns; the rows of the batch have {rows}");
            return Err(schema_error(table, reason));
        }
        let mut writer = Writer {
            table,
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
    batch: &'a RowBatch,
    rows: &'a mut BTreeMap<RowKey, Row>,
    undo: &'a mut Vec<Undo>,
}

impl Writer<'_> {
    fn delete_scope(&mut self, scope: &ScopeDelete) {
        let matches = |row: &Row| {
            scope.columns.iter().all(|column| {
                let asked = self.batch.cell(scope.row, *column);
                row.get(*column)
                    .is_some_and(|cell| compare(cell.as_cell(), asked).is_eq())
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

    /// A row of the batch.
    fn row(&self, row: RowRef) -> Result<Row> {
        let columns = 0..self.table.columns.len();
        self.without_forbidden_nulls(
            columns
                .map(|column| self.batch.cell(row, column).into())
                .collect(),
        )
    }

    fn changed(&self, present: &Row, changes: &[Change], operands: RowRef) -> Result<Row> {
        let mut row = present.clone();
        let columns = self.table.columns.iter().zip(changes).enumerate();
        for ((index, (column, change)), cell) in columns.zip(&mut row) {
            let operand = self.batch.cell(operands, index);
            match change {
                Change::Keep => {}
                Change::Set => *cell = operand.into(),
                Change::Add => {
                    *cell = sum(column, cell.as_cell(), operand)
                        .map_err(|reason| row_error(self.table, reason))?;
                }
            }
        }
        self.without_forbidden_nulls(row)
    }

    fn without_forbidden_nulls(&self, row: Row) -> Result<Row> {
        for (index, (column, cell)) in self.table.columns.iter().zip(&row).enumerate() {
            if *cell == OwnedCell::Null && (!column.nullable || self.table.is_key(index)) {
                let reason = format!("column {} cannot be null", column.name);
                return Err(row_error(self.table, reason));
            }
        }
        Ok(row)
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

/// Refuses a table whose columns or key differ from those that are stored. Defaults may differ:
/// they say what is written, not what the table holds.
fn same_shape(stored: &Table, declared: &Table) -> Result<()> {
    let reason = if stored.columns.len() != declared.columns.len() {
        let (is, shall) = (stored.columns.len(), declared.columns.len());
        format!("has {is} columns, {shall} are declared")
    } else if stored.key != declared.key {
        "has another primary key than is declared".to_owned()
    } else {
        let mut pairs = stored.columns.iter().zip(declared.columns.iter());
        let other = pairs.find(|(is, shall)| {
            is.name != shall.name
                || is.column_type != shall.column_type
                || is.nullable != shall.nullable
        });
        let Some((is, shall)) = other else {
            return Ok(());
        };
        let null = |nullable| if nullable { "" } else { " NOT NULL" };
        format!(
            "has the column {} {}{}, declared is {} {}{}",
            is.name,
            is.column_type,
            null(is.nullable),
            shall.name,
            shall.column_type,
            null(shall.nullable)
        )
    };
    let reason = format!("{reason}; rebuild the projection, or name another table");
    Err(schema_error(declared, reason))
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
