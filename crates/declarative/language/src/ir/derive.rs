//! What stands under `derive`, told from the mutations.
//!
//! The model holds for each mutation the values that it writes, whether they stood under `derive`
//! or under its own `set`. One way to write them is canonical, so that a file means the same
//! wherever its author put a value.

use std::collections::BTreeMap;

use crate::model::{ColumnValue, Expression, Operation, Path, Projection};

/// The values under `derive`, by column.
pub(super) type Derive<'a> = BTreeMap<usize, &'a Expression>;

/// The values under `derive`.
///
/// What only `derive` can give comes first: the key, the rows of a `replace`, and the places that a
/// `patch` without `set` looks for. Beyond that it has every column that all whole rows have, with
/// the value of the first event type by name; the other mutations override it.
pub(super) fn derive(projection: &Projection) -> Derive<'_> {
    let mut mutations: Vec<_> = projection.mutations.iter().collect();
    mutations.sort_by(|a, b| a.event_type.cmp(&b.event_type));
    let mut derive = Derive::new();
    let mut rows: Vec<&[ColumnValue]> = Vec::new();
    let (mut replaces, mut patches) = (false, false);
    for mutation in &mutations {
        match &mutation.operation {
            Operation::Upsert { values } | Operation::Insert { values } => {
                rows.push(values);
                let is_key = |value: &&ColumnValue| projection.key.contains(&value.column);
                fill(&mut derive, values.iter().filter(is_key));
            }
            Operation::Delete { key } | Operation::Increment { key, .. } => {
                fill(&mut derive, key);
            }
            Operation::Replace { values, .. } => {
                replaces = true;
                fill(&mut derive, values);
            }
            Operation::Patch {
                key, set, present, ..
            } => {
                patches |= set.is_empty();
                fill(&mut derive, key.iter().chain(present));
            }
            Operation::Ignore => {}
        }
    }
    // A `replace` has no `set`: its rows are all that `derive` may hold.
    if replaces {
        return derive;
    }
    let Some((first, others)) = rows.split_first() else {
        return derive;
    };
    for value in *first {
        let everywhere = others.iter().all(|row| has(row, value.column));
        // A patch without `set` would look for it.
        let looked_for = patches && matches!(value.expression, Expression::Path(Path::Payload(_)));
        if everywhere && !looked_for {
            fill(&mut derive, [value]);
        }
    }
    derive
}

fn fill<'a>(derive: &mut Derive<'a>, values: impl IntoIterator<Item = &'a ColumnValue>) {
    for value in values {
        derive.entry(value.column).or_insert(&value.expression);
    }
}

fn has(row: &[ColumnValue], column: usize) -> bool {
    row.iter().any(|value| value.column == column)
}
