//! The columns of a projection: the mapping `fields`.

use std::collections::HashMap;

use projectionist_core::row::{Column, ColumnType, OwnedCell};

use super::{column_type, default, keys, names, rules};
use crate::expression::{Position, text_trap};
use crate::model::ColumnRules;
use crate::report::Report;
use crate::source::Place;
use crate::suggest::did_you_mean;
use crate::tree::{Entry, Mapping, Node, Plain, Value};
use crate::vocabulary::COLUMN;
use crate::vocabulary::limits::MAX_COLUMNS;

const WANTED: &str = "columns and their types, such as `order_id: TEXT`";

/// The columns as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Columns<'t> {
    /// Whether every column is in `list`. When not, a name that is missing there may be right.
    pub(super) complete: bool,
    pub(super) list: Vec<DraftColumn<'t>>,
    indexes: HashMap<&'t str, usize>,
}

/// A column, before it is known whether it belongs to the key.
#[derive(Debug)]
pub(super) struct DraftColumn<'t> {
    pub(super) name: &'t str,
    pub(super) place: Place,
    /// `None` when its type is broken.
    pub(super) column_type: Option<ColumnType>,
    /// What `nullable` and `required` say, with the place, where one of them stands.
    pub(super) nullable: Option<(bool, Place)>,
    pub(super) default: Option<(OwnedCell, Place)>,
    /// Whether a default stands there, even a broken one or null.
    pub(super) has_default: bool,
    pub(super) rules: ColumnRules,
}

impl DraftColumn<'_> {
    /// Whether a column outside the key may be null.
    pub(super) fn may_be_null(&self) -> bool {
        self.nullable.is_none_or(|(nullable, _)| nullable)
    }
}

impl<'t> Columns<'t> {
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.indexes.get(name).copied()
    }

    /// The index of the column; a name that is none is reported.
    pub(super) fn resolve(
        &self,
        report: &mut Report<'_>,
        name: &str,
        place: Place,
    ) -> Option<usize> {
        let found = self.find(name);
        if found.is_none() && self.complete {
            let slip = did_you_mean(name, self.list.iter().map(|column| column.name));
            let message = format!("the column `{name}` is not in `fields`{slip}");
            if slip.is_empty() {
                let help = format!("add `{name}: TEXT`, or another type, under `fields`");
                report.fault_with_help(place, message, help);
            } else {
                report.fault(place, message);
            }
        }
        found
    }

    /// The columns of the model, once nothing is wrong with them.
    pub(super) fn finish(&self, key: &[usize]) -> Option<Vec<Column>> {
        let columns = self.list.iter().enumerate().map(|(index, draft)| {
            Some(Column {
                name: draft.name.into(),
                column_type: draft.column_type?,
                nullable: draft.may_be_null() && !key.contains(&index),
                default: draft.default.as_ref().map(|(cell, _)| cell.clone()),
            })
        });
        columns.collect()
    }

    /// How values become cells of each column.
    pub(super) fn rules(&self) -> Vec<ColumnRules> {
        self.list.iter().map(|draft| draft.rules).collect()
    }
}

/// Reads `fields`.
pub(super) fn read<'t>(report: &mut Report<'_>, entry: &'t Entry) -> Columns<'t> {
    let mut columns = Columns::default();
    let Some(fields) = keys::filled_mapping(report, &entry.value, "`fields`", WANTED) else {
        return columns;
    };
    if fields.entries.len() > MAX_COLUMNS {
        let message = format!(
            "`fields` has {} columns; at most {MAX_COLUMNS} are allowed",
            fields.entries.len()
        );
        report.fault(entry.place, message);
        return columns;
    }
    columns.complete = !fields.broken;
    let mut lower: HashMap<String, Place> = HashMap::new();
    for field in &fields.entries {
        let name = field.key.as_str();
        names::check_column(report, field.place, name);
        // SQLite compares the names of columns without case.
        if let Some(first) = lower.insert(name.to_ascii_lowercase(), field.place) {
            let message = format!(
                "the column `{name}` differs only in case from the one in line {}",
                first.line
            );
            report.fault_with_help(field.place, message, "give one of them another name");
        }
        columns.indexes.insert(name, columns.list.len());
        let column = column(report, field);
        columns.list.push(column);
    }
    columns
}

fn column<'t>(report: &mut Report<'_>, field: &'t Entry) -> DraftColumn<'t> {
    let mut draft = DraftColumn {
        name: &field.key,
        place: field.place,
        column_type: None,
        nullable: None,
        default: None,
        has_default: false,
        rules: ColumnRules::default(),
    };
    let subject = format!("the column `{}`", field.key);
    match &field.value.value {
        Value::Mapping(options) => long_form(report, field, options, &subject, &mut draft),
        Value::Scalar(_) => {
            let subject = format!("the type of {subject}");
            draft.column_type = keys::text(report, &field.value, &subject)
                .and_then(|text| column_type::parse(report, field.value.place, text));
        }
        Value::List(_) => {
            let message = format!("{subject} must be a type, not a list");
            report.fault_with_help(
                field.value.place,
                message,
                "write `TEXT`, or `{ type: TEXT }`",
            );
        }
        Value::Broken => {}
    }
    draft
}

fn long_form(
    report: &mut Report<'_>,
    field: &Entry,
    options: &Mapping,
    subject: &str,
    draft: &mut DraftColumn<'_>,
) {
    keys::check(report, options, &COLUMN);
    let example = "type: TEXT";
    if let Some(entry) = keys::required(report, options, "type", field.place, subject, example) {
        let subject = format!("the type of {subject}");
        draft.column_type = keys::text(report, &entry.value, &subject)
            .and_then(|text| column_type::parse(report, entry.value.place, text));
    }
    draft.rules = rules::read(report, options, subject, draft.column_type);
    let nullable = option_truth(report, options, "nullable");
    // A value that is required may not be null.
    let required = option_truth(report, options, "required");
    if let (Some((true, _)), Some((true, place))) = (nullable, required) {
        report.fault_with_help(
            place,
            format!("{subject} is both nullable and required"),
            "keep one of the two",
        );
    }
    draft.nullable = match (nullable, required) {
        (Some((true, _)), Some((true, _))) => None,
        (_, Some((true, place))) => Some((false, place)),
        (nullable, _) => nullable,
    };
    if let Some(entry) = options.get("default") {
        draft.has_default = true;
        let Some(column_type) = draft.column_type else {
            return;
        };
        let rules = draft.rules;
        match default::default(report, &entry.value, &field.key, column_type, rules) {
            Some(OwnedCell::Null) if !draft.may_be_null() => {
                report.fault_with_help(
                    entry.place,
                    format!("the default of {subject} is null, but it may not be null"),
                    "write another default, or leave it out",
                );
            }
            Some(OwnedCell::Null) | None => {}
            Some(cell) => draft.default = Some((cell, entry.place)),
        }
    }
}

/// The value of an option that is `true` or `false`.
fn option_truth(report: &mut Report<'_>, options: &Mapping, key: &str) -> Option<(bool, Place)> {
    let entry = options.get(key)?;
    match truth(&entry.value) {
        Some(value) => Some((value, entry.place)),
        None => {
            if !matches!(entry.value.value, Value::Broken) {
                let message = format!("`{key}` must be `true` or `false`");
                let trap = match &entry.value.value {
                    Value::Scalar(scalar) => text_trap(&scalar.text, Position::Value),
                    _ => None,
                };
                let help = trap.unwrap_or_else(|| format!("write `{key}: true`, without quotes"));
                report.fault_with_help(entry.value.place, message, help);
            }
            None
        }
    }
}

fn truth(node: &Node) -> Option<bool> {
    match &node.value {
        Value::Scalar(scalar) => match scalar.resolved() {
            Plain::Bool(truth) => Some(truth),
            _ => None,
        },
        _ => None,
    }
}
