//! What the operations of one projection share, and what they find missing in it.

use std::collections::BTreeMap;

use super::super::assignments::{Assignment, Assignments};
use super::super::columns::Columns;
use super::super::fit;
use super::super::target::Target;
use crate::report::Report;
use crate::tree::{Entry, Mapping};

/// One mutation that is being checked.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Act<'a> {
    /// The name of the operation.
    pub(in super::super) name: &'a str,
    /// The event type with its mutation.
    pub(in super::super) event: &'a Entry,
    /// What stands in the mutation.
    pub(in super::super) body: &'a Mapping,
}

impl Act<'_> {
    /// The mutation in a sentence.
    pub(super) fn describe(&self) -> String {
        format!("the `{}` of `{}`", self.name, self.event.key)
    }

    /// What gives a column a value in a new row.
    fn where_to_give(&self) -> &'static str {
        match self.name {
            "increment" | "patch" => {
                "give it a value under `set`, or a default, or write `on_missing: ignore` or \
                 `on_missing: error`"
            }
            _ => "give it a value under `derive`, or a default",
        }
    }
}

/// The projection around a mutation.
#[derive(Debug)]
pub(in super::super) struct Scene<'t, 'c> {
    pub(super) columns: &'c Columns<'t>,
    pub(super) key: &'c [usize],
    /// The columns of each index beside the key.
    pub(super) indexes: &'c [Vec<usize>],
    pub(super) derive: &'c Assignments,
    /// The entry `derive`; without it nothing is missing that is not reported already.
    derive_entry: Option<&'t Entry>,
    /// Whether any mutation of the projection has `each`.
    pub(in super::super) has_each: bool,
    /// Columns of the key without a value, and who needs one first.
    key_gaps: BTreeMap<usize, String>,
    /// Columns that may not be null without a value, who needs one first, and what to do.
    value_gaps: BTreeMap<usize, (String, &'static str)>,
    /// The same where a row that is not there yet would need one.
    new_row_gaps: BTreeMap<usize, (String, &'static str)>,
}

impl<'t, 'c> Scene<'t, 'c> {
    pub(in super::super) fn new(
        columns: &'c Columns<'t>,
        target: &'c Target<'_>,
        derive: &'c Assignments,
        derive_entry: Option<&'t Entry>,
    ) -> Self {
        Self {
            columns,
            key: &target.key,
            indexes: &target.indexes,
            derive,
            derive_entry,
            has_each: false,
            key_gaps: BTreeMap::new(),
            value_gaps: BTreeMap::new(),
            new_row_gaps: BTreeMap::new(),
        }
    }

    /// Whether `derive` stands there; that it is missing is reported already.
    pub(super) fn knows_derive(&self) -> bool {
        self.derive_entry.is_some()
    }

    pub(super) fn column_name(&self, column: usize) -> &'t str {
        self.columns
            .list
            .get(column)
            .map_or("", |column| column.name)
    }

    /// What `derive` gives for the column, in an operation that has no `item`.
    pub(super) fn derived_outside_each(
        &self,
        report: &mut Report<'_>,
        act: Act<'_>,
        column: usize,
    ) -> Option<&'c Assignment> {
        let assignment = self.derive.get(column)?;
        // Without any `each` the expression itself is the fault; it is reported once, at the end.
        if assignment.reads_item() && self.has_each {
            let help = match act.name {
                "upsert" | "insert" if !self.key.contains(&column) => {
                    "give the column another value under `set`"
                }
                _ => "`item` exists only in a `replace` with `each`",
            };
            report.fault_with_help(
                act.event.place,
                format!(
                    "{} needs `{}`, whose value under `derive` reads `item`",
                    act.describe(),
                    self.column_name(column)
                ),
                help,
            );
        }
        Some(assignment)
    }

    /// Reports an expression that reads `item` where there is none.
    pub(super) fn refuse_item(
        &self,
        report: &mut Report<'_>,
        act: Act<'_>,
        assignment: &Assignment,
    ) {
        if assignment.reads_item() {
            report.fault_with_help(
                assignment.place,
                format!("{} has no `item` here", act.describe()),
                "`item` exists only under `derive`, for a `replace` with `each`",
            );
        }
    }

    /// Notes which columns of the key have no value.
    pub(super) fn note_key_gaps(&mut self, act: Act<'_>) {
        for column in self.key {
            if self.derive.get(*column).is_none() {
                self.key_gaps
                    .entry(*column)
                    .or_insert_with(|| act.describe());
            }
        }
    }

    /// Notes which columns of a new row have no value and need one.
    pub(super) fn note_gaps(&mut self, act: Act<'_>, has_value: impl Fn(usize) -> bool) {
        self.note_key_gaps(act);
        for index in self.gaps(has_value) {
            self.value_gaps
                .entry(index)
                .or_insert_with(|| (act.describe(), act.where_to_give()));
        }
    }

    /// Notes which columns have no value and need one if the row is not there yet. That is no
    /// fault: the row may always be there.
    pub(super) fn note_new_row_gaps(&mut self, act: Act<'_>, has_value: impl Fn(usize) -> bool) {
        for index in self.gaps(has_value) {
            self.new_row_gaps
                .entry(index)
                .or_insert_with(|| (act.describe(), act.where_to_give()));
        }
    }

    /// The columns outside the key that may not be null and have neither a value nor a default.
    fn gaps(&self, has_value: impl Fn(usize) -> bool) -> Vec<usize> {
        let columns = self.columns.list.iter().enumerate();
        columns
            .filter(|(index, column)| {
                !column.may_be_null()
                    && !column.has_default
                    && !self.key.contains(index)
                    && !has_value(*index)
            })
            .map(|(index, _)| index)
            .collect()
    }

    /// What to write for a column of the key.
    fn key_help(&self, column: usize) -> String {
        let name = self.column_name(column);
        let draft = self.columns.list.get(column);
        let column_type = draft.and_then(|draft| draft.column_type);
        let is_entity =
            name.to_ascii_lowercase().ends_with("id") && column_type.is_none_or(fit::holds_entity);
        if is_entity {
            format!("add `{name}: event.entityId`, or another expression such as `event.{name}`")
        } else {
            format!("add `{name}: event.{name}` or another expression")
        }
    }

    /// Reports what the mutations found missing, each column once.
    pub(in super::super) fn report_gaps(&self, report: &mut Report<'_>) {
        let Some(derive) = self.derive_entry else {
            return;
        };
        for (column, who) in &self.key_gaps {
            let name = self.column_name(*column);
            report.fault_with_help(
                derive.place,
                format!(
                    "`derive` gives no value for `{name}`, a column of the key that {who} needs"
                ),
                self.key_help(*column),
            );
        }
        for (column, (who, help)) in &self.value_gaps {
            let Some(draft) = self.columns.list.get(*column) else {
                continue;
            };
            report.fault_with_help(
                draft.place,
                format!(
                    "`{}` may not be null, and {who} gives it no value",
                    draft.name
                ),
                *help,
            );
        }
        for (column, (who, help)) in &self.new_row_gaps {
            let Some(draft) = self.columns.list.get(*column) else {
                continue;
            };
            let message = format!(
                "`{}` may not be null, and {who} gives it no value: where there is no row yet, its event \
                 becomes a dead letter",
                draft.name
            );
            report.warning(draft.place, message, *help);
        }
        if self.has_each {
            return;
        }
        for assignment in self.derive.iter().filter(|a| a.reads_item()) {
            report.fault_with_help(
                assignment.place,
                "`item` exists only in a `replace` with `each`, and no mutation here has one",
                "add `each: event.…` with the path of the array to a `replace`, or write a path that begins \
                 with `event`",
            );
        }
    }
}
