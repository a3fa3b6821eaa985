//! Compares two programs.

use std::slice;

use super::change::{Change, Changes, Class};
use super::{columns, mutations, settings};
use crate::model::{Program, Projection};

/// What makes `new` another program than `old`, by projection in the order of `new`, then those
/// that are gone. Empty when they mean the same.
#[must_use]
pub fn diff(old: &Program, new: &Program) -> Vec<Change> {
    diff_all(slice::from_ref(old), slice::from_ref(new))
}

/// As [`diff`], of projections that stand in several programs, each with its own envelope.
#[must_use]
pub fn diff_all(old: &[Program], new: &[Program]) -> Vec<Change> {
    let mut all = Vec::new();
    for (program, projection) in projections(new) {
        let mut changes = Changes {
            projection: &projection.name,
            list: Vec::new(),
        };
        match named(old, &projection.name) {
            Some((before_program, before)) => {
                compare(
                    &mut changes,
                    (before_program, before),
                    (program, projection),
                );
            }
            None if writer(old, projection).is_none() => changes.push(
                Class::Additive,
                "new projection",
                "its table is made, and it starts as its `start` says",
            ),
            None => {}
        }
        table_of_another(&mut changes, old, projection);
        all.append(&mut changes.list);
    }
    for (_, gone) in projections(old) {
        if named(new, &gone.name).is_none() {
            let mut changes = Changes {
                projection: &gone.name,
                list: Vec::new(),
            };
            changes.push(
                Class::Additive,
                "not declared any more",
                "it is not run; its table and its progress stay",
            );
            all.append(&mut changes.list);
        }
    }
    all
}

fn projections(programs: &[Program]) -> impl Iterator<Item = (&Program, &Projection)> {
    programs
        .iter()
        .flat_map(|program| program.projections.iter().map(move |one| (program, one)))
}

fn named<'a>(programs: &'a [Program], name: &str) -> Option<(&'a Program, &'a Projection)> {
    projections(programs).find(|(_, one)| *one.name == *name)
}

/// The projection that writes the table of `projection`.
fn writer<'a>(programs: &'a [Program], projection: &Projection) -> Option<&'a Projection> {
    let mut all = projections(programs).map(|(_, one)| one);
    all.find(|one| one.table.eq_ignore_ascii_case(&projection.table))
}

/// A table has one writer for good: what another one has written cannot be told apart.
fn table_of_another(changes: &mut Changes<'_>, old: &[Program], projection: &Projection) {
    let Some(before) = writer(old, projection) else {
        return;
    };
    if before.name != projection.name {
        let (table, name) = (&projection.table, &before.name);
        changes.push(
            Class::Incompatible,
            format!("takes the table `{table}` of the projection `{name}`"),
            format!(
                "a table has one writer; name another table, keep the name `{name}`, or use a new target"
            ),
        );
    }
}

fn compare(
    changes: &mut Changes<'_>,
    (old_program, old): (&Program, &Projection),
    (new_program, new): (&Program, &Projection),
) {
    if old_program.envelope != new_program.envelope {
        changes.push(
            Class::NeedsRebuild,
            "the envelope is another",
            "the events that were read would have been read otherwise",
        );
    }
    if old.table != new.table {
        changes.push(
            Class::NeedsRebuild,
            format!("table `{}` becomes `{}`", old.table, new.table),
            "the new table would begin in the middle of the events",
        );
    }
    columns::compare(changes, old, new);
    mutations::compare(changes, old, new);
    settings::compare(changes, old, new);
}
