//! SQLite: the statements that its store runs.
//!
//! `?i` is the column at index i - 1 of the row; what a change is given stands behind the last
//! column, in the same order.

use projectionist_core::row::ColumnType;

use super::ddl::create;
use super::dialect::Statement;
use super::literal::literal;
use super::names::{list, quoted};
use super::shape::{Value, name, row};
use crate::model::{ColumnValue, OnMissing, Operation, Projection};

/// How tables are kept.
const KIND: &str = "STRICT, WITHOUT ROWID";

/// The statements that make the table without a tenant. A tenant's has the tenant and `__` before
/// its name.
pub(super) fn ddl(projection: &Projection) -> Vec<String> {
    create(projection, stored_type, |cell| literal(cell, true), KIND)
}

/// The statements of an operation on one row.
pub(super) fn statements(projection: &Projection, operation: &Operation) -> Vec<Statement> {
    match operation {
        Operation::Upsert { values } => vec![upsert(projection, values)],
        Operation::Insert { values } => vec![insert(projection, values, "DO NOTHING")],
        Operation::Delete { key } => vec![delete(projection, key)],
        Operation::Replace { filter, values, .. } => {
            vec![delete(projection, filter), upsert(projection, values)]
        }
        Operation::Patch {
            key,
            set,
            present,
            on_missing,
        } => {
            let set: Vec<ColumnValue> = set.iter().chain(present).cloned().collect();
            vec![change(projection, key, &[], &set, *on_missing)]
        }
        Operation::Increment {
            key,
            by,
            set,
            on_missing,
        } => vec![change(projection, key, by, set, *on_missing)],
        Operation::Ignore => Vec::new(),
    }
}

fn upsert(projection: &Projection, values: &[ColumnValue]) -> Statement {
    let others = (0..projection.columns.len()).filter(|column| !projection.key.contains(column));
    let set: Vec<String> = others
        .map(|column| format!("{} = ?{}", quoted(name(projection, column)), column + 1))
        .collect();
    if set.is_empty() {
        return insert(projection, values, "DO NOTHING");
    }
    insert(
        projection,
        values,
        &format!("DO UPDATE SET {}", set.join(", ")),
    )
}

fn insert(projection: &Projection, values: &[ColumnValue], on_conflict: &str) -> Statement {
    Statement {
        text: insert_text(projection, on_conflict),
        parameters: parameters(projection, values, None),
    }
}

fn insert_text(projection: &Projection, on_conflict: &str) -> String {
    let all: Vec<usize> = (0..projection.columns.len()).collect();
    let places: Vec<String> = all
        .iter()
        .map(|column| format!("?{}", column + 1))
        .collect();
    format!(
        "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT ({}) {on_conflict}",
        quoted(&projection.table),
        names(projection, &all),
        places.join(", "),
        names(projection, &projection.key),
    )
}

/// Deletes the rows that have these values.
fn delete(projection: &Projection, values: &[ColumnValue]) -> Statement {
    let columns: Vec<usize> = values.iter().map(|value| value.column).collect();
    let table = quoted(&projection.table);
    let mut parameters = parameters(projection, values, None);
    // What stands behind the last column that is compared is no parameter.
    parameters.truncate(columns.iter().max().map_or(0, |last| last + 1));
    Statement {
        text: format!("DELETE FROM {table}{}", where_equal(projection, &columns)),
        parameters,
    }
}

/// A patch or an increment: the row that is made when it is missing has the defaults, what is set,
/// and what is added to the default.
fn change(
    projection: &Projection,
    key: &[ColumnValue],
    by: &[ColumnValue],
    set: &[ColumnValue],
    on_missing: OnMissing,
) -> Statement {
    let width = projection.columns.len();
    let changes: Vec<String> = (0..width)
        .filter_map(|column| {
            let named = quoted(name(projection, column));
            let operand = width + column + 1;
            if set.iter().any(|value| value.column == column) {
                return Some(format!("{named} = ?{operand}"));
            }
            let added = by.iter().any(|value| value.column == column);
            added.then(|| format!("{named} = {}", sum(projection, column, operand)))
        })
        .collect();
    let set_clause = changes.join(", ");
    let given: Vec<ColumnValue> = key.iter().chain(by).chain(set).cloned().collect();
    let text = match on_missing {
        OnMissing::Create => insert_text(projection, &format!("DO UPDATE SET {set_clause}")),
        OnMissing::Ignore | OnMissing::Error => format!(
            "UPDATE {} SET {set_clause}{}",
            quoted(&projection.table),
            where_equal(projection, &projection.key)
        ),
    };
    Statement {
        text,
        parameters: parameters(projection, &given, Some(by)),
    }
}

/// The sum of a column and a parameter, by the functions that the store brings along: SQLite has
/// neither overflow of INT nor exact decimals. What is null counts as its default.
fn sum(projection: &Projection, column: usize, operand: usize) -> String {
    let named = quoted(name(projection, column));
    let Some(declared) = projection.columns.get(column) else {
        return named;
    };
    let default = declared
        .default
        .as_ref()
        .and_then(|cell| literal(cell, true));
    let old = match default {
        Some(default) => format!("coalesce({named}, {default})"),
        None => named,
    };
    let label = declared.name.replace('\'', "''");
    let (function, limits) = match declared.column_type.to_string().as_str() {
        "BIGINT" => ("int", format!(", {}, {}", i64::MIN, i64::MAX)),
        "INT" => ("int", format!(", {}, {}", i32::MIN, i32::MAX)),
        "SMALLINT" => ("int", format!(", {}, {}", i16::MIN, i16::MAX)),
        "NUMERIC" => ("numeric", ", NULL, NULL".to_owned()),
        "REAL" => ("real", String::new()),
        other => match other
            .strip_prefix("NUMERIC(")
            .and_then(|rest| rest.strip_suffix(')'))
        {
            Some(limits) => ("numeric", format!(", {}", limits.replace(',', ", "))),
            None => ("double", String::new()),
        },
    };
    format!("projectionist_add_{function}({old}, ?{operand}{limits}, '{label}')")
}

/// The parameters of a whole row; with `by` also those of a change.
fn parameters(
    projection: &Projection,
    given: &[ColumnValue],
    by: Option<&[ColumnValue]>,
) -> Vec<String> {
    let given: Vec<&ColumnValue> = given.iter().collect();
    let mut row = row(projection, &given);
    let Some(by) = by else {
        return row.into_iter().map(|value| value.source).collect();
    };
    let operands: Vec<String> = row.iter().map(|value| value.source.clone()).collect();
    for value in &mut row {
        if by.iter().any(|added| added.column == value.column) {
            value.source = from_default(projection, value);
        }
    }
    let created = row.into_iter().map(|value| value.source);
    created.chain(operands).collect()
}

/// What a row that is made has in a column that is added to.
fn from_default(projection: &Projection, value: &Value) -> String {
    let column = projection.columns.get(value.column);
    match column.and_then(|column| column.default.as_ref()) {
        Some(_) => {
            let name = name(projection, value.column);
            format!("the default of {name} + {}", value.source)
        }
        None => value.source.clone(),
    }
}

fn where_equal(projection: &Projection, columns: &[usize]) -> String {
    let terms: Vec<String> = columns
        .iter()
        .map(|column| format!("{} = ?{}", quoted(name(projection, *column)), column + 1))
        .collect();
    format!(" WHERE {}", terms.join(" AND "))
}

fn names(projection: &Projection, columns: &[usize]) -> String {
    list(columns.iter().map(|column| name(projection, *column)))
}

/// The type of a column in a STRICT table, by the declared one.
fn stored_type(column_type: ColumnType) -> &'static str {
    match column_type.to_string().as_str() {
        "BIGINT" | "INT" | "SMALLINT" | "BOOLEAN" => "INTEGER",
        "DOUBLE" | "REAL" => "REAL",
        "BYTEA" => "BLOB",
        _ => "TEXT",
    }
}
