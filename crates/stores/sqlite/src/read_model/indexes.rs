//! The indexes of a table beside its key.

use projectionist_core::row::{Table, distinct_index_name, index_name};
use projectionist_core::{Error, Result};
use rusqlite::Connection;

use super::names::{is_own, live_name, push_quoted};
use crate::error::{read_error, store_error};

/// Makes the declared indexes of a table that is there under `name`, where none has the same
/// columns. An index that somebody else made counts, whatever it is called; one that nobody
/// declared is left alone.
pub(super) fn create(connection: &Connection, table: &Table, name: &str) -> Result<()> {
    if table.indexes.is_empty() {
        return Ok(());
    }
    let there = existing(connection, name).map_err(|error| read_error("list of indexes", error))?;
    let mut there: Vec<Vec<String>> = there.into_iter().map(|found| found.columns).collect();
    for index in table.indexes.iter() {
        let columns = columns_of(table, index)?;
        if there.contains(&columns) {
            continue;
        }
        let text = create_index(connection, name, &columns)
            .map_err(|error| read_error("list of indexes", error))?;
        connection.execute_batch(&text).map_err(|error| {
            store_error(format!("make an index of table {}", table.name), error)
        })?;
        there.push(columns);
    }
    Ok(())
}

/// Drops the indexes that this store made and that are declared no more. One that has another name
/// than this store gives is somebody else's.
pub(super) fn drop_surplus(
    connection: &Connection,
    table: &Table,
    name: &str,
) -> rusqlite::Result<()> {
    for Found { index, columns } in existing(connection, name)? {
        let is_ours = is_ours(name, &index, &columns);
        let is_declared = table
            .indexes
            .iter()
            .any(|declared| columns_of(table, declared).is_ok_and(|declared| declared == columns));
        if is_ours && !is_declared {
            let mut text = String::from("DROP INDEX ");
            push_quoted(&mut text, &index);
            connection.execute_batch(&text)?;
        }
    }
    Ok(())
}

/// The indexes of a table that this store made.
pub(crate) fn own(connection: &Connection, name: &str) -> rusqlite::Result<Vec<String>> {
    let found = existing(connection, name)?.into_iter();
    let own = found.filter(|found| is_ours(name, &found.index, &found.columns));
    Ok(own.map(|found| found.index).collect())
}

/// Whether this store made an index. The name is reserved where the table was made beside another
/// one, and else the one that this store gives.
fn is_ours(table: &str, index: &str, columns: &[String]) -> bool {
    let names = || columns.iter().map(String::as_str);
    is_own(index)
        || index == index_name(table, names())
        || index == distinct_index_name(table, names())
}

/// An index as the file has it.
struct Found {
    index: String,
    columns: Vec<String>,
}

/// Every index of the table that covers all its rows by plain columns.
fn existing(connection: &Connection, name: &str) -> rusqlite::Result<Vec<Found>> {
    let mut statement = connection.prepare_cached(
        r#"SELECT list.name, info.name
           FROM pragma_index_list(?1) AS list, pragma_index_info(list.name) AS info
           WHERE list.partial = 0 AND list.origin = 'c'
           ORDER BY list.seq, info.seqno"#,
    )?;
    let mut rows = statement.query([name])?;
    let mut found: Vec<Found> = Vec::new();
    while let Some(row) = rows.next()? {
        let index: String = row.get(0)?;
        // An expression has no name, and equals no column.
        let column = row.get::<_, Option<String>>(1)?.unwrap_or_default();
        match found.last_mut().filter(|last| last.index == index) {
            Some(last) => last.columns.push(column),
            None => found.push(Found {
                index,
                columns: vec![column],
            }),
        }
    }
    Ok(found)
}

fn columns_of(table: &Table, index: &[usize]) -> Result<Vec<String>> {
    let columns = index.iter().map(|column| {
        let column = table.columns.get(*column)?;
        Some(column.name.to_string())
    });
    let columns: Option<Vec<String>> = columns.collect();
    columns
        .filter(|columns| !columns.is_empty())
        .ok_or_else(|| Error::Configuration {
            subject: format!("table {}", table.name),
            reason: "an index names no column, or one that the table does not have".to_owned(),
        })
}

fn create_index(
    connection: &Connection,
    table: &str,
    columns: &[String],
) -> rusqlite::Result<String> {
    let names = || columns.iter().map(String::as_str);
    let name = free_name(connection, table, columns)?;
    let mut text = String::from("CREATE INDEX ");
    push_quoted(&mut text, &name);
    text.push_str(" ON ");
    push_quoted(&mut text, table);
    for (place, column) in names().enumerate() {
        text.push_str(if place == 0 { " (" } else { ", " });
        push_quoted(&mut text, column);
    }
    text.push(')');
    Ok(text)
}

/// A name for an index that nothing has.
///
/// An index keeps its name when its table gets another one. So one of a table that stands beside
/// the one in use gets the first number that is free, in a reserved name.
fn free_name(connection: &Connection, table: &str, columns: &[String]) -> rusqlite::Result<String> {
    let names = || columns.iter().map(String::as_str);
    let Some(live) = live_name(table) else {
        let name = index_name(table, names());
        return Ok(match is_taken(connection, &name)? {
            true => distinct_index_name(table, names()),
            false => name,
        });
    };
    let mut number = 1_u64;
    loop {
        let table = format!("projectionist_{number}_{live}");
        for name in [
            index_name(&table, names()),
            distinct_index_name(&table, names()),
        ] {
            if !is_taken(connection, &name)? {
                return Ok(name);
            }
        }
        number += 1;
    }
}

/// Whether anything of the file has that name, as SQLite compares names.
fn is_taken(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE")?
        .exists([name])
}
