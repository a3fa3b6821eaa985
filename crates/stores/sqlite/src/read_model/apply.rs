//! Writes a batch, row by row, with one prepared statement for each kind of effect.

use projectionist_core::row::{
    Absent, Cell, Change, Effect, Present, RowBatch, RowRef, ScopeDelete, ShapeRef, Table,
};
use projectionist_core::{Error, Result};
use rusqlite::{CachedStatement, Connection};

use super::bind::bind;
use super::fault;
use super::statements::Statements;

/// Runs the scope deletes and then the effects.
pub(super) fn apply(
    connection: &Connection,
    statements: &mut Statements,
    table: &Table,
    batch: &RowBatch,
    existed: &mut Vec<bool>,
) -> Result<()> {
    let width = table.columns.len();
    if !batch.is_empty() && batch.width() != width {
        return Err(Error::Configuration {
            subject: format!("batch for table {}", table.name),
            reason: format!(
                "its rows have {} columns, the table has {width}",
                batch.width()
            ),
        });
    }
    let mut application = Application {
        connection,
        statements,
        table,
        batch,
        prepared: Vec::new(),
        in_use: Vec::new(),
        text: String::new(),
    };
    let same_columns = |a: &ScopeDelete, b: &ScopeDelete| a.columns == b.columns;
    for scopes in batch.scopes().chunk_by(same_columns) {
        application.delete_scopes(scopes)?;
    }
    for effect in batch.effects() {
        let found = application.write(effect)?;
        if effect.report_existed {
            existed.push(found);
        }
    }
    Ok(())
}

/// What one statement does with a row. A change comes with its operands.
#[derive(Clone, Copy, Debug)]
enum Action {
    InsertOrKeep,
    InsertOrOverwrite,
    InsertOrChange(ShapeRef, RowRef),
    Overwrite,
    Change(ShapeRef, RowRef),
    Delete,
    Find,
}

impl Action {
    /// The number of its statement: from 0, and below twice the shapes and five. Operands are parameters, so all changes
    /// of one shape share one.
    fn place(self) -> usize {
        match self {
            Self::InsertOrKeep => 0,
            Self::InsertOrOverwrite => 1,
            Self::Overwrite => 2,
            Self::Delete => 3,
            Self::Find => 4,
            Self::Change(shape, _) => 5 + 2 * shape.index(),
            Self::InsertOrChange(shape, _) => 6 + 2 * shape.index(),
        }
    }
}

struct Application<'a> {
    connection: &'a Connection,
    statements: &'a mut Statements,
    table: &'a Table,
    batch: &'a RowBatch,
    /// The statements in use.
    prepared: Vec<CachedStatement<'a>>,
    /// The index of the statement of each [`Action::place`], where it is in use.
    in_use: Vec<Option<usize>>,
    /// The text form of the value that is bound, in a buffer that is kept.
    text: String,
}

impl<'a> Application<'a> {
    fn delete_scopes(&mut self, scopes: &[ScopeDelete]) -> Result<()> {
        let Some(first) = scopes.first() else {
            return Ok(());
        };
        let text = self.statements.scope_delete(self.table, &first.columns);
        let mut statement = self
            .connection
            .prepare_cached(text)
            .map_err(|error| fault::unprepared(self.table, error))?;
        for scope in scopes {
            for column in scope.columns.iter().copied() {
                let cell = self.batch.cell(scope.row, column);
                bind(&mut statement, column, cell, &mut self.text)
                    .map_err(|unbound| fault::unbound(self.table, column, unbound))?;
            }
            statement.raw_execute().map_err(|error| {
                fault::of_rows(self.table, &first.columns, self.batch, scope.row, error)
            })?;
        }
        Ok(())
    }

    /// Writes one effect. Tells whether the row existed, where that is asked for.
    fn write(&mut self, effect: &Effect) -> Result<bool> {
        let present = self.simplify(effect.present);
        if let Some(action) = self.in_one_statement(effect, present) {
            // Asked of `InsertOrKeep` alone, which changes nothing where it finds a row.
            return Ok(self.run(action, effect.row)? == 0);
        }
        let found = match present {
            Present::Keep if effect.absent == Absent::Stay && !effect.report_existed => {
                return Ok(false);
            }
            Present::Keep => self.find(effect.row)?,
            Present::Overwrite => self.run(Action::Overwrite, effect.row)? > 0,
            Present::Change { shape, operands } => {
                self.run(Action::Change(shape, operands), effect.row)? > 0
            }
            Present::Delete => self.run(Action::Delete, effect.row)? > 0,
        };
        if !found && effect.absent == Absent::Insert {
            self.run(Action::InsertOrKeep, effect.row)?;
        }
        Ok(found)
    }

    /// What changes nothing keeps the row.
    fn simplify(&self, present: Present) -> Present {
        let keeps = match present {
            Present::Overwrite => self.statements.overwrite.is_none(),
            Present::Change { shape, .. } => changed_columns(self.table, self.batch, shape)
                .next()
                .is_none(),
            Present::Keep | Present::Delete => false,
        };
        if keeps { Present::Keep } else { present }
    }

    /// The action that does both halves of an effect, where there is one that also tells what it
    /// is asked.
    fn in_one_statement(&self, effect: &Effect, present: Present) -> Option<Action> {
        if effect.absent == Absent::Stay || self.lacks_value(effect.row) {
            return None;
        }
        match present {
            Present::Keep => Some(Action::InsertOrKeep),
            _ if effect.report_existed => None,
            Present::Overwrite => Some(Action::InsertOrOverwrite),
            Present::Change { shape, operands } => Some(Action::InsertOrChange(shape, operands)),
            Present::Delete => None,
        }
    }

    /// Whether the row has a null where none may be. SQLite refuses to insert it before it looks
    /// whether there is a row to keep or to change instead.
    fn lacks_value(&self, row: RowRef) -> bool {
        let mut required = self.statements.required.iter();
        required.any(|column| self.batch.cell(row, *column) == Cell::Null)
    }

    fn find(&mut self, row: RowRef) -> Result<bool> {
        let mut rows = self.bound(Action::Find, row)?.raw_query();
        let found = rows.next().map(|row| row.is_some());
        drop(rows);
        found.map_err(|error| self.explain(row, error))
    }

    /// Runs one statement; gives the number of rows that it changed.
    fn run(&mut self, action: Action, row: RowRef) -> Result<usize> {
        let changed = self.bound(action, row)?.raw_execute();
        changed.map_err(|error| self.explain(row, error))
    }

    /// The statement of an action, with everything bound.
    fn bound(&mut self, action: Action, row: RowRef) -> Result<&mut CachedStatement<'a>> {
        let index = self.prepare(action)?;
        let (table, batch) = (self.table, self.batch);
        let statement = &mut self.prepared[index];
        let text = &mut self.text;
        let mut put = |parameter, row, column| {
            bind(statement, parameter, batch.cell(row, column), text)
                .map_err(|unbound| fault::unbound(table, column, unbound))
        };
        match action {
            Action::Change(..) | Action::Delete | Action::Find => {
                for column in table.key.iter().copied() {
                    put(column, row, column)?;
                }
            }
            Action::InsertOrKeep
            | Action::InsertOrOverwrite
            | Action::InsertOrChange(..)
            | Action::Overwrite => {
                for column in 0..table.columns.len() {
                    put(column, row, column)?;
                }
            }
        }
        if let Action::Change(shape, operands) | Action::InsertOrChange(shape, operands) = action {
            for column in changed_columns(table, batch, shape) {
                put(table.columns.len() + column, operands, column)?;
            }
        }
        Ok(&mut self.prepared[index])
    }

    /// The index of the action's statement among those in use.
    fn prepare(&mut self, action: Action) -> Result<usize> {
        let place = action.place();
        if let Some(Some(index)) = self.in_use.get(place) {
            return Ok(*index);
        }
        let text = self.text_of(action)?;
        let statement = self.connection.prepare_cached(&text);
        let statement = statement.map_err(|error| fault::unprepared(self.table, error))?;
        let index = self.prepared.len();
        self.prepared.push(statement);
        if self.in_use.len() <= place {
            self.in_use.resize(place + 1, None);
        }
        self.in_use[place] = Some(index);
        Ok(index)
    }

    fn text_of(&mut self, action: Action) -> Result<Box<str>> {
        let (table, batch) = (self.table, self.batch);
        let statements = &mut *self.statements;
        Ok(match action {
            Action::InsertOrKeep => statements.insert_or_keep.clone(),
            Action::InsertOrOverwrite => statements.insert_or_overwrite.clone(),
            Action::InsertOrChange(shape, _) => {
                statements
                    .change(table, batch.changes(shape))?
                    .insert_or_change
            }
            Action::Overwrite => statements.overwrite.clone().unwrap_or_default(),
            Action::Change(shape, _) => statements.change(table, batch.changes(shape))?.change,
            Action::Delete => statements.delete.clone(),
            Action::Find => statements.find.clone(),
        })
    }

    fn explain(&self, row: RowRef, error: rusqlite::Error) -> Error {
        fault::of_rows(self.table, &self.table.key, self.batch, row, error)
    }
}

/// The columns that a change changes.
fn changed_columns<'a>(
    table: &'a Table,
    batch: &'a RowBatch,
    shape: ShapeRef,
) -> impl Iterator<Item = usize> + 'a {
    let changes = batch.changes(shape).iter().enumerate();
    changes
        .filter(|(index, change)| **change != Change::Keep && !table.is_key(*index))
        .map(|(index, _)| index)
}
