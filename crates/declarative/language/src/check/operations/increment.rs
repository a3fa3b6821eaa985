//! `increment`: adds to columns of one row.

use super::super::assignments::{self, Assignments, Role};
use super::super::keys;
use super::on_missing;
use super::scene::{Act, Scene};
use crate::model::{OnMissing, Operation};
use crate::report::Report;

/// Checks an `increment`.
pub(in super::super) fn increment(
    report: &mut Report<'_>,
    act: Act<'_>,
    scene: &mut Scene<'_, '_>,
) -> Option<Operation> {
    let by = by(report, act, scene);
    let set = super::set(report, act, scene);
    for assignment in set.iter() {
        scene.refuse_item(report, act, assignment);
        let added = by.as_ref().and_then(|by| by.get(assignment.column));
        if added.is_some() {
            report.fault_with_help(
                assignment.place,
                format!(
                    "`{}` stands under `by` and under `set`",
                    scene.column_name(assignment.column)
                ),
                "keep one of the two",
            );
        }
    }
    let key = super::key(report, act, scene);
    let on_missing = on_missing::read(report, act);
    // A row that is not there yet is made from the defaults.
    if on_missing == OnMissing::Create {
        scene.note_gaps(act, |column| {
            let added = by.as_ref().is_none_or(|by| by.get(column).is_some());
            added || set.get(column).is_some()
        });
    }
    Some(Operation::Increment {
        key: key?,
        by: by?.finish()?,
        set: set.finish()?,
        on_missing,
    })
}

/// The first column that can be added to.
fn number_column<'t>(scene: &Scene<'t, '_>) -> Option<&'t str> {
    let mut columns = scene.columns.list.iter().enumerate();
    let found = columns.find(|(index, column)| {
        !scene.key.contains(index) && column.column_type.is_some_and(|is| is.is_number())
    });
    found.map(|(_, column)| column.name)
}

fn by(report: &mut Report<'_>, act: Act<'_>, scene: &Scene<'_, '_>) -> Option<Assignments> {
    let owner = act.describe();
    let number = number_column(scene).unwrap_or("count");
    let example = format!("by: {{ {number}: 1 }}");
    let entry = keys::required(report, act.body, "by", act.event.place, &owner, &example)?;
    let by = assignments::read(report, entry, scene.columns, scene.key, Role::Addend);
    for assignment in by.iter() {
        scene.refuse_item(report, act, assignment);
        let Some(column) = scene.columns.list.get(assignment.column) else {
            continue;
        };
        if scene.key.contains(&assignment.column) {
            let message = format!(
                "`{}` is part of the key and cannot be added to",
                column.name
            );
            let help = "take it out of `by`; a row keeps its key";
            report.fault_with_help(assignment.place, message, help);
        } else if let Some(column_type) = column.column_type
            && !column_type.is_number()
        {
            report.fault_with_help(
                assignment.place,
                format!("`{}` is {column_type} and cannot be added to", column.name),
                "columns of BIGINT, INT, SMALLINT, DOUBLE, REAL and NUMERIC can",
            );
        }
    }
    Some(by)
}
