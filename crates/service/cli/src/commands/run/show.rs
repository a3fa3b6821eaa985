//! Prints the tables that a run has written, as any SQLite client would read them.

use projectionist_language::Program;
use projectionist_store_sqlite::SqliteStore;
use projectionist_store_sqlite::rusqlite::types::ValueRef;
use projectionist_store_sqlite::rusqlite::{Connection, Error, OpenFlags, Row};

use crate::exit::Failure;
use crate::output::{SHOWN_CHARACTERS, TextTable, print, printable};

/// Prints at most `rows` rows of every table of the projections in `chosen`.
pub(super) fn tables(
    store: &SqliteStore,
    program: &Program,
    chosen: &[usize],
    rows: usize,
) -> Result<(), Failure> {
    let cannot = |error: Error| {
        Failure::at_run_time(format!("cannot read {}: {error}", store.path().display()))
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = Connection::open_with_flags(store.path(), flags).map_err(cannot)?;
    for projection in chosen
        .iter()
        .filter_map(|index| program.projections.get(*index))
    {
        for table in names(&connection, &projection.table).map_err(cannot)? {
            print(as_text(&connection, &table, rows).map_err(cannot)?)?;
        }
    }
    Ok(())
}

/// The table itself and those of the tenants, which have the tenant and `__` before the name.
fn names(connection: &Connection, table: &str) -> Result<Vec<String>, Error> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let all = statement.query_map([], |row| row.get::<_, String>(0))?;
    let is_ours = |name: &String| {
        name == table
            || name
                .strip_suffix(table)
                .is_some_and(|tenant| tenant.ends_with("__"))
    };
    all.filter(|name| name.as_ref().map_or(true, is_ours))
        .collect()
}

fn as_text(connection: &Connection, table: &str, rows: usize) -> Result<String, Error> {
    let quoted = format!("\"{}\"", table.replace('"', "\"\""));
    let total: i64 =
        connection.query_row(&format!("SELECT count(*) FROM {quoted}"), [], |row| {
            row.get(0)
        })?;
    let mut statement = connection.prepare(&format!("SELECT * FROM {quoted} LIMIT ?1"))?;
    let columns: Vec<String> = statement
        .column_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let width = columns.len();
    let mut shown = TextTable::with_headings(columns);
    let mut found = statement.query([i64::try_from(rows).unwrap_or(i64::MAX)])?;
    while let Some(row) = found.next()? {
        shown.push(
            (0..width)
                .map(|column| cell(row, column))
                .collect::<Result<Vec<_>, _>>()?,
        );
    }
    Ok(format!("{table} ({total} row(s))\n{}\n", shown.render()))
}

fn cell(row: &Row<'_>, column: usize) -> Result<String, Error> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(value) => value.to_string(),
        ValueRef::Real(value) => value.to_string(),
        ValueRef::Text(text) => printable(&String::from_utf8_lossy(text)),
        // As a literal of SQL; a byte more than is shown tells that there are more.
        ValueRef::Blob(bytes) => {
            let hex = bytes
                .iter()
                .take(SHOWN_CHARACTERS)
                .map(|byte| format!("{byte:02x}"));
            printable(&format!("x'{}'", hex.collect::<String>()))
        }
    })
}
