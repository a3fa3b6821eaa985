//! What both dialects ask of a projection and its operations.

use crate::ir::json::Json;
use crate::model::{ColumnValue, Expression, Projection};

/// A column of a new row, and where its value comes from.
pub(super) struct Value {
    /// The index of the column.
    pub(super) column: usize,
    /// What the parameter is.
    pub(super) source: String,
}

/// The name of a column.
pub(super) fn name(projection: &Projection, column: usize) -> &str {
    projection
        .columns
        .get(column)
        .map_or("", |column| &column.name)
}

/// Whether a column refuses null.
pub(super) fn is_required(projection: &Projection, column: usize) -> bool {
    let nullable = projection
        .columns
        .get(column)
        .is_none_or(|column| column.nullable);
    !nullable || projection.key.contains(&column)
}

/// The values of every column of a row: those that are given, else the default.
pub(super) fn row(projection: &Projection, given: &[&ColumnValue]) -> Vec<Value> {
    (0..projection.columns.len())
        .map(|column| Value {
            column,
            source: given
                .iter()
                .find(|value| value.column == column)
                .map_or_else(
                    || default_source(projection, column),
                    |value| source(&value.expression),
                ),
        })
        .collect()
}

/// Some values, in the order of the columns.
pub(super) fn some<'a>(values: impl IntoIterator<Item = &'a ColumnValue>) -> Vec<Value> {
    let mut values: Vec<Value> = values
        .into_iter()
        .map(|value| Value {
            column: value.column,
            source: source(&value.expression),
        })
        .collect();
    values.sort_by_key(|value| value.column);
    values
}

/// The expression as a text of the file.
fn source(expression: &Expression) -> String {
    match crate::ir::expression_json(expression) {
        Json::Text(text) => text,
        other => other.compact(),
    }
}

fn default_source(projection: &Projection, column: usize) -> String {
    let default = projection
        .columns
        .get(column)
        .and_then(|column| column.default.as_ref());
    match default {
        Some(_) => format!("the default of {}", name(projection, column)),
        None => "null".to_owned(),
    }
}
