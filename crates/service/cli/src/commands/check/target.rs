//! Compares the projections of a file with the tables of a target, and lets it plan every statement.

use std::path::Path;

use projectionist_apply::plain_table;
use projectionist_core::row::{Change, ChangeShape};
use projectionist_language::Program;
use projectionist_language::model::{ColumnValue, Operation, Projection};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore, WriteShapes, explain_new};

use crate::commands::deployment::Deploying;
use crate::commands::run::blocking_runtime;
use crate::exit::{Failure, both};
use crate::place::Target;

/// Fails as a run would before it starts, and for every statement that the target refuses. Gives
/// how many statements it takes. Nothing is written, and a target that is not there is not made.
pub(super) fn check(target: &Target, program: &Program, file: &Path) -> Result<usize, Failure> {
    let Target::Sqlite(path) = target;
    let store = match path.exists() {
        true => Some(SqliteStore::open_existing(path, SqliteOptions::default())?),
        false => None,
    };
    let mut all = Ok(());
    if let Some(store) = &store {
        let steps = Deploying::whole(program, file, &[]);
        blocking_runtime()?.block_on(steps.steps(store))?;
    }
    let mut statements = 0;
    for projection in &program.projections {
        match explain(store.as_ref(), projection) {
            Ok(planned) => statements += planned,
            Err(failure) => all = both(all, Err(failure)),
        }
    }
    all.map(|()| statements)
}

fn explain(store: Option<&SqliteStore>, projection: &Projection) -> Result<usize, Failure> {
    let (table, shapes) = (plain_table(projection), shapes(projection));
    let planned = store.map_or(Ok(0), |store| store.explain(&table, &shapes));
    let planned = match planned {
        // A table that is still to be made.
        Ok(0) => explain_new(&table, &shapes),
        planned => planned,
    };
    planned.map_err(|error| Failure::does_not_fit(&projection.name, &error))
}

/// In which ways the projection changes rows and deletes several of them.
fn shapes(projection: &Projection) -> WriteShapes {
    let width = projection.columns.len();
    let mut shapes = WriteShapes::default();
    for mutation in &projection.mutations {
        match &mutation.operation {
            Operation::Patch { set, present, .. } => {
                let written = [(set, Change::Set), (present, Change::Set)];
                shapes.changes.extend(shape(width, written));
            }
            Operation::Increment { by, set, .. } => {
                let written = [(by, Change::Add), (set, Change::Set)];
                shapes.changes.extend(shape(width, written));
            }
            Operation::Replace { filter, .. } => {
                let columns = filter.iter().map(|value| value.column);
                shapes.scopes.push(columns.collect());
            }
            Operation::Upsert { .. }
            | Operation::Insert { .. }
            | Operation::Delete { .. }
            | Operation::Ignore => {}
        }
    }
    shapes
}

/// How each column changes; `None` when none does.
fn shape(width: usize, written: [(&Vec<ColumnValue>, Change); 2]) -> Option<ChangeShape> {
    let mut shape = vec![Change::Keep; width];
    for (values, change) in written {
        for value in values {
            *shape.get_mut(value.column)? = change;
        }
    }
    let changes = shape.iter().any(|change| *change != Change::Keep);
    changes.then(|| shape.into())
}
