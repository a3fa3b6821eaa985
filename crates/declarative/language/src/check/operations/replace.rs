//! `replace`: deletes the rows of a scope, then writes new ones.

use projectionist_core::row::ColumnType;

use super::super::assignments::{self, Assignment, Assignments, Role};
use super::super::keys;
use super::scene::{Act, Scene};
use crate::expression;
use crate::model::{Expression, Operation, Path};
use crate::report::Report;
use crate::tree::{Entry, Value};

/// Checks a `replace`.
pub(in super::super) fn replace(
    report: &mut Report<'_>,
    act: Act<'_>,
    scene: &mut Scene<'_, '_>,
) -> Option<Operation> {
    let filter = filter(report, act, scene);
    let each = act.body.get("each");
    let path = each.map(|entry| each_path(report, entry));
    let values: Vec<&Assignment> = if each.is_some() {
        scene.derive.iter().collect()
    } else {
        (0..scene.columns.list.len())
            .filter_map(|column| scene.derived_outside_each(report, act, column))
            .collect()
    };
    let derive = scene.derive;
    scene.note_gaps(act, |column| derive.get(column).is_some());
    Some(Operation::Replace {
        filter: filter?.finish()?,
        each: match path {
            Some(path) => Some(path?),
            None => None,
        },
        values: assignments::finish(values)?,
    })
}

fn filter(report: &mut Report<'_>, act: Act<'_>, scene: &Scene<'_, '_>) -> Option<Assignments> {
    let owner = act.describe();
    let example = "filter: { order_id: event.entityId }";
    let entry = keys::required(report, act.body, "filter", act.event.place, &owner, example)?;
    let filter = assignments::read(report, entry, scene.columns, scene.key, Role::Filter);
    for assignment in filter.iter() {
        scene.refuse_item(report, act, assignment);
        let column = scene.columns.list.get(assignment.column);
        let column_type = column.and_then(|column| column.column_type);
        if let Some(column_type) = column_type.filter(|is| !is.can_be_key()) {
            let help = match column_type {
                ColumnType::Jsonb => {
                    "one JSON value has many spellings; filter by a column of another type"
                }
                _ => "filter by a column of another type",
            };
            report.fault_with_help(
                assignment.place,
                format!(
                    "the column `{}` is {column_type} and cannot be filtered by",
                    scene.column_name(assignment.column)
                ),
                help,
            );
        }
    }
    warn_of_scans(report, act, scene, &filter);
    Some(filter)
}

/// Warns of a filter that can only be answered by reading the whole table.
fn warn_of_scans(
    report: &mut Report<'_>,
    act: Act<'_>,
    scene: &Scene<'_, '_>,
    filter: &Assignments,
) {
    let begins = |columns: &[usize]| {
        columns
            .first()
            .is_some_and(|first| filter.get(*first).is_some())
    };
    let found = begins(scene.key) || scene.indexes.iter().any(|index| begins(index));
    let Some(first) = filter.iter().next() else {
        return;
    };
    if found || scene.key.is_empty() {
        return;
    }
    let names: Vec<&str> = filter.iter().map(|a| scene.column_name(a.column)).collect();
    let help = format!(
        "add `indexes: [[{}]]` under `target`, or begin the key with one of these columns",
        names.join(", ")
    );
    let message = format!(
        "{} reads the whole table for every event: neither the key nor an index begins with a column of \
         its `filter`",
        act.describe()
    );
    report.warning(first.place, message, help);
}

/// The array with an element a row.
fn each_path(report: &mut Report<'_>, entry: &Entry) -> Option<Path> {
    let node = &entry.value;
    if matches!(node.value, Value::Broken) {
        return None;
    }
    let message = match expression::read(report, node)? {
        Expression::Path(path @ Path::Payload(_)) => return Some(path),
        Expression::Path(Path::Item(_)) => "`each` cannot read `item`, which it defines",
        Expression::Path(Path::Metadata(_)) => "no name of the envelope is an array",
        Expression::Literal(_) | Expression::Cel(_) => "`each` must be the path of an array",
    };
    report.fault_with_help(node.place, message, "write a path such as `event.lines`");
    None
}
