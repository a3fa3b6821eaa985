//! Columns and the expressions of their values: `derive`, `set`, `by` and `filter`.

use super::columns::Columns;
use super::{fit, keys, own_value};
use crate::expression;
use crate::model::{ColumnValue, Expression};
use crate::report::Report;
use crate::source::Place;
use crate::tree::{Entry, Mapping};

/// Values of columns as far as they are known, each column at most once.
#[derive(Debug, Default)]
pub(super) struct Assignments {
    /// By column; as long as the highest column with a value.
    by_column: Vec<Option<Assignment>>,
}

/// The value of one column.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) column: usize,
    /// Where the expression stands.
    pub(super) place: Place,
    /// `None` when the expression is broken.
    pub(super) expression: Option<Expression>,
}

impl Assignment {
    pub(super) fn reads_item(&self) -> bool {
        self.expression.as_ref().is_some_and(fit::reads_item)
    }
}

impl Assignments {
    pub(super) fn get(&self, column: usize) -> Option<&Assignment> {
        self.by_column.get(column)?.as_ref()
    }

    /// The values in the order of the columns.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Assignment> {
        self.by_column.iter().flatten()
    }

    fn insert(&mut self, assignment: Assignment) {
        let column = assignment.column;
        if self.by_column.len() <= column {
            self.by_column.resize_with(column + 1, || None);
        }
        if let Some(slot) = self.by_column.get_mut(column) {
            *slot = Some(assignment);
        }
    }

    /// The values in the order of the columns; `None` when one is broken.
    pub(super) fn finish(&self) -> Option<Vec<ColumnValue>> {
        finish(self.iter())
    }
}

/// The values in the order given; `None` when one is broken.
pub(super) fn finish<'a>(
    assignments: impl IntoIterator<Item = &'a Assignment>,
) -> Option<Vec<ColumnValue>> {
    assignments
        .into_iter()
        .map(|assignment| {
            Some(ColumnValue {
                column: assignment.column,
                expression: assignment.expression.clone()?,
            })
        })
        .collect()
}

/// What the values are for, which decides what they may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The values of a whole row; `key` are its columns that are never null.
    Row,
    /// What is compared.
    Filter,
    /// What is added.
    Addend,
}

/// Reads a mapping from columns to expressions.
pub(super) fn read(
    report: &mut Report<'_>,
    entry: &Entry,
    columns: &Columns<'_>,
    key: &[usize],
    role: Role,
) -> Assignments {
    let subject = format!("`{}`", entry.key);
    let wanted = "columns and, for each, an expression such as `event.user_id`";
    let mapping = match role {
        Role::Row => keys::mapping(report, &entry.value, &subject, wanted),
        // Without a filter everything would be deleted, and nothing can be added to nothing.
        Role::Filter | Role::Addend => keys::filled_mapping(report, &entry.value, &subject, wanted),
    };
    let Some(mapping) = mapping else {
        return Assignments::default();
    };
    read_entries(report, mapping, columns, key, role)
}

fn read_entries(
    report: &mut Report<'_>,
    mapping: &Mapping,
    columns: &Columns<'_>,
    key: &[usize],
    role: Role,
) -> Assignments {
    let mut assignments = Assignments::default();
    for entry in &mapping.entries {
        let index = columns.resolve(report, &entry.key, entry.place);
        let expression = value(report, entry, columns, role);
        let Some(index) = index else { continue };
        let place = entry.value.place;
        if let (Some(column), Some(expression)) = (columns.list.get(index), &expression) {
            fit::check(report, column, expression, place);
            let never_null = key.contains(&index) || !column.may_be_null();
            if fit::is_null(expression) {
                null(report, column.name, place, role, never_null);
            }
        }
        assignments.insert(Assignment {
            column: index,
            place,
            expression,
        });
    }
    assignments
}

/// Reads the expression of a column.
fn value(
    report: &mut Report<'_>,
    entry: &Entry,
    columns: &Columns<'_>,
    role: Role,
) -> Option<Expression> {
    if entry.value.is_left_out() {
        let name = &entry.key;
        // What is no column is reported as that.
        columns.find(name)?;
        let message = format!("`{name}` has no value");
        let or_null = match role {
            Role::Row => ", or `null` if that is meant",
            Role::Filter | Role::Addend => "",
        };
        let help = format!("write `event.{name}` or another expression{or_null}");
        report.fault_with_help(entry.place, message, help);
        return None;
    }
    expression::read_beside(report, &entry.value, &|root, text| {
        own_value::help(columns, root, text)
    })
}

/// Reports a null where it can only fail.
fn null(report: &mut Report<'_>, name: &str, place: Place, role: Role, never_null: bool) {
    match role {
        Role::Row if never_null => report.fault_with_help(
            place,
            format!("the column `{name}` may not be null"),
            format!("write a path such as `event.{name}`, or a literal"),
        ),
        Role::Row => {}
        Role::Filter => {
            let message = format!("null equals nothing, so a filter by `{name}` needs a value");
            let help = format!(
                "write a path such as `event.{name}`, or take the column out of the filter"
            );
            report.fault_with_help(place, message, help);
        }
        Role::Addend => report.fault_with_help(
            place,
            format!("null cannot be added to `{name}`"),
            format!("write a number, or a path such as `event.{name}`"),
        ),
    }
}
