//! Compiles the mutations of a projection.

use std::sync::Arc;

use projectionist_core::row::{Column, OwnedCell};
use projectionist_core::{Error, Result};
use projectionist_language::coerce::{CoerceBuffer, JsonValue, coerce};
use projectionist_language::model::{
    ColumnRules, ColumnValue, Expression, Literal, OnGap, Operation, Path, Projection,
};

use super::{
    CompiledCel, CompiledMutation, CompiledOperation, CompiledProjection, Computed, Condition,
    EachPlan, Read, ReplacePlan, Role, RowPlan, Scope, Source, Test,
};
use crate::decode::{EventPlan, Trie, reads_payload};
use crate::gaps::GapWarnings;

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
        let when = mutation.when.as_ref();
        mutations.push(CompiledMutation {
            when: when.map(|when| compiler.condition(when)).transpose()?,
            reads_payload: reads_payload(mutation),
            operation: compiler.operation(&mutation.operation)?,
        });
    }
    Ok(CompiledProjection {
        columns: Arc::clone(&projection.columns),
        gaps: (projection.on_gap == OnGap::Warn).then(|| GapWarnings::new(&projection.name)),
        mutations,
        by_type,
        key_scopes: compiler.key_scopes,
    })
}

/// What a row holds in the columns for which its mutation names no value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// The column's default, or null.
    Default,
    /// Nothing that anyone reads.
    Unused,
}

pub(super) struct Compiler<'a> {
    pub(super) projection: &'a Projection,
    plan: &'a EventPlan,
    /// The wanted places of the elements, while the values of an `each` are compiled.
    items: Option<Trie>,
    key_scopes: Vec<Arc<[usize]>>,
}

impl Compiler<'_> {
    fn condition(&mut self, when: &Expression) -> Result<Condition> {
        let test = match when {
            Expression::Literal(Literal::Bool(truth)) => Test::Always(Some(*truth)),
            Expression::Literal(_) => Test::Always(None),
            Expression::Path(path) => Test::Value(self.source(path)?),
            Expression::Cel(cel) => {
                Test::Computed(CompiledCel::new(cel, |path| self.source(path))?)
            }
        };
        Ok(Condition::new(when, test))
    }

    fn operation(&mut self, operation: &Operation) -> Result<CompiledOperation> {
        Ok(match operation {
            Operation::Upsert { values } => CompiledOperation::Upsert(self.whole_row(values)?),
            Operation::Insert { values } => CompiledOperation::Insert(self.whole_row(values)?),
            Operation::Delete { key } => {
                CompiledOperation::Delete(self.row(&[(key, Role::Value)], Rest::Unused)?)
            }
            Operation::Replace {
                filter,
                each,
                values,
            } => CompiledOperation::Replace(self.replace(filter, each.as_ref(), values)?),
            Operation::Patch { .. } | Operation::Increment { .. } => {
                CompiledOperation::Change(self.change(operation)?)
            }
            Operation::Ignore => CompiledOperation::Ignore,
        })
    }

    fn whole_row(&mut self, values: &[ColumnValue]) -> Result<RowPlan> {
        self.row(&[(values, Role::Value)], Rest::Default)
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
        let values = self.whole_row(values)?;
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

    pub(super) fn row(&mut self, values: &[(&[ColumnValue], Role)], rest: Rest) -> Result<RowPlan> {
        let mut constants = match rest {
            Rest::Default => self.default_cells(),
            Rest::Unused => vec![OwnedCell::Null; self.projection.columns.len()],
        };
        let mut reads = Vec::new();
        let mut computed = Vec::new();
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
                        rules: self.rules(value.column),
                        source: self.source(path)?,
                        role,
                    }),
                    Expression::Cel(cel) => computed.push(Computed {
                        column: value.column,
                        rules: self.rules(value.column),
                        cel: CompiledCel::new(cel, |path| self.source(path))?,
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
            let computed = computed.iter().map(|value| value.column);
            let filled = reads.iter().map(|read| read.column).chain(computed);
            let filled: Vec<usize> = filled.collect();
            (rest == Rest::Default)
                .then(|| self.always_null(&constants, &filled))
                .flatten()
        });
        Ok(RowPlan::new(constants, reads, always_null).with_computed(computed))
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

    pub(super) fn default_cells(&self) -> Vec<OwnedCell> {
        let columns = self.projection.columns.iter();
        columns
            .map(|column| column.default.clone().unwrap_or(OwnedCell::Null))
            .collect()
    }

    fn is_key(&self, column: usize) -> bool {
        self.projection.key.contains(&column)
    }

    pub(super) fn nullable(&self, column: usize) -> bool {
        let declared = self.projection.columns.get(column);
        !self.is_key(column) && declared.is_some_and(|column| column.nullable)
    }

    pub(super) fn source(&mut self, path: &Path) -> Result<Source> {
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

    pub(super) fn rules(&self, column: usize) -> ColumnRules {
        let rules = self.projection.rules.get(column);
        rules.copied().unwrap_or_default()
    }

    fn literal(&self, column: usize, literal: &Literal) -> Result<OwnedCell> {
        let Some(Column {
            name, column_type, ..
        }) = self.projection.columns.get(column)
        else {
            return Err(self.refuse(format!("there is no column {column}")));
        };
        let mut buffer = CoerceBuffer::new();
        let (rules, value) = (self.rules(column), JsonValue::from(literal));
        let cell = coerce(*column_type, rules, value, &mut buffer)
            .map_err(|error| self.refuse(format!("column {name}: {error}")))?;
        Ok(cell.into())
    }

    fn foreign_plan(&self) -> Error {
        self.refuse("the codec was made for another program; make it for this one".to_owned())
    }

    pub(super) fn refuse(&self, reason: String) -> Error {
        Error::Configuration {
            subject: format!("projection {}", self.projection.name),
            reason,
        }
    }
}
