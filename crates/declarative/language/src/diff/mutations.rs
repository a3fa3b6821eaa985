//! Changes of what the event types do.

use super::change::{Changes, Class};
use super::columns::position;
use crate::model::{ColumnValue, Expression, Mutation, Operation, Path, Projection};

pub(super) fn compare(changes: &mut Changes<'_>, old: &Projection, new: &Projection) {
    for mutation in &new.mutations {
        let event_type = &mutation.event_type;
        match old
            .mutations
            .iter()
            .find(|one| one.event_type == *event_type)
        {
            None => changes.push(
                Class::Additive,
                format!("new event type `{event_type}`"),
                "events of it that were passed over before stay so until a rebuild",
            ),
            Some(before) => {
                if let Some(part) = difference(old, before, new, mutation) {
                    changes.push(
                        Class::NeedsRebuild,
                        format!("`{event_type}` has {part}"),
                        "events of it that were read would have written something else",
                    );
                }
            }
        }
    }
    for mutation in &old.mutations {
        let event_type = &mutation.event_type;
        if !new
            .mutations
            .iter()
            .any(|one| one.event_type == *event_type)
        {
            changes.push(
                Class::NeedsRebuild,
                format!("event type `{event_type}` is gone"),
                "events of it that were read have left their traces in the table",
            );
        }
    }
}

/// What one event type does otherwise. Columns that only one of both has are changes of their own.
fn difference(
    old: &Projection,
    before: &Mutation,
    new: &Projection,
    after: &Mutation,
) -> Option<String> {
    if before.when != after.when {
        return Some("another `when`".to_owned());
    }
    let (was, is) = (Parts::of(&before.operation), Parts::of(&after.operation));
    if (was.name, was.on_missing) != (is.name, is.on_missing) {
        let (from, to) = (was.name, is.name);
        return Some(match from == to {
            true => "another `on_missing`".to_owned(),
            false => format!("op {to} and had {from}"),
        });
    }
    if was.each != is.each {
        return Some("another `each`".to_owned());
    }
    let lists = [
        ("filter", was.filter, is.filter),
        ("by", was.by, is.by),
        ("present columns", was.present, is.present),
        ("values", was.values, is.values),
    ];
    for (part, was, is) in lists {
        let (was, is) = (shared(old, was, new), shared(new, is, old));
        if was == is {
            continue;
        }
        let column = was
            .iter()
            .chain(&is)
            .find(|value| !(was.contains(value) && is.contains(value)));
        let column = column.map_or("", |(name, _)| name);
        return Some(match part {
            "filter" | "by" => format!("another `{part}` for `{column}`"),
            _ => format!("another value for `{column}`"),
        });
    }
    None
}

/// The values of columns that both projections have, by the names of the columns.
fn shared<'a>(
    own: &'a Projection,
    values: Vec<&'a ColumnValue>,
    other: &Projection,
) -> Vec<(&'a str, &'a Expression)> {
    let named = values.into_iter().filter_map(|value| {
        let name = &own.columns.get(value.column)?.name;
        position(other, name).map(|_| (&**name, &value.expression))
    });
    let mut named: Vec<_> = named.collect();
    named.sort_by_key(|(name, _)| *name);
    named
}

/// An operation by its parts.
struct Parts<'a> {
    name: &'static str,
    on_missing: Option<crate::model::OnMissing>,
    each: Option<&'a Path>,
    filter: Vec<&'a ColumnValue>,
    by: Vec<&'a ColumnValue>,
    present: Vec<&'a ColumnValue>,
    values: Vec<&'a ColumnValue>,
}

impl<'a> Parts<'a> {
    fn of(operation: &'a Operation) -> Self {
        let mut parts = Self {
            name: operation.name(),
            on_missing: None,
            each: None,
            filter: Vec::new(),
            by: Vec::new(),
            present: Vec::new(),
            values: Vec::new(),
        };
        match operation {
            Operation::Upsert { values } | Operation::Insert { values } => {
                parts.values.extend(values);
            }
            Operation::Delete { key } => parts.values.extend(key),
            Operation::Replace {
                filter,
                each,
                values,
            } => {
                parts.filter.extend(filter);
                parts.each = each.as_ref();
                parts.values.extend(values);
            }
            Operation::Patch {
                key,
                set,
                present,
                on_missing,
            } => {
                parts.values.extend(key.iter().chain(set));
                parts.present.extend(present);
                parts.on_missing = Some(*on_missing);
            }
            Operation::Increment {
                key,
                by,
                set,
                on_missing,
            } => {
                parts.values.extend(key.iter().chain(set));
                parts.by.extend(by);
                parts.on_missing = Some(*on_missing);
            }
            Operation::Ignore => {}
        }
        parts
    }
}
