//! What the events mean, said as plainly as possible: a map of rows, one event at a time, and JSON
//! through a tree of values. Shares no code with what it judges but the model of the program.

use std::collections::{BTreeMap, BTreeSet};

use projectionist_core::ErrorClass;
use projectionist_core::row::Column;
use projectionist_language::model::{
    ColumnValue, Expression, Literal, Metadata, OnMissing, Operation, Path, Program, Projection,
    Sequence, Step,
};
use serde_json::Value;

use super::values::{Misfit, Val, default_of, fit, plus};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Unmatched,
    Stale,
    Filtered,
    Ignored,
    Applied,
    Dead(ErrorClass),
}

type Row = Vec<Val>;

pub(crate) struct Oracle {
    projection: Projection,
    max_tenants: usize,
    tenants: BTreeSet<String>,
    /// By tenant, then by the key as it prints.
    pub(crate) tables: BTreeMap<String, BTreeMap<String, Row>>,
    /// By tenant, fork and entity.
    pub(crate) guard: BTreeMap<(String, String, String), i64>,
}

impl Oracle {
    pub(crate) fn new(program: &Program, max_tenants: usize) -> Self {
        Self {
            projection: program.projections[0].clone(),
            max_tenants,
            tenants: BTreeSet::new(),
            tables: BTreeMap::new(),
            guard: BTreeMap::new(),
        }
    }

    /// A new run begins: tenants are counted anew.
    pub(crate) fn restart(&mut self) {
        self.tenants.clear();
    }

    pub(crate) fn apply(&mut self, record: &str) -> Outcome {
        let event: Value = serde_json::from_str(record).unwrap();
        let name = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let mutations = &self.projection.mutations;
        let event_type = name("eventType");
        let mutation = mutations.iter().find(|m| *m.event_type == *event_type);
        let Some(mutation) = mutation.cloned() else {
            return Outcome::Unmatched;
        };
        let tenant = name("tenantSchema");
        let is_new = !tenant.is_empty() && !self.tenants.contains(&tenant);
        let is_valid = tenant
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        if is_new && (!is_valid || self.tenants.len() >= self.max_tenants) {
            return Outcome::Dead(ErrorClass::Tenant);
        }
        let entity = (tenant.clone(), name("forkId"), name("entityId"));
        let sequence = event["sequenceNumber"].as_i64();
        if self.projection.sequence == Sequence::Guarded {
            let Some(sequence) = sequence else {
                return Outcome::Dead(ErrorClass::Data);
            };
            if self
                .guard
                .get(&entity)
                .is_some_and(|last| sequence <= *last)
            {
                return Outcome::Stale;
            }
        }
        let outcome = match self.is_wanted(mutation.when.as_ref(), &event) {
            Err(Misfit) => Outcome::Dead(ErrorClass::Data),
            Ok(false) => Outcome::Filtered,
            Ok(true) => self.apply_to(&tenant, &mutation.operation, &event),
        };
        if !matches!(outcome, Outcome::Dead(_)) {
            let makes_table =
                outcome != Outcome::Filtered && mutation.operation != Operation::Ignore;
            if is_new && makes_table {
                self.tenants.insert(tenant);
            }
            if self.projection.sequence == Sequence::Guarded {
                self.guard.insert(entity, sequence.unwrap());
            }
        }
        outcome
    }

    fn is_wanted(&self, when: Option<&Expression>, event: &Value) -> Result<bool, Misfit> {
        match when.map(|when| self.evaluate(when, event, &Value::Null)) {
            None => Ok(true),
            Some(value) => value.as_bool().ok_or(Misfit),
        }
    }

    fn apply_to(&mut self, tenant: &str, operation: &Operation, event: &Value) -> Outcome {
        let mut table = self.tables.remove(tenant).unwrap_or_default();
        let outcome = self.operate(operation, event, &mut table);
        self.tables.insert(tenant.to_owned(), table);
        match outcome {
            Err(Misfit) => Outcome::Dead(ErrorClass::Data),
            Ok(true) => Outcome::Applied,
            Ok(false) => Outcome::Ignored,
        }
    }

    /// Changes the table unless something does not fit; whether it was more than looking.
    fn operate(
        &self,
        operation: &Operation,
        event: &Value,
        table: &mut BTreeMap<String, Row>,
    ) -> Result<bool, Misfit> {
        match operation {
            Operation::Upsert { values } => {
                let row = self.whole_row(values, event, &Value::Null)?;
                table.insert(self.key_of(&row), row);
            }
            Operation::Insert { values } => {
                let row = self.whole_row(values, event, &Value::Null)?;
                let key = self.key_of(&row);
                if table.contains_key(&key) {
                    return Ok(false);
                }
                table.insert(key, row);
            }
            Operation::Delete { key } => {
                let row = self.some_cells(key, event, &Value::Null)?;
                table.remove(&self.key_of(&row));
            }
            Operation::Replace {
                filter,
                each,
                values,
            } => {
                let scope = self.some_cells(filter, event, &Value::Null)?;
                if filter.iter().any(|value| scope[value.column] == Val::Null) {
                    return Err(Misfit);
                }
                let items = self.items(each.as_ref(), event)?;
                let rows = items.iter().map(|item| self.whole_row(values, event, item));
                let rows = rows.collect::<Result<Vec<Row>, Misfit>>()?;
                let in_scope = |row: &Row| {
                    let mut columns = filter.iter().map(|value| value.column);
                    columns.all(|column| row[column] == scope[column])
                };
                table.retain(|_, row| !in_scope(row));
                for row in rows {
                    table.insert(self.key_of(&row), row);
                }
            }
            Operation::Increment {
                key,
                by,
                set,
                on_missing,
            } => return self.change(key, by, set, *on_missing, event, table),
            Operation::Patch {
                key,
                set,
                present,
                on_missing,
            } => {
                let written = present.iter().filter(|value| self.is_there(value, event));
                let written: Vec<ColumnValue> = set.iter().chain(written).cloned().collect();
                return self.change(key, &[], &written, *on_missing, event, table);
            }
            Operation::Ignore => return Ok(false),
        }
        Ok(true)
    }

    /// What a replace makes a row of, each.
    fn items(&self, each: Option<&Path>, event: &Value) -> Result<Vec<Value>, Misfit> {
        match each.map(|path| self.look_up(path, event, &Value::Null)) {
            None => Ok(vec![Value::Null]),
            Some(Value::Null) => Ok(vec![]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(Misfit),
        }
    }

    /// Whether the place of a value is there in the event, if only with a null.
    fn is_there(&self, value: &ColumnValue, event: &Value) -> bool {
        let Expression::Path(Path::Payload(steps)) = &value.expression else {
            panic!("only places of the payload can be missing");
        };
        let mut at = event.get("payload");
        for step in steps {
            at = at.and_then(|at| match step {
                Step::Key(key) => at.get(&**key),
                Step::Index(index) => at.get(index),
            });
        }
        at.is_some()
    }

    fn change(
        &self,
        key: &[ColumnValue],
        by: &[ColumnValue],
        set: &[ColumnValue],
        on_missing: OnMissing,
        event: &Value,
        table: &mut BTreeMap<String, Row>,
    ) -> Result<bool, Misfit> {
        let mut made: Row = self.columns().iter().map(default_of).collect();
        let keys = self.some_cells(key, event, &Value::Null)?;
        let sets = self.some_cells(set, event, &Value::Null)?;
        let amounts = self.some_cells(by, event, &Value::Null)?;
        if by.iter().any(|value| amounts[value.column] == Val::Null) {
            return Err(Misfit);
        }
        let change = |row: &mut Row| {
            for value in set {
                row[value.column] = sets[value.column].clone();
            }
            for value in by {
                let column = &self.columns()[value.column];
                row[value.column] = plus(column, &row[value.column], &amounts[value.column])?;
            }
            Ok(())
        };
        for value in key {
            made[value.column] = keys[value.column].clone();
        }
        let key = self.key_of(&made);
        if on_missing == OnMissing::Create {
            change(&mut made)?;
        }
        match (table.get(&key), on_missing) {
            (Some(row), _) => {
                let mut row = row.clone();
                change(&mut row)?;
                table.insert(key, row);
            }
            (None, OnMissing::Create) => {
                self.check_nulls(&made)?;
                table.insert(key, made);
            }
            (None, OnMissing::Ignore) => return Ok(false),
            (None, OnMissing::Error) => return Err(Misfit),
        }
        Ok(true)
    }

    fn columns(&self) -> &[Column] {
        &self.projection.columns
    }

    fn key_of(&self, row: &Row) -> String {
        let cells: Vec<&Val> = self.projection.key.iter().map(|at| &row[*at]).collect();
        format!("{cells:?}")
    }

    fn whole_row(
        &self,
        values: &[ColumnValue],
        event: &Value,
        item: &Value,
    ) -> Result<Row, Misfit> {
        let mut row: Row = self.columns().iter().map(default_of).collect();
        for value in values {
            row[value.column] = self.value(value, event, item)?;
        }
        self.check_nulls(&row)?;
        Ok(row)
    }

    /// A row of which only some cells mean anything; those of the key are not null.
    fn some_cells(
        &self,
        values: &[ColumnValue],
        event: &Value,
        item: &Value,
    ) -> Result<Row, Misfit> {
        let mut row = vec![Val::Null; self.columns().len()];
        for value in values {
            let cell = self.value(value, event, item)?;
            if cell == Val::Null && !self.columns()[value.column].nullable {
                return Err(Misfit);
            }
            row[value.column] = cell;
        }
        Ok(row)
    }

    fn check_nulls(&self, row: &Row) -> Result<(), Misfit> {
        let mut cells = self.columns().iter().zip(row);
        match cells.any(|(column, cell)| *cell == Val::Null && !column.nullable) {
            true => Err(Misfit),
            false => Ok(()),
        }
    }

    fn value(&self, value: &ColumnValue, event: &Value, item: &Value) -> Result<Val, Misfit> {
        let json = self.evaluate(&value.expression, event, item);
        fit(self.columns()[value.column].column_type, json)
    }

    fn evaluate(&self, expression: &Expression, event: &Value, item: &Value) -> Value {
        match expression {
            Expression::Literal(Literal::Null) => Value::Null,
            Expression::Literal(Literal::Bool(truth)) => Value::Bool(*truth),
            Expression::Literal(Literal::Number(text)) => serde_json::from_str(text).unwrap(),
            Expression::Literal(Literal::Text(text)) => Value::String(text.to_string()),
            Expression::Path(path) => self.look_up(path, event, item),
            Expression::Cel(_) => unreachable!("no program here computes"),
        }
    }

    fn look_up(&self, path: &Path, event: &Value, item: &Value) -> Value {
        let walk = |from: &Value, steps: &[Step]| {
            steps.iter().fold(from.clone(), |at, step| match step {
                Step::Key(key) => at.get(&**key).cloned().unwrap_or_default(),
                Step::Index(index) => at.get(index).cloned().unwrap_or_default(),
            })
        };
        match path {
            Path::Payload(steps) => walk(&event["payload"], steps),
            Path::Item(steps) => walk(item, steps),
            Path::Metadata(name) => {
                let key = match name {
                    Metadata::EventType => "eventType",
                    Metadata::EntityId => "entityId",
                    Metadata::ForkId => "forkId",
                    Metadata::TenantSchema => "tenantSchema",
                    Metadata::IrVersion => "irVersion",
                    Metadata::SequenceNumber => "sequenceNumber",
                    Metadata::Ts => "ts",
                };
                event[key].clone()
            }
        }
    }
}
