//! How one row is filled.

use projectionist_core::Defect;
use projectionist_core::row::{Cell, Column, OwnedCell, RowBatch, RowRef};
use projectionist_language::coerce::{CoerceBuffer, JsonValue, coerce};
use projectionist_language::model::ColumnRules;

use super::reader::Found;
use super::{CompiledCel, DeriveScratch, Reader, Source};
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
    pub(crate) rules: ColumnRules,
    pub(crate) source: Source,
    pub(crate) role: Role,
}

impl Read {
    /// Converts the value and puts it into its column of `row`.
    pub(crate) fn fill(
        &self,
        arena: &mut RowBatch,
        row: RowRef,
        columns: &[Column],
        reader: Reader<'_>,
        scratch: &mut DeriveScratch,
    ) -> Result<(), Fault> {
        let found = reader.find(self.source);
        let target = Target {
            row,
            column: self.column,
            rules: self.rules,
            role: self.role,
        };
        let value = found.as_json(&mut scratch.text).ok_or_else(|| {
            Fault::data("the text holds half a surrogate pair, which is no character")
                .at(name_of(columns, self.column))
                .with_value(found.shown())
        })?;
        target.put(arena, columns, value, Some(found), &mut scratch.converted)
    }
}

/// One value that is computed from the event.
#[derive(Debug)]
pub(crate) struct Computed {
    pub(crate) column: usize,
    pub(crate) rules: ColumnRules,
    pub(crate) cel: CompiledCel,
    pub(crate) role: Role,
}

impl Computed {
    fn fill(
        &self,
        arena: &mut RowBatch,
        row: RowRef,
        columns: &[Column],
        reader: Reader<'_>,
        scratch: &mut DeriveScratch,
    ) -> Result<(), Fault> {
        let target = Target {
            row,
            column: self.column,
            rules: self.rules,
            role: self.role,
        };
        let value = self.cel.evaluate(reader, &mut scratch.text);
        let value = value.map_err(|defect| defect.at(name_of(columns, self.column)))?;
        target.put(arena, columns, value, None, &mut scratch.converted)
    }
}

/// How one row is filled: the cells that are the same for every event, then those of the event.
#[derive(Debug)]
pub(crate) struct RowPlan {
    /// Every column; null where something else fills it.
    base: Box<[Cell<'static>]>,
    /// Constants with a text or bytes, which `base` cannot own.
    texts: Box<[(usize, OwnedCell)]>,
    reads: Box<[Read]>,
    computed: Box<[Computed]>,
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
                OwnedCell::Date(days) => Cell::Date(days),
                OwnedCell::Uuid(bytes) => Cell::Uuid(bytes),
                text @ (OwnedCell::Text(_)
                | OwnedCell::Numeric(_)
                | OwnedCell::Bytes(_)
                | OwnedCell::Json(_)
                | OwnedCell::Array(_)) => {
                    texts.push((column, text));
                    Cell::Null
                }
            });
        }
        Self {
            base: base.into(),
            texts: texts.into(),
            reads: reads.into(),
            computed: Box::default(),
            always_null,
        }
    }

    /// The plan with values that are computed.
    pub(crate) fn with_computed(self, computed: Vec<Computed>) -> Self {
        Self {
            computed: computed.into(),
            ..self
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
            read.fill(arena, row, columns, reader, scratch)?;
        }
        for computed in &self.computed {
            computed.fill(arena, row, columns, reader, scratch)?;
        }
        Ok(row)
    }

    /// As [`derive`](Self::derive), but of what comes from the event only the columns of the key.
    pub(crate) fn derive_key(
        &self,
        arena: &mut RowBatch,
        columns: &[Column],
        reader: Reader<'_>,
        scratch: &mut DeriveScratch,
    ) -> Result<RowRef, Fault> {
        if let Some((column, role @ Role::Key)) = self.always_null {
            return Err(null_defect(columns, column, role).into());
        }
        let row = arena.push_row(&self.base).ok_or(Fault::Full)?;
        for (column, text) in &self.texts {
            let set = arena.set_cell(row, *column, text.as_cell());
            set.ok_or(Fault::Full)?;
        }
        for read in self.reads.iter().filter(|read| read.role == Role::Key) {
            read.fill(arena, row, columns, reader, scratch)?;
        }
        for computed in self.computed.iter().filter(|one| one.role == Role::Key) {
            computed.fill(arena, row, columns, reader, scratch)?;
        }
        Ok(row)
    }
}

/// The cell that a value goes to.
#[derive(Clone, Copy)]
struct Target {
    row: RowRef,
    column: usize,
    rules: ColumnRules,
    role: Role,
}

impl Target {
    /// Converts a value to the type of its column and writes it. `found` is where it stands in the
    /// event; `None` when it was computed.
    fn put(
        self,
        arena: &mut RowBatch,
        columns: &[Column],
        value: JsonValue<'_>,
        found: Option<Found<'_>>,
        converted: &mut CoerceBuffer,
    ) -> Result<(), Fault> {
        let Some(column) = columns.get(self.column) else {
            return Ok(());
        };
        let cell = coerce(column.column_type, self.rules, value, converted).map_err(|error| {
            let defect = Fault::data(error.to_string()).at(&*column.name);
            match found {
                Some(found) => defect.with_value(found.shown()),
                None => defect,
            }
        })?;
        if cell == Cell::Null && (self.role != Role::Value || !column.nullable) {
            return Err(null_defect(columns, self.column, self.role).into());
        }
        arena
            .set_cell(self.row, self.column, cell)
            .ok_or(Fault::Full)
    }
}

fn name_of(columns: &[Column], column: usize) -> &str {
    columns.get(column).map_or("", |column| &*column.name)
}

pub(super) fn null_defect(columns: &[Column], column: usize, role: Role) -> Defect {
    let name = name_of(columns, column);
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
