//! Compiles the mutations of a projection.

use std::sync::Arc;

use projectionist_core::row::{Change, Column, OwnedCell};
use projectionist_core::{Error, Result};
use projectionist_language::coerce::{JsonValue, coerce};
use projectionist_language::model::{
    ColumnValue, Expression, Literal, Operation, Path, Projection,
};

use super::{
    CompiledMutation, CompiledProjection, EachPlan, IncrementPlan, Read, ReplacePlan, Role,
    RowPlan, Scope, Source,
};
use crate::decode::{EventPlan, Trie};
use crate::fold::sum;

/// Compiles `projection` for events that were decoded with `plan`.
pub(crate) fn compile(projection: &Projection, plan: &EventPlan) -> Result<CompiledProjection> {
    let mut compiler = Compiler {
        projection,
        plan,
        items: None,
        key_scopes: Vec::new(),
    };
    let mut mutations = Vec::with_capacity(projection.mutations.len());
    let mut by_type = vec![None; plan.type_count()];
    for mutation in &projection.mutations {
        let index = plan.type_index(&mutation.event_type);
        let entry = index.and_then(|index| by_type.get_mut(index as usize));
        let entry = entry.ok_or_else(|| compiler.foreign_plan())?;
        *entry = u32::try_from(mutations.len()).ok();
        mutations.push(compiler.mutation(&mutation.operation)?);
    }
    Ok(CompiledProjection {
        columns: Arc::clone(&projection.columns),
        mutations,
        by_type,
        key_scopes: compiler.key_scopes,
    })
}

/// What a row holds in the columns for which its mutation names no value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// The column's default, or null.
    Default,
    /// Nothing that anyone reads.
    Unused,
}

struct Compiler<'a> {
    projection: &'a Projection,
    plan: &'a EventPlan,
    /// The wanted places of the elements, while the values of an `each` are compiled.
    items: Option<Trie>,
    key_scopes: Vec<Arc<[usize]>>,
}

impl Compiler<'_> {
    fn mutation(&mut self, operation: &Operation) -> Result<CompiledMutation> {
        Ok(match operation {
            Operation::Upsert { values } => {
                CompiledMutation::Upsert(self.row(&[(values, Role::Value)], Rest::Default)?)
            }
            Operation::Insert { values } => {
                CompiledMutation::Insert(self.row(&[(values, Role::Value)], Rest::Default)?)
            }
            Operation::Delete { key } => {
                CompiledMutation::Delete(self.row(&[(key, Role::Value)], Rest::Unused)?)
            }
            Operation::Replace {
                filter,
                each,
                values,
            } => CompiledMutation::Replace(self.replace(filter, each.as_ref(), values)?),
            Operation::Increment { key, by, set } => {
                CompiledMutation::Increment(self.increment(key, by, set)?)
            }
        })
    }

    fn replace(
        &mut self,
        filter: &[ColumnValue],
        each: Option<&Path>,
        values: &[ColumnValue],
    ) -> Result<ReplacePlan> {
        let mut columns: Vec<usize> = filter.iter().map(|value| value.column).collect();
        columns.sort_unstable();
        let scope = self.scope(columns.into());
        let filter = self.row(&[(filter, Role::Filter)], Rest::Unused)?;
        let array = each.map(|path| self.source(path)).transpose()?;
        self.items = array.is_some().then(|| Trie::new(0));
        let values = self.row(&[(values, Role::Value)], Rest::Default)?;
        let each = array.zip(self.items.take());
        Ok(ReplacePlan {
            scope,
            filter,
            each: each.map(|(array, items)| EachPlan { array, items }),
            values,
        })
    }

    fn scope(&mut self, columns: Arc<[usize]>) -> Scope {
        if !columns.iter().all(|column| self.is_key(*column)) {
            return Scope::Wide(columns);
        }
        let known = self.key_scopes.iter().position(|known| *known == columns);
        Scope::Key(known.unwrap_or_else(|| {
            self.key_scopes.push(columns);
            self.key_scopes.len() - 1
        }))
    }

    fn increment(
        &mut self,
        key: &[ColumnValue],
        by: &[ColumnValue],
        set: &[ColumnValue],
    ) -> Result<IncrementPlan> {
        let values = [(key, Role::Value), (by, Role::Amount), (set, Role::Value)];
        let operands = self.row(&values, Rest::Unused)?;
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
        Ok(IncrementPlan {
            operands,
            incomplete: self
                .always_null(&defaults, &filled)
                .map(|(column, _)| column),
            defaults: RowPlan::new(defaults, Vec::new(), None),
            key,
            by,
            set,
            shape: shape.into(),
            sum_can_fail,
        })
    }

    fn row(&mut self, values: &[(&[ColumnValue], Role)], rest: Rest) -> Result<RowPlan> {
        let mut constants = match rest {
            Rest::Default => self.default_cells(),
            Rest::Unused => vec![OwnedCell::Null; self.projection.columns.len()],
        };
        let mut reads = Vec::new();
        let mut null_literal = None;
        for (values, role) in values {
            for value in *values {
                let role = match role {
                    Role::Value if self.is_key(value.column) => Role::Key,
                    role => *role,
                };
                match &value.expression {
                    Expression::Path(path) => reads.push(Read {
                        column: value.column,
                        source: self.source(path)?,
                        role,
                    }),
                    Expression::Literal(literal) => {
                        let cell = self.literal(value.column, literal)?;
                        let may_be_null = role == Role::Value && self.nullable(value.column);
                        if cell == OwnedCell::Null && !may_be_null {
                            null_literal = Some((value.column, role));
                        }
                        if let Some(entry) = constants.get_mut(value.column) {
                            *entry = cell;
                        }
                    }
                }
            }
        }
        let always_null = null_literal.or_else(|| {
            let filled: Vec<usize> = reads.iter().map(|read| read.column).collect();
            (rest == Rest::Default)
                .then(|| self.always_null(&constants, &filled))
                .flatten()
        });
        Ok(RowPlan::new(constants, reads, always_null))
    }

    fn always_null(&self, constants: &[OwnedCell], filled: &[usize]) -> Option<(usize, Role)> {
        let empty = constants.iter().enumerate().find(|(column, cell)| {
            **cell == OwnedCell::Null && !filled.contains(column) && !self.nullable(*column)
        });
        let (column, _) = empty?;
        let role = if self.is_key(column) {
            Role::Key
        } else {
            Role::Value
        };
        Some((column, role))
    }

    fn default_cells(&self) -> Vec<OwnedCell> {
        let columns = self.projection.columns.iter();
        columns
            .map(|column| column.default.clone().unwrap_or(OwnedCell::Null))
            .collect()
    }

    fn is_key(&self, column: usize) -> bool {
        self.projection.key.contains(&column)
    }

    fn nullable(&self, column: usize) -> bool {
        let declared = self.projection.columns.get(column);
        !self.is_key(column) && declared.is_some_and(|column| column.nullable)
    }

    fn source(&mut self, path: &Path) -> Result<Source> {
        match path {
            Path::Metadata(name) => Ok(Source::Metadata(*name)),
            Path::Payload(steps) => {
                let slot = self.plan.slot(steps);
                slot.map(Source::Payload).ok_or_else(|| self.foreign_plan())
            }
            Path::Item(steps) => match &mut self.items {
                Some(items) => Ok(Source::Item(items.want(steps))),
                None => Err(self.refuse("`item` is read outside of `each`".to_owned())),
            },
        }
    }

    fn literal(&self, column: usize, literal: &Literal) -> Result<OwnedCell> {
        let Some(Column {
            name, column_type, ..
        }) = self.projection.columns.get(column)
        else {
            return Err(self.refuse(format!("there is no column {column}")));
        };
        let mut buffer = String::new();
        let cell = coerce(*column_type, JsonValue::from(literal), &mut buffer)
            .map_err(|error| self.refuse(format!("column {name}: {error}")))?;
        Ok(cell.into())
    }

    fn foreign_plan(&self) -> Error {
        self.refuse("the codec was made for another program; make it for this one".to_owned())
    }

    fn refuse(&self, reason: String) -> Error {
        Error::Configuration {
            subject: format!("projection {}", self.projection.name),
            reason,
        }
    }
}

fn columns_of(values: &[ColumnValue]) -> Box<[usize]> {
    values.iter().map(|value| value.column).collect()
}
