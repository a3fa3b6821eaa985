//! The statements that make a table and its indexes, which both dialects spell alike.

use std::fmt::Display;

use projectionist_core::row::{ColumnType, OwnedCell, index_name};

use super::names::{list, quoted};
use super::shape::{is_required, name};
use crate::model::Projection;

/// The statements that make the table. A dialect says how it stores a type, how it spells a
/// default, and what stands behind the columns of a table.
pub(super) fn create<T: Display>(
    projection: &Projection,
    stored_type: impl Fn(ColumnType) -> T,
    literal: impl Fn(&OwnedCell) -> Option<String>,
    kind: &str,
) -> Vec<String> {
    let columns = projection.columns.iter().enumerate();
    let columns = columns.map(|(index, column)| {
        let stored = stored_type(column.column_type);
        let mut text = format!("{} {stored}", quoted(&column.name));
        if is_required(projection, index) {
            text.push_str(" NOT NULL");
        }
        if let Some(default) = column.default.as_ref().and_then(&literal) {
            text.push_str(" DEFAULT ");
            text.push_str(&default);
        }
        text
    });
    let columns: Vec<String> = columns.collect();
    let table = quoted(&projection.table);
    let names = |columns: &[usize]| list(columns.iter().map(|column| name(projection, *column)));
    let mut statements = vec![format!(
        "CREATE TABLE {table} ({}, PRIMARY KEY ({})) {kind}",
        columns.join(", "),
        names(&projection.key),
    )];
    for index in &projection.indexes {
        let columns = index.iter().map(|column| name(projection, *column));
        let index_name = quoted(&index_name(&projection.table, columns));
        let columns = names(index);
        statements.push(format!("CREATE INDEX {index_name} ON {table} ({columns})"));
    }
    statements
}
