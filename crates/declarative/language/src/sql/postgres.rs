//! PostgreSQL: statements that write many rows at once.
//!
//! A parameter is an array, with an element a row: one prepared statement serves batches of every
//! size, and there is no limit on their number. Types without a plain binary array travel as text
//! and are cast, which is exact. No name has a schema: the transaction sets the tenant's as its
//! whole search path.

use projectionist_core::row::ColumnType;

use super::ddl::create;
use super::dialect::Statement;
use super::literal::literal;
use super::names::{list, quoted};
use super::shape::{Value, name, row, some};
use crate::model::{ColumnValue, OnMissing, Operation, Projection};

/// How full pages are filled: the rest is for new versions of rows, so that those need no new
/// entries in the indexes.
const FILL: &str = "WITH (fillfactor = 85)";

/// The statements that make the table, within the schema of its tenant.
pub(super) fn ddl(projection: &Projection) -> Vec<String> {
    create(projection, stored_type, |cell| literal(cell, false), FILL)
}

/// The statements of an operation on many rows, no key twice.
pub(super) fn statements(projection: &Projection, operation: &Operation) -> Vec<Statement> {
    match operation {
        Operation::Upsert { values } => vec![upsert(projection, values)],
        Operation::Insert { values } => {
            let values: Vec<&ColumnValue> = values.iter().collect();
            vec![insert(projection, row(projection, &values), "DO NOTHING")]
        }
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
            let set: Vec<&ColumnValue> = set.iter().chain(present).collect();
            change(projection, key, &[], &set, *on_missing)
        }
        Operation::Increment {
            key,
            by,
            set,
            on_missing,
        } => change(
            projection,
            key,
            by,
            &set.iter().collect::<Vec<_>>(),
            *on_missing,
        ),
        Operation::Ignore => Vec::new(),
    }
}

fn upsert(projection: &Projection, values: &[ColumnValue]) -> Statement {
    let values: Vec<&ColumnValue> = values.iter().collect();
    let others = (0..projection.columns.len()).filter(|column| !projection.key.contains(column));
    let set: Vec<String> = others
        .map(|column| {
            let column = quoted(name(projection, column));
            format!("{column} = EXCLUDED.{column}")
        })
        .collect();
    let on_conflict = match set.is_empty() {
        true => "DO NOTHING".to_owned(),
        false => format!("DO UPDATE SET {}", set.join(", ")),
    };
    insert(projection, row(projection, &values), &on_conflict)
}

fn insert(projection: &Projection, values: Vec<Value>, on_conflict: &str) -> Statement {
    let columns: Vec<usize> = values.iter().map(|value| value.column).collect();
    let cells: Vec<String> = columns
        .iter()
        .map(|column| cell(projection, *column))
        .collect();
    Statement {
        text: format!(
            "INSERT INTO {} ({}) SELECT {} FROM {} ON CONFLICT ({}) {on_conflict}",
            quoted(&projection.table),
            names(projection, &columns),
            cells.join(", "),
            rows(projection, &columns),
            names(projection, &projection.key),
        ),
        parameters: values.into_iter().map(|value| value.source).collect(),
    }
}

/// Deletes the rows that have these values.
fn delete(projection: &Projection, values: &[ColumnValue]) -> Statement {
    let values = some(values);
    let columns: Vec<usize> = values.iter().map(|value| value.column).collect();
    Statement {
        text: format!(
            "DELETE FROM {} AS t USING {}{}",
            quoted(&projection.table),
            rows(projection, &columns),
            where_equal(projection, &columns),
        ),
        parameters: values.into_iter().map(|value| value.source).collect(),
    }
}

/// A patch or an increment. Rows that are missing are made first, from the defaults; then every row
/// is changed in the same way, so that a sum has one way to come about.
fn change(
    projection: &Projection,
    key: &[ColumnValue],
    by: &[ColumnValue],
    set: &[&ColumnValue],
    on_missing: OnMissing,
) -> Vec<Statement> {
    let values = some(key.iter().chain(by).chain(set.iter().copied()));
    let columns: Vec<usize> = values.iter().map(|value| value.column).collect();
    let changes: Vec<String> = columns
        .iter()
        .filter(|column| !projection.key.contains(column))
        .map(|column| {
            let (named, cell) = (quoted(name(projection, *column)), cell(projection, *column));
            match by.iter().any(|value| value.column == *column) {
                true => format!(
                    "{named} = COALESCE(t.{named}, {}) + {cell}",
                    zero(projection, *column)
                ),
                false => format!("{named} = {cell}"),
            }
        })
        .collect();
    let update = Statement {
        text: format!(
            "UPDATE {} AS t SET {} FROM {}{}",
            quoted(&projection.table),
            changes.join(", "),
            rows(projection, &columns),
            where_equal(projection, &projection.key),
        ),
        parameters: values.into_iter().map(|value| value.source).collect(),
    };
    if on_missing != OnMissing::Create {
        return vec![update];
    }
    let given = some(key.iter().chain(set.iter().copied()));
    vec![insert(projection, given, "DO NOTHING"), update]
}

/// What null counts as where something is added.
fn zero(projection: &Projection, column: usize) -> String {
    let default = projection
        .columns
        .get(column)
        .and_then(|column| column.default.as_ref());
    default
        .and_then(|cell| literal(cell, false))
        .unwrap_or_else(|| "0".to_owned())
}

/// ` WHERE t."a" = x."a"`, with the casts that a column needs.
fn where_equal(projection: &Projection, columns: &[usize]) -> String {
    let terms: Vec<String> = columns
        .iter()
        .map(|column| {
            let named = quoted(name(projection, *column));
            format!("t.{named} = {}", cell(projection, *column))
        })
        .collect();
    format!(" WHERE {}", terms.join(" AND "))
}

/// `unnest($1::text[], $2::int8[]) AS x ("a", "b")`
fn rows(projection: &Projection, columns: &[usize]) -> String {
    let arrays = columns.iter().enumerate().map(|(place, column)| {
        let (sent, _) = sent_as(projection, *column);
        format!("${}::{sent}[]", place + 1)
    });
    let arrays: Vec<String> = arrays.collect();
    format!(
        "unnest({}) AS x ({})",
        arrays.join(", "),
        names(projection, columns)
    )
}

/// A column of the rows that are written, as the table has it.
fn cell(projection: &Projection, column: usize) -> String {
    let named = format!("x.{}", quoted(name(projection, column)));
    match sent_as(projection, column) {
        (_, Some(cast)) => format!("{named}::{cast}"),
        (_, None) => named,
    }
}

/// The type that a column travels as, and the one it is cast to where that is another.
fn sent_as(projection: &Projection, column: usize) -> (&'static str, Option<String>) {
    let Some(column) = projection.columns.get(column) else {
        return ("text", None);
    };
    let stored = stored_type(column.column_type);
    match stored.as_str() {
        "TEXT" => ("text", None),
        "BIGINT" => ("int8", None),
        "INT" => ("int4", None),
        "SMALLINT" => ("int2", None),
        "BOOLEAN" => ("bool", None),
        "DOUBLE PRECISION" => ("float8", None),
        "REAL" => ("float4", None),
        "TIMESTAMPTZ" => ("timestamptz", None),
        "DATE" => ("date", None),
        "UUID" => ("uuid", None),
        "BYTEA" => ("bytea", None),
        _ => ("text", Some(stored)),
    }
}

fn names(projection: &Projection, columns: &[usize]) -> String {
    list(columns.iter().map(|column| name(projection, *column)))
}

/// The type of a column, by the declared one: PostgreSQL has another name for floats only.
fn stored_type(column_type: ColumnType) -> String {
    let declared = column_type.to_string();
    match declared.strip_prefix("DOUBLE") {
        Some(rest) => format!("DOUBLE PRECISION{rest}"),
        None => declared,
    }
}
