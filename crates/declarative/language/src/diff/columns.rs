//! Changes of the columns, the key and the indexes.

use std::collections::BTreeSet;

use projectionist_core::row::{Column, is_wider};

use super::change::{Changes, Class};
use crate::model::{ColumnRules, NulRule, Projection};

pub(super) fn compare(changes: &mut Changes<'_>, old: &Projection, new: &Projection) {
    for (index, column) in new.columns.iter().enumerate() {
        match position(old, &column.name) {
            None => added(changes, column),
            Some(at) => {
                if let (Some(before), Some(was), Some(is)) =
                    (old.columns.get(at), old.rules.get(at), new.rules.get(index))
                {
                    let is_key = new.key.contains(&index);
                    changed(changes, before, column, is_key);
                    ruled(changes, &column.name, was, is);
                }
            }
        }
    }
    for column in old.columns.iter() {
        if position(new, &column.name).is_none() {
            let what = format!("column `{}` is gone", column.name);
            let why = "dropping it would lose what it holds";
            changes.push(Class::NeedsRebuild, what, why);
        }
    }
    if names(old, &old.key) != names(new, &new.key) {
        let (was, is) = (
            names(old, &old.key).join(", "),
            names(new, &new.key).join(", "),
        );
        let what = format!("key ({was}) becomes ({is})");
        changes.push(
            Class::NeedsRebuild,
            what,
            "rows are told apart by other columns",
        );
    }
    indexes(changes, old, new);
}

/// Where a column stands.
pub(super) fn position(projection: &Projection, name: &str) -> Option<usize> {
    projection
        .columns
        .iter()
        .position(|column| *column.name == *name)
}

fn names<'a>(projection: &'a Projection, columns: &[usize]) -> Vec<&'a str> {
    let columns = columns.iter().filter_map(|at| projection.columns.get(*at));
    columns.map(|column| &*column.name).collect()
}

fn added(changes: &mut Changes<'_>, column: &Column) {
    let what = format!("new column `{}`", column.name);
    match (&column.default, column.nullable) {
        (Some(_), _) => changes.push(
            Class::Additive,
            what,
            "rows written before have its default until their next event or a rebuild",
        ),
        (None, true) => changes.push(
            Class::Additive,
            what,
            "rows written before have null in it until their next event or a rebuild",
        ),
        (None, false) => changes.push(
            Class::NeedsRebuild,
            what,
            "rows written before have no value for it, and it allows no null; let it be nullable, \
             or give it a default",
        ),
    }
}

fn changed(changes: &mut Changes<'_>, old: &Column, new: &Column, is_key: bool) {
    let name = &new.name;
    let (from, to) = (old.column_type.to_string(), new.column_type.to_string());
    if from != to {
        let what = format!("column `{name}` is {to} and was {from}");
        if is_wider(&from, &to) {
            changes.push(Class::Additive, what, "every value stays as it is");
        } else {
            changes.push(Class::NeedsRebuild, what, "its values are kept otherwise");
        }
    }
    match (old.nullable, new.nullable) {
        _ if is_key => {}
        (false, true) => changes.push(
            Class::Additive,
            format!("column `{name}` allows null"),
            "every value stays as it is",
        ),
        (true, false) => changes.push(
            Class::NeedsRebuild,
            format!("column `{name}` allows no null"),
            "rows written before may have null in it",
        ),
        _ => {}
    }
    match (&old.default, &new.default) {
        (None, Some(_)) => changes.push(
            Class::Additive,
            format!("column `{name}` has a default"),
            "rows written before keep null where they had no value until their next event or a rebuild",
        ),
        (Some(_), None) => changes.push(
            Class::NeedsRebuild,
            format!("column `{name}` has no default any more"),
            "rows written before have it where they had no value",
        ),
        (Some(before), Some(now)) if before != now => changes.push(
            Class::NeedsRebuild,
            format!("column `{name}` has another default"),
            "rows written before have the old one, and their sums began with it",
        ),
        _ => {}
    }
}

fn ruled(changes: &mut Changes<'_>, name: &str, old: &ColumnRules, new: &ColumnRules) {
    // What takes more than before changes only what became of events that were dead letters.
    for (rule, is_other, takes_more) in [
        ("coerce", old.lenient != new.lenient, new.lenient),
        ("tz", old.zone != new.zone, old.zone.is_none()),
        ("nul", old.nul != new.nul, old.nul == NulRule::Error),
    ] {
        if !is_other {
            continue;
        }
        let what = format!("column `{name}` has another `{rule}`");
        if takes_more {
            let why = "it takes more than before: replay the dead letters that it takes now";
            changes.push(Class::Additive, what, why);
        } else {
            let why = "values of the events that were read would have been taken otherwise";
            changes.push(Class::NeedsRebuild, what, why);
        }
    }
}

fn indexes(changes: &mut Changes<'_>, old: &Projection, new: &Projection) {
    let of = |projection: &Projection| -> BTreeSet<String> {
        let indexes = projection.indexes.iter();
        indexes
            .map(|columns| names(projection, columns).join(", "))
            .collect()
    };
    let (was, is) = (of(old), of(new));
    for index in is.difference(&was) {
        changes.push(
            Class::Additive,
            format!("new index ({index})"),
            "it is made",
        );
    }
    for index in was.difference(&is) {
        changes.push(
            Class::Additive,
            format!("index ({index}) is gone"),
            "it is dropped",
        );
    }
}
