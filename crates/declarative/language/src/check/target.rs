//! The table that a projection writes, and its key.

use std::collections::HashMap;

use projectionist_core::row::ColumnType;

use super::columns::Columns;
use super::keys::{self, Keys, Name};
use super::names;
use crate::report::Report;
use crate::source::Place;
use crate::tree::{Entry, Mapping};

const TARGET_KEYS: Keys = Keys {
    built: &["table", "primary_key"],
    later: &["indexes"],
};

/// The target as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Target<'t> {
    pub(super) table: Option<&'t str>,
    /// The columns of the key that are known.
    pub(super) key: Vec<usize>,
}

/// Reads `target`. `tables` holds the tables of earlier projections, in lower case.
pub(super) fn read<'t>(
    report: &mut Report<'_>,
    entry: &'t Entry,
    owner: &'t str,
    columns: &Columns<'_>,
    tables: &mut HashMap<String, &'t str>,
) -> Target<'t> {
    let wanted = "`table` and `primary_key`";
    let Some(target) = keys::mapping(report, &entry.value, "`target`", wanted) else {
        return Target::default();
    };
    keys::check(report, target, &TARGET_KEYS);
    Target {
        table: table(report, target, entry.place, owner, tables),
        key: key(report, target, entry.place, columns),
    }
}

fn table<'t>(
    report: &mut Report<'_>,
    target: &'t Mapping,
    place: Place,
    owner: &'t str,
    tables: &mut HashMap<String, &'t str>,
) -> Option<&'t str> {
    let example = format!("table: {owner}");
    let entry = keys::required(report, target, "table", place, "`target`", &example)?;
    let name = keys::text(report, &entry.value, "the name of the table")?;
    if !names::check_table(report, entry.value.place, name) {
        return None;
    }
    // SQLite compares the names of tables without case.
    if let Some(other) = tables.insert(name.to_ascii_lowercase(), owner) {
        report.fault_with_help(
            entry.value.place,
            format!("the table `{name}` is written by the projection `{other}` already"),
            "give each projection a table of its own",
        );
    }
    Some(name)
}

fn key(
    report: &mut Report<'_>,
    target: &Mapping,
    place: Place,
    columns: &Columns<'_>,
) -> Vec<usize> {
    let example = "primary_key: [order_id]";
    let Some(entry) = keys::required(report, target, "primary_key", place, "`target`", example)
    else {
        return Vec::new();
    };
    let (names, _) = keys::names(report, &entry.value, "`primary_key`", example);
    let mut key = Vec::new();
    for name in names {
        let Some(index) = columns.resolve(report, name.text, name.place) else {
            continue;
        };
        if key.contains(&index) {
            let message = format!("`{}` stands in the key twice", name.text);
            report.fault(name.place, message);
            continue;
        }
        key_column(report, name, columns, index);
        key.push(index);
    }
    key
}

/// What holds only for columns of the key.
fn key_column(report: &mut Report<'_>, name: Name<'_>, columns: &Columns<'_>, index: usize) {
    let Some(column) = columns.list.get(index) else {
        return;
    };
    if let Some((true, place)) = column.nullable {
        report.fault_with_help(
            place,
            format!(
                "the column `{}` is part of the key and cannot be nullable",
                name.text
            ),
            "leave `nullable` out",
        );
    }
    if column.has_default {
        report.fault_with_help(
            column.place,
            format!(
                "the column `{}` is part of the key and cannot have a default",
                name.text
            ),
            "leave `default` out; every event must give the key",
        );
    }
    if column.column_type == Some(ColumnType::Jsonb) {
        report.fault_with_help(
            name.place,
            format!(
                "the column `{}` is JSONB and cannot be part of the key",
                name.text
            ),
            "one JSON value has many spellings; take out of it what tells rows apart",
        );
    }
}
