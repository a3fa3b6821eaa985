//! What each operation needs: its values, complete and of the right kind.

mod increment;
mod on_missing;
mod patch;
mod replace;
mod scene;

pub(super) use increment::increment;
pub(super) use patch::patch;
pub(super) use replace::replace;
pub(super) use scene::{Act, Scene};

use super::assignments::{self, Assignment, Assignments, Role};
use crate::model::{ColumnValue, Operation};
use crate::report::Report;

/// The values of `upsert` and `insert`: what `derive` gives, and `set` in its place.
pub(super) fn row(
    report: &mut Report<'_>,
    act: Act<'_>,
    scene: &mut Scene<'_, '_>,
) -> Option<Vec<ColumnValue>> {
    let set = set(report, act, scene);
    for assignment in set.iter() {
        scene.refuse_item(report, act, assignment);
    }
    let values: Vec<&Assignment> = (0..scene.columns.list.len())
        .filter_map(|column| match set.get(column) {
            Some(assignment) => Some(assignment),
            None => scene.derived_outside_each(report, act, column),
        })
        .collect();
    scene.note_gaps(act, |column| {
        set.get(column).is_some() || scene.derive.get(column).is_some()
    });
    assignments::finish(values)
}

/// `delete` needs the key and nothing else.
pub(super) fn delete(
    report: &mut Report<'_>,
    act: Act<'_>,
    scene: &mut Scene<'_, '_>,
) -> Option<Operation> {
    let key = key(report, act, scene)?;
    Some(Operation::Delete { key })
}

/// The values of the key, in its order.
fn key(
    report: &mut Report<'_>,
    act: Act<'_>,
    scene: &mut Scene<'_, '_>,
) -> Option<Vec<ColumnValue>> {
    let values: Vec<&Assignment> = scene
        .key
        .iter()
        .filter_map(|column| scene.derived_outside_each(report, act, *column))
        .collect();
    let complete = values.len() == scene.key.len();
    scene.note_key_gaps(act);
    complete.then(|| assignments::finish(values)).flatten()
}

/// Reads `set`, which never writes the key.
fn set(report: &mut Report<'_>, act: Act<'_>, scene: &Scene<'_, '_>) -> Assignments {
    let Some(entry) = act.body.get("set") else {
        return Assignments::default();
    };
    let set = assignments::read(report, entry, scene.columns, scene.key, Role::Row);
    for assignment in set.iter() {
        if scene.key.contains(&assignment.column) {
            report.fault_with_help(
                assignment.place,
                format!(
                    "`set` cannot write `{}`, which is part of the key",
                    scene.column_name(assignment.column)
                ),
                "give the key under `derive`",
            );
        }
    }
    set
}
