//! The table that a projection writes, and its key.

use std::collections::HashMap;

use projectionist_core::row::ColumnType;

use super::columns::Columns;
use super::keys::{self, Name};
use super::{indexes, names};
use crate::report::Report;
use crate::source::Place;
use crate::tree::{Entry, Mapping};
use crate::vocabulary::TARGET;
use crate::vocabulary::limits::MAX_INDEX_COLUMNS;

/// The target as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Target<'t> {
    pub(super) table: Option<&'t str>,
    /// The columns of the key that are known.
    pub(super) key: Vec<usize>,
    /// The columns of each index.
    pub(super) indexes: Vec<Vec<usize>>,
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
    keys::check(report, target, &TARGET);
    let key = key(report, target, entry.place, columns);
    Target {
        table: table(report, target, entry.place, owner, tables),
        indexes: indexes::read(report, target, columns, &key),
        key,
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
    if names.len() > MAX_INDEX_COLUMNS {
        let message = format!(
            "`primary_key` has {} columns; at most {MAX_INDEX_COLUMNS} are allowed",
            names.len()
        );
        report.fault_with_help(entry.place, message, "keep those that tell rows apart");
        return Vec::new();
    }
    let mut key = Vec::new();
    for name in names {
        let Some(index) = columns.resolve(report, name.text, name.place) else {
            continue;
        };
        if key.contains(&index) {
            let message = format!("`{}` stands in the key twice", name.text);
            report.fault_with_help(name.place, message, "keep one of them");
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
    if let Some(column_type) = column.column_type.filter(|is| !is.can_be_key()) {
        let help = match column_type {
            ColumnType::Jsonb => {
                "one JSON value has many spellings; take out of it what tells rows apart"
            }
            _ => "make its elements rows of their own, with `op: replace` and `each`",
        };
        report.fault_with_help(
            name.place,
            format!(
                "the column `{}` is {column_type} and cannot be part of the key",
                name.text
            ),
            help,
        );
    }
}
