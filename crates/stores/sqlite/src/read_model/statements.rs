//! The texts of the statements that write one table.
//!
//! In all of them `?i` is the column at index i - 1 of the effect's row, and the operands of a
//! change follow behind the last column. So one rule binds every statement.

use std::collections::HashMap;

use projectionist_core::row::{Change, ChangeShape, OwnedCell, Table};
use projectionist_core::{Error, Result};

use super::ddl::{is_required, push_key, push_value};
use super::names::{push_quoted, stored_name};
use super::sums::push_sum;

/// The most shapes and scopes whose texts are kept for a table.
const MOST_TEXTS: usize = 256;

/// The texts for one table, made once.
#[derive(Debug)]
pub(super) struct Statements {
    /// Inserts the row; a row that is there is kept.
    pub(super) insert_or_keep: Box<str>,
    /// Inserts the row, or makes the one that is there equal.
    pub(super) insert_or_overwrite: Box<str>,
    /// Makes the row that is there equal; `None` when the key is the whole row.
    pub(super) overwrite: Option<Box<str>>,
    pub(super) delete: Box<str>,
    pub(super) find: Box<str>,
    /// The columns outside the key that refuse null.
    pub(super) required: Box<[usize]>,
    insert: Box<str>,
    conflict: Box<str>,
    update: Box<str>,
    where_key: Box<str>,
    delete_where: Box<str>,
    changes: HashMap<ChangeShape, ChangeTexts>,
    scope_deletes: HashMap<Box<[usize]>, Box<str>>,
}

/// The texts for one way to change a row.
#[derive(Clone, Debug)]
pub(super) struct ChangeTexts {
    /// Inserts the row, or changes the one that is there.
    pub(super) insert_or_change: Box<str>,
    /// Changes the row that is there.
    pub(super) change: Box<str>,
}

impl Statements {
    pub(super) fn of(table: &Table) -> Result<Self> {
        let name = quoted(&stored_name(&table.name)?);
        let insert = insert(table, &name);
        let conflict = conflict(table);
        let where_key = where_equal(table, &table.key);
        let overwrite = overwritten(table);
        let insert_or_keep = format!("{insert}{conflict} DO NOTHING");
        Ok(Self {
            insert_or_overwrite: match &overwrite {
                Some(set) => format!("{insert}{conflict} DO UPDATE SET {set}").into(),
                None => insert_or_keep.as_str().into(),
            },
            insert_or_keep: insert_or_keep.into(),
            overwrite: overwrite.map(|set| format!("UPDATE {name} SET {set}{where_key}").into()),
            delete: format!("DELETE FROM {name}{where_key}").into(),
            find: format!("SELECT 1 FROM {name}{where_key}").into(),
            required: required(table),
            update: format!("UPDATE {name} SET ").into(),
            delete_where: format!("DELETE FROM {name}").into(),
            insert: insert.into(),
            conflict: conflict.into(),
            where_key: where_key.into(),
            changes: HashMap::new(),
            scope_deletes: HashMap::new(),
        })
    }

    /// The texts for a change that changes something.
    ///
    /// # Errors
    /// [`Error::Configuration`] when it adds to a column that has no sums.
    pub(super) fn change(&mut self, table: &Table, shape: &[Change]) -> Result<ChangeTexts> {
        if let Some(known) = self.changes.get(shape) {
            return Ok(known.clone());
        }
        let set = changed(table, shape)?;
        let (insert, conflict) = (&self.insert, &self.conflict);
        let (update, where_key) = (&self.update, &self.where_key);
        let texts = ChangeTexts {
            insert_or_change: format!("{insert}{conflict} DO UPDATE SET {set}").into(),
            change: format!("{update}{set}{where_key}").into(),
        };
        if self.changes.len() >= MOST_TEXTS {
            self.changes.clear();
        }
        self.changes.insert(shape.into(), texts.clone());
        Ok(texts)
    }

    /// The text that deletes all rows whose `columns` are equal to the row's.
    pub(super) fn scope_delete(&mut self, table: &Table, columns: &[usize]) -> &str {
        if self.scope_deletes.len() >= MOST_TEXTS {
            self.scope_deletes.clear();
        }
        self.scope_deletes.entry(columns.into()).or_insert_with(|| {
            format!("{}{}", self.delete_where, where_equal(table, columns)).into()
        })
    }
}

/// `INSERT INTO t (a, b) VALUES (?1, ?2)`
fn insert(table: &Table, name: &str) -> String {
    let mut text = format!("INSERT INTO {name} (");
    push_list(&mut text, ", ", 0..table.columns.len(), |text, index| {
        push_column(text, table, index);
    });
    text.push_str(") VALUES (");
    push_list(&mut text, ", ", 0..table.columns.len(), |text, index| {
        push_parameter(text, index);
    });
    text.push(')');
    text
}

/// ` ON CONFLICT (a)`
fn conflict(table: &Table) -> String {
    let mut text = String::from(" ON CONFLICT (");
    push_key(&mut text, table);
    text.push(')');
    text
}

/// ` WHERE a = ?1 AND b = ?2`
fn where_equal(table: &Table, columns: &[usize]) -> String {
    let mut text = String::from(" WHERE ");
    push_list(
        &mut text,
        " AND ",
        columns.iter().copied(),
        |text, index| {
            push_column(text, table, index);
            text.push_str(" = ");
            push_parameter(text, index);
        },
    );
    text
}

/// `b = ?2` for every column outside the key; `None` when there is none.
fn overwritten(table: &Table) -> Option<String> {
    let mut text = String::new();
    let others = (0..table.columns.len()).filter(|index| !table.is_key(*index));
    push_list(&mut text, ", ", others, |text, index| {
        push_column(text, table, index);
        text.push_str(" = ");
        push_parameter(text, index);
    });
    (!text.is_empty()).then_some(text)
}

/// `b = ?5, c = projectionist_add_int(…)` for what a change changes.
fn changed(table: &Table, shape: &[Change]) -> Result<String> {
    let mut text = String::new();
    for (index, (column, change)) in table.columns.iter().zip(shape).enumerate() {
        if *change == Change::Keep || table.is_key(index) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        push_quoted(&mut text, &column.name);
        text.push_str(" = ");
        let operand = table.columns.len() + index;
        if *change == Change::Set {
            push_parameter(&mut text, operand);
            continue;
        }
        let mut by = String::new();
        push_parameter(&mut by, operand);
        let old = old_value(table, index);
        push_sum(&mut text, column.column_type, &column.name, &old, &by).ok_or_else(|| {
            Error::Configuration {
                subject: format!("table {}", table.name),
                reason: format!(
                    "column `{}` is {}: only numbers can be added to",
                    column.name, column.column_type
                ),
            }
        })?;
    }
    Ok(text)
}

/// The column, or its default where it is null. The functions take what is null still for zero.
fn old_value(table: &Table, index: usize) -> String {
    let mut column = String::new();
    push_column(&mut column, table, index);
    let default = table
        .columns
        .get(index)
        .and_then(|column| column.default.as_ref());
    let Some(default) = default.filter(|default| **default != OwnedCell::Null) else {
        return column;
    };
    let mut text = format!("coalesce({column}, ");
    match push_value(&mut text, default) {
        Some(()) => text + ")",
        None => column,
    }
}

fn required(table: &Table) -> Box<[usize]> {
    let columns = table.columns.iter().enumerate();
    columns
        .filter(|(index, column)| is_required(table, *index, column) && !table.is_key(*index))
        .map(|(index, _)| index)
        .collect()
}

fn quoted(name: &str) -> String {
    let mut text = String::new();
    push_quoted(&mut text, name);
    text
}

fn push_column(text: &mut String, table: &Table, index: usize) {
    let name = table.columns.get(index).map_or("", |column| &column.name);
    push_quoted(text, name);
}

fn push_parameter(text: &mut String, index: usize) {
    text.push('?');
    text.push_str(&(index + 1).to_string());
}

fn push_list(
    text: &mut String,
    separator: &str,
    indexes: impl Iterator<Item = usize>,
    push: impl Fn(&mut String, usize),
) {
    for (place, index) in indexes.enumerate() {
        if place > 0 {
            text.push_str(separator);
        }
        push(text, index);
    }
}
