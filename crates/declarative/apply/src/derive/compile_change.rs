//! Compiles patches and increments.

use projectionist_core::Result;
use projectionist_core::row::{Change, OwnedCell};
use projectionist_language::model::{ColumnValue, Expression, OnMissing, Operation};

use super::compile::{Compiler, Rest};
use super::{ChangePlan, Read, Role, RowPlan};
use crate::fold::sum;

/// What a patch or an increment names.
#[derive(Clone, Copy)]
struct Parts<'a> {
    key: &'a [ColumnValue],
    by: &'a [ColumnValue],
    set: &'a [ColumnValue],
    present: &'a [ColumnValue],
    on_missing: OnMissing,
}

impl Compiler<'_> {
    /// Compiles a patch or an increment.
    pub(super) fn change(&mut self, operation: &Operation) -> Result<ChangePlan> {
        let Some(parts) = parts_of(operation) else {
            return Err(self.refuse("only a patch and an increment change columns".to_owned()));
        };
        let Parts { key, by, set, .. } = parts;
        let values = [(key, Role::Value), (by, Role::Amount), (set, Role::Value)];
        let operands = self.row(&values, Rest::Unused)?;
        let present = self.present(parts.present)?;
        let (key, by, set) = (columns_of(key), columns_of(by), columns_of(set));
        let mut shape = vec![Change::Keep; self.projection.columns.len()];
        for (columns, change) in [(&by, Change::Add), (&set, Change::Set)] {
            for column in columns {
                if let Some(entry) = shape.get_mut(*column) {
                    *entry = change;
                }
            }
        }
        let filled: Vec<usize> = [&key, &by, &set].into_iter().flatten().copied().collect();
        let sum_can_fail = by.iter().any(|column| {
            let column = self.projection.columns.get(*column);
            column.is_some_and(|column| sum::can_fail(column.column_type))
        });
        let defaults = self.default_cells();
        let columns = defaults.iter().enumerate();
        let required = columns.filter(|(column, default)| {
            **default == OwnedCell::Null && !filled.contains(column) && !self.nullable(*column)
        });
        Ok(ChangePlan {
            operands,
            present,
            required: required.map(|(column, _)| column).collect(),
            defaults: (parts.on_missing == OnMissing::Create)
                .then(|| RowPlan::new(defaults, Vec::new(), None)),
            key,
            by,
            set,
            shape: shape.into(),
            sum_can_fail,
            on_missing: parts.on_missing,
        })
    }

    /// What is set when its place is there in the event.
    fn present(&mut self, values: &[ColumnValue]) -> Result<Box<[Read]>> {
        let read = |value: &ColumnValue| match &value.expression {
            Expression::Path(path) => Ok(Read {
                column: value.column,
                rules: self.rules(value.column),
                source: self.source(path)?,
                role: Role::Value,
            }),
            other => Err(self.refuse(format!(
                "`{other}` is no place in the event that could be missing there"
            ))),
        };
        values.iter().map(read).collect()
    }
}

fn parts_of(operation: &Operation) -> Option<Parts<'_>> {
    match operation {
        Operation::Patch {
            key,
            set,
            present,
            on_missing,
        } => Some(Parts {
            key,
            by: &[],
            set,
            present,
            on_missing: *on_missing,
        }),
        Operation::Increment {
            key,
            by,
            set,
            on_missing,
        } => Some(Parts {
            key,
            by,
            set,
            present: &[],
            on_missing: *on_missing,
        }),
        _ => None,
    }
}

fn columns_of(values: &[ColumnValue]) -> Box<[usize]> {
    values.iter().map(|value| value.column).collect()
}
