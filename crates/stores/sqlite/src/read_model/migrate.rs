//! Brings the tables of a projection to the shape that is declared.
//!
//! A column is added in place, whatever the size of the table. What SQLite cannot change in place,
//! that a column refuses null or its default, takes a copy of the table, in the same transaction.

use std::fmt::Write as _;

use projectionist_core::Result;
use projectionist_core::contract::TableDeployment;
use projectionist_core::row::{Table, TableName, is_wider};
use rusqlite::Connection;

use super::check::tables_of;
use super::ddl::{self, is_required, push_value};
use super::names::{push_quoted, stored_name};
use super::shape::{self, Found, Presence};
use super::{declared_types, indexes, make, owners};
use crate::error::store_error;

/// The name of a copy until it takes the place of its table.
const COPY: &str = "projectionist_migrated";

/// Migrates every table of the declared name, and makes those that are asked for.
pub(crate) fn deploy(connection: &Connection, deployed: &TableDeployment) -> Result<()> {
    let declared = &deployed.table.name.name;
    let mut there: Vec<(TableName, String)> = tables_of(connection, declared)?;
    for tenant in &deployed.create {
        let name = TableName {
            tenant: tenant.clone(),
            name: declared.clone(),
        };
        if !there.iter().any(|(known, _)| *known == name) {
            let stored = stored_name(&name)?;
            there.push((name, stored));
        }
    }
    for (name, stored) in there {
        let mut table = deployed.table.clone();
        table.name = name;
        migrate(connection, &table, &stored)?;
    }
    Ok(())
}

/// Makes one table, or migrates it.
fn migrate(connection: &Connection, table: &Table, name: &str) -> Result<()> {
    let failed = |error| store_error(format!("migrate table {}", table.name), error);
    if shape::presence(connection, table, name)? == Presence::Missing {
        return make(connection, table, name);
    }
    let found = shape::columns(connection, name)?;
    match difference(table, &found)? {
        Difference::Nothing => {}
        Difference::NewColumns(new) => add(connection, table, name, &new)?,
        Difference::Other => copy(connection, table, name, &found)?,
    }
    declared_types::keep(connection, table, name)
        .and_then(|()| owners::keep(connection, table, name))
        .and_then(|()| indexes::drop_surplus(connection, table, name))
        .map_err(failed)?;
    indexes::create(connection, table, name)
}

/// What a table lacks of the one that is declared.
enum Difference {
    Nothing,
    /// Nothing but these columns.
    NewColumns(Vec<usize>),
    Other,
}

fn difference(table: &Table, found: &[Found]) -> Result<Difference> {
    let refused = |reason: String| shape::differs(table, &reason);
    let surplus = found.iter().find(|found| {
        let mut declared = table.columns.iter();
        !declared.any(|column| *column.name == *found.name)
    });
    if let Some(surplus) = surplus {
        let reason = format!("it has a column `{}` that is not declared", surplus.name);
        return Err(refused(reason));
    }
    let (mut new, mut other) = (Vec::new(), false);
    for (index, column) in table.columns.iter().enumerate() {
        let name = &column.name;
        let Some(found) = found.iter().find(|found| *found.name == **name) else {
            if table.is_key(index) || (!column.nullable && column.default.is_none()) {
                return Err(refused(format!(
                    "column `{name}` is missing, and needs a value"
                )));
            }
            new.push(index);
            continue;
        };
        let declared = column.column_type.to_string();
        let from = found.declared_type.as_ref().unwrap_or(&declared);
        if *from != declared && !is_wider(from, &declared) {
            return Err(refused(format!(
                "column `{name}` is {from}, not {declared}"
            )));
        }
        let place = table.key.iter().position(|key| *key == index);
        if usize::try_from(found.place_in_key) != Ok(place.map_or(0, |place| place + 1)) {
            return Err(refused("it has another key".to_owned()));
        }
        let required = is_required(table, index, column);
        if required && !found.required {
            return Err(refused(format!("column `{name}` allows null")));
        }
        other |= found.required != required
            || found.stored_type != ddl::stored_type(column.column_type)
            || found.default != default_text(table, index);
    }
    Ok(match (other, new.is_empty()) {
        (true, _) => Difference::Other,
        (false, true) => Difference::Nothing,
        (false, false) => Difference::NewColumns(new),
    })
}

/// The default of a column as it stands in the statement that made the table.
fn default_text(table: &Table, index: usize) -> Option<String> {
    let default = table.columns.get(index)?.default.as_ref()?;
    let mut text = String::new();
    push_value(&mut text, default).map(|()| text)
}

fn add(connection: &Connection, table: &Table, name: &str, new: &[usize]) -> Result<()> {
    for index in new {
        let mut text = String::from("ALTER TABLE ");
        push_quoted(&mut text, name);
        text.push_str(" ADD COLUMN ");
        ddl::push_column(&mut text, table, *index)?;
        connection
            .execute_batch(&text)
            .map_err(|error| store_error(format!("add a column to table {}", table.name), error))?;
    }
    Ok(())
}

/// Copies the rows into a table of the new shape, which takes the place of the old one. Indexes and
/// triggers that others have made go with a table; they are made again. Views name a table and do
/// not notice.
fn copy(connection: &Connection, table: &Table, name: &str, found: &[Found]) -> Result<()> {
    let make = ddl::create_table(table, COPY)?;
    let failed = |error| store_error(format!("copy table {}", table.name), error);
    let attached: Vec<String> = connection
        .prepare_cached(
            "SELECT sql FROM sqlite_schema
             WHERE tbl_name = ?1 AND type IN ('index', 'trigger') AND sql IS NOT NULL",
        )
        .and_then(|mut statement| {
            let texts = statement.query_map([name], |row| row.get(0))?;
            texts.collect()
        })
        .map_err(failed)?;
    let mut columns = String::new();
    for column in found {
        columns.push_str(if columns.is_empty() { "" } else { ", " });
        push_quoted(&mut columns, &column.name);
    }
    let mut old = String::new();
    push_quoted(&mut old, name);
    let mut text = format!(
        "{make};
         INSERT INTO {COPY} ({columns}) SELECT {columns} FROM {old};
         DROP TABLE {old};
         PRAGMA legacy_alter_table = ON;
         ALTER TABLE {COPY} RENAME TO {old};
         PRAGMA legacy_alter_table = OFF;"
    );
    for statement in attached {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{statement};");
    }
    connection.execute_batch(&text).map_err(failed)
}

#[cfg(test)]
mod tests {
    use projectionist_core::Error;
    use projectionist_core::row::{Column, ColumnType};

    use super::*;

    #[test]
    fn a_column_that_needs_a_value_is_not_added() {
        let table = Table {
            name: TableName {
                tenant: None,
                name: "orders".into(),
            },
            owner: "orders".into(),
            columns: [Column {
                name: "region".into(),
                column_type: ColumnType::Text,
                nullable: false,
                default: None,
            }]
            .into(),
            key: [].into(),
            indexes: [].into(),
        };
        let refused = difference(&table, &[]);
        assert!(matches!(refused, Err(Error::Schema { .. })));
    }
}
