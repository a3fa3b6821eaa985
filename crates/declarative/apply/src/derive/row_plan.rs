//! How one row is filled.

use projectionist_core::Defect;
use projectionist_core::row::{Cell, Column, OwnedCell, RowBatch, RowRef};
use projectionist_language::coerce::coerce;

use super::{DeriveScratch, Reader, Source};
use crate::fault::Fault;

/// What a value is for, which decides whether it may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A column of the key.
    Key,
    /// Another column.
    Value,
    /// What rows to delete have in the column.
    Filter,
    /// What is added to the column.
    Amount,
}

/// One value that comes from the event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) column: usize,
    pub(crate) source: Source,
    pub(crate) role: Role,
}

/// How one row is filled: the cells that are the same for every event, then those of the event.
#[derive(Debug)]
pub(crate) struct RowPlan {
    /// Every column; null where something else fills it.
    base: Box<[Cell<'static>]>,
    /// Constants with a text, which `base` cannot own.
    texts: Box<[(usize, OwnedCell)]>,
    reads: Box<[Read]>,
    /// A column that must not be null, and the role in which it always is.
    always_null: Option<(usize, Role)>,
}

impl RowPlan {
    /// `constants` holds a value for every column, null where there is none.
    pub(crate) fn new(
        constants: Vec<OwnedCell>,
        reads: Vec<Read>,
        always_null: Option<(usize, Role)>,
    ) -> Self {
        let mut texts = Vec::new();
        let mut base = Vec::with_capacity(constants.len());
        for (column, constant) in constants.into_iter().enumerate() {
            base.push(match constant {
                OwnedCell::Null => Cell::Null,
                OwnedCell::Int(value) => Cell::Int(value),
                OwnedCell::Double(value) => Cell::Double(value),
                OwnedCell::Bool(value) => Cell::Bool(value),
                OwnedCell::Timestamp(moment) => Cell::Timestamp(moment),
                OwnedCell::Uuid(bytes) => Cell::Uuid(bytes),
                text @ (OwnedCell::Text(_) | OwnedCell::Numeric(_) | OwnedCell::Json(_)) => {
                    texts.push((column, text));
                    Cell::Null
                }
            });
        }
        Self {
            base: base.into(),
            texts: texts.into(),
            reads: reads.into(),
            always_null,
        }
    }

    /// Adds the row of the reader's event to the arena.
    pub(crate) fn derive(
        &self,
        arena: &mut RowBatch,
        columns: &[Column],
        reader: Reader<'_>,
        scratch: &mut DeriveScratch,
    ) -> Result<RowRef, Fault> {
        if let Some((column, role)) = self.always_null {
            return Err(null_defect(columns, column, role).into());
        }
        let row = arena.push_row(&self.base).ok_or(Fault::Full)?;
        for (column, text) in &self.texts {
            let set = arena.set_cell(row, *column, text.as_cell());
            set.ok_or(Fault::Full)?;
        }
        for read in &self.reads {
            let Some(column) = columns.get(read.column) else {
                continue;
            };
            let found = reader.find(read.source);
            let value = found.as_json(&mut scratch.text).ok_or_else(|| {
                Fault::data("the text holds half a surrogate pair, which is no character")
                    .at(&*column.name)
                    .with_value(found.shown())
            })?;
            let cell =
                coerce(column.column_type, value, &mut scratch.converted).map_err(|error| {
                    Fault::data(error.to_string())
                        .at(&*column.name)
                        .with_value(found.shown())
                })?;
            if cell == Cell::Null && (read.role != Role::Value || !column.nullable) {
                return Err(null_defect(columns, read.column, read.role).into());
            }
            let set = arena.set_cell(row, read.column, cell);
            set.ok_or(Fault::Full)?;
        }
        Ok(row)
    }
}

pub(super) fn null_defect(columns: &[Column], column: usize, role: Role) -> Defect {
    let name = columns.get(column).map_or("", |column| &*column.name);
    let error = match role {
        Role::Key => format!("the key column {name} has no value; every event must give one"),
        Role::Value => format!("the column {name} has no value and is not nullable"),
        Role::Filter => {
            format!("the filter column {name} has no value; without one nothing is replaced")
        }
        Role::Amount => format!("there is nothing to add to the column {name}"),
    };
    Fault::data(error).at(name)
}
