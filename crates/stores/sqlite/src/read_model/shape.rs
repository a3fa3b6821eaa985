//! Compares a table that exists with the one that is declared: whose it is, and its shape.

use std::collections::HashSet;

use projectionist_core::row::Table;
use projectionist_core::{Error, Result};
use rusqlite::{Connection, OptionalExtension};

use super::ddl::{is_required, stored_type};
use super::owners;
use crate::error::read_error;

/// A column as the file has it.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) stored_type: String,
    pub(super) required: bool,
    /// The place in the key, from 1; 0 for a column outside it.
    pub(super) place_in_key: i64,
    /// What the column was declared as, where this store made it.
    pub(super) declared_type: Option<String>,
    /// Its default, as the statement spells it that made the table.
    pub(super) default: Option<String>,
}

/// What stands where the table belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Missing,
    /// It is there, and its owner is noted.
    Owned,
    /// It is there and no owner is noted: the first who asks for it gets it.
    Ownerless,
}

/// What stands where the table belongs. Columns are compared by name: their order does not matter,
/// as every statement names them.
///
/// # Errors
/// [`Error::Schema`] when it is of another owner, or of another shape, naming the first difference.
pub(super) fn verify(connection: &Connection, table: &Table, name: &str) -> Result<Presence> {
    let presence = presence(connection, table, name)?;
    if presence == Presence::Missing {
        return Ok(presence);
    }
    match difference(table, &columns(connection, name)?) {
        Some(reason) => Err(differs(table, &reason)),
        None => Ok(presence),
    }
}

/// As [`verify`], whatever the shape of the table.
///
/// # Errors
/// [`Error::Schema`] when it is no table, or of another owner.
pub(super) fn presence(connection: &Connection, table: &Table, name: &str) -> Result<Presence> {
    let Some((kind, stored_name)) = lookup(connection, name)? else {
        return Ok(Presence::Missing);
    };
    if kind != "table" {
        return Err(differs(table, &format!("there is a {kind} of that name")));
    }
    if stored_name != name {
        return Err(differs(
            table,
            &format!("SQLite does not tell it from `{stored_name}`, which differs in case only"),
        ));
    }
    match owners::owner_of(connection, name)? {
        Some(owner) => table.check_owner(&owner).map(|()| Presence::Owned),
        None => Ok(Presence::Ownerless),
    }
}

/// The first difference, for people.
fn difference(table: &Table, found: &[Found]) -> Option<String> {
    for (index, column) in table.columns.iter().enumerate() {
        let name = &column.name;
        let Some(found) = found.iter().find(|found| *found.name == **name) else {
            return Some(format!("column `{name}` is missing"));
        };
        let declared = column.column_type;
        let expected = stored_type(declared);
        if found.stored_type != expected {
            let there = &found.stored_type;
            return Some(format!(
                "column `{name}` is {there}, but {declared} is stored as {expected}"
            ));
        }
        if let Some(there) = &found.declared_type
            && *there != declared.to_string()
        {
            return Some(format!("column `{name}` is {there}, not {declared}"));
        }
        match (found.required, is_required(table, index, column)) {
            (true, false) => return Some(format!("column `{name}` refuses null")),
            (false, true) => return Some(format!("column `{name}` allows null")),
            _ => {}
        }
        let place = table.key.iter().position(|key| *key == index);
        let place = place.map_or(0, |place| place + 1);
        if usize::try_from(found.place_in_key) != Ok(place) {
            return Some(match place {
                0 => format!("column `{name}` is part of the key"),
                _ => format!("column `{name}` is not at place {place} of the key"),
            });
        }
    }
    let declared: HashSet<&str> = table.columns.iter().map(|column| &*column.name).collect();
    found
        .iter()
        .find(|found| !declared.contains(found.name.as_str()))
        .map(|found| format!("it has a column `{}` that is not declared", found.name))
}

pub(super) fn differs(table: &Table, reason: &str) -> Error {
    Error::Schema {
        table: table.name.to_string(),
        reason: format!(
            "it exists in another shape: {reason}; build it anew with `projectionist rebuild NAME \
             --ir FILE` or into a new target, or declare it as it is"
        ),
    }
}

/// What has this name, compared as SQLite compares names.
fn lookup(connection: &Connection, name: &str) -> Result<Option<(String, String)>> {
    connection
        .prepare_cached(
            "SELECT type, name FROM sqlite_schema
             WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')",
        )
        .and_then(|mut statement| {
            statement
                .query_row([name], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })
        .map_err(|error| read_error("list of tables", error))
}

pub(super) fn columns(connection: &Connection, name: &str) -> Result<Vec<Found>> {
    connection
        .prepare_cached(
            r#"SELECT found.name, found.type, found."notnull", found.pk, declared.declared_type,
                      found.dflt_value
               FROM pragma_table_xinfo(?1) AS found
               LEFT JOIN projectionist_columns AS declared
                   ON declared.table_name = ?1 AND declared.column_name = found.name
               ORDER BY found.cid"#,
        )
        .and_then(|mut statement| {
            let found = statement.query_map([name], |row| {
                Ok(Found {
                    name: row.get(0)?,
                    stored_type: row.get(1)?,
                    required: row.get(2)?,
                    place_in_key: row.get(3)?,
                    declared_type: row.get(4)?,
                    default: row.get(5)?,
                })
            })?;
            found.collect()
        })
        .map_err(|error| read_error("list of columns", error))
}
