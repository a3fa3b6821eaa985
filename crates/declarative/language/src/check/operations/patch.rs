//! `patch`: writes some columns of one row.

use super::super::assignments::{self, Assignment};
use super::on_missing;
use super::scene::{Act, Scene};
use crate::model::{Expression, OnMissing, Operation, Path};
use crate::report::Report;
use crate::tree::{Entry, Value};

/// Checks a `patch`.
pub(in super::super) fn patch(
    report: &mut Report<'_>,
    act: Act<'_>,
    scene: &mut Scene<'_, '_>,
) -> Option<Operation> {
    let set = super::set(report, act, scene);
    for assignment in set.iter() {
        scene.refuse_item(report, act, assignment);
    }
    let key = super::key(report, act, scene);
    let on_missing = on_missing::read(report, act);
    // What stands under `set` is all that is written, also when all of it is wrong.
    let present: Vec<&Assignment> = match act.body.get("set") {
        Some(_) => Vec::new(),
        None => present(scene).collect(),
    };
    let written = |column: usize| {
        set.get(column).is_some() || present.iter().any(|value| value.column == column)
    };
    if on_missing == OnMissing::Create {
        scene.note_new_row_gaps(act, written);
    }
    refuse_nothing(report, act, scene, &present);
    Some(Operation::Patch {
        key: key?,
        present: assignments::finish(present)?,
        set: set.finish()?,
        on_missing,
    })
}

/// The columns outside the key whose value is a place of the payload: an event may have it or not.
/// A literal or a name of the envelope would be there in every event.
fn present<'c>(scene: &Scene<'_, 'c>) -> impl Iterator<Item = &'c Assignment> {
    let (derive, key) = (scene.derive, scene.key);
    derive.iter().filter(move |assignment| {
        let broken_or_place = matches!(
            assignment.expression,
            None | Some(Expression::Path(Path::Payload(_)))
        );
        broken_or_place && !key.contains(&assignment.column)
    })
}

/// Reports a patch that would write nothing but the key.
fn refuse_nothing(
    report: &mut Report<'_>,
    act: Act<'_>,
    scene: &Scene<'_, '_>,
    present: &[&Assignment],
) {
    let (place, help) = match act.body.get("set") {
        Some(set) if is_empty(set) => (
            set.place,
            "write columns and their values, such as `set: { status: \"'shipped'\" }`",
        ),
        None if present.is_empty() && scene.knows_derive() => (
            act.event.place,
            "add `set: { status: \"'shipped'\" }` with the columns to write, or give them paths of the \
             payload under `derive`",
        ),
        _ => return,
    };
    report.fault_with_help(place, format!("{} writes no column", act.describe()), help);
}

fn is_empty(set: &Entry) -> bool {
    matches!(&set.value.value, Value::Mapping(mapping) if mapping.entries.is_empty())
}
