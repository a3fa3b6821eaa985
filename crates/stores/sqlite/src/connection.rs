//! Opens and sets up connections.

use std::path::Path;
use std::time::Duration;

use projectionist_core::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::store_error;
use crate::read_model::sums;
use crate::schema;
use crate::store::{SqliteOptions, Synchronous};

/// Statements that the read connection keeps: it knows a handful.
const READER_STATEMENTS: usize = 16;

/// SQLite counts the time in 31 bits of milliseconds; a day is as good as for ever.
const LONGEST_BUSY_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// Opens the connection that writes. Makes the file and the tables unless `must_exist`.
pub(crate) fn open_writer(
    path: &Path,
    options: &SqliteOptions,
    must_exist: bool,
) -> Result<Connection> {
    let connection = open(path, options, !must_exist)?;
    let failed = |error| store_error(format!("open {}", path.display()), error);
    if connection.is_readonly("main").map_err(failed)? {
        return Err(unusable(
            path,
            "it cannot be written: check the permissions of the file and of the file system",
        ));
    }
    if must_exist && !schema::is_present(&connection)? {
        return Err(unusable(
            path,
            "it holds no tables of projectionist: no projection has run into it yet",
        ));
    }
    let mode: String = connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(failed)?;
    if mode != "wal" {
        return Err(unusable(
            path,
            "its file system cannot hold a write-ahead log: put the file on a local disk",
        ));
    }
    set_up_writer(&connection, options).map_err(failed)?;
    schema::migrate(&connection, path)?;
    Ok(connection)
}

/// Opens a connection that only reads, on a file that [`open_writer`] has opened.
pub(crate) fn open_reader(path: &Path, options: &SqliteOptions) -> Result<Connection> {
    let connection = open(path, options, false)?;
    let failed = |error| store_error(format!("open {} for reading", path.display()), error);
    connection
        .pragma_update(None, "query_only", true)
        .map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(READER_STATEMENTS);
    Ok(connection)
}

fn open(path: &Path, options: &SqliteOptions, create: bool) -> Result<Connection> {
    let failed = |error| store_error(format!("open {}", path.display()), error);
    // Opening by itself reads nothing: a folder or a missing file is told apart here, because
    // SQLite says "unable to open" to both.
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(unusable(path, "it is a folder: name a file in it"));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !create => {
            return Err(unusable(path, "there is no such file"));
        }
        _ => {}
    }
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection
        .busy_timeout(options.busy_timeout.min(LONGEST_BUSY_TIMEOUT))
        .map_err(failed)?;
    set_up(&connection).map_err(failed)?;
    Ok(connection)
}

/// What holds for every connection.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    // Functions in views and triggers of the file run only when they are harmless.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // A quoted name that is no column is an error, not a text.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "memory")
}

fn set_up_writer(connection: &Connection, options: &SqliteOptions) -> rusqlite::Result<()> {
    let synchronous = match options.synchronous {
        Synchronous::Normal => "NORMAL",
        Synchronous::Full => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    // A negative size counts in KiB instead of pages.
    connection.pragma_update(None, "cache_size", -i64::from(options.cache_kib))?;
    connection.pragma_update(None, "wal_autocheckpoint", options.checkpoint_pages)?;
    connection.set_prepared_statement_cache_capacity(options.statements);
    sums::register(connection)
}

/// Why a path cannot be used.
pub(crate) fn unusable(path: &Path, reason: &str) -> Error {
    Error::Configuration {
        subject: format!("SQLite file {}", path.display()),
        reason: reason.to_owned(),
    }
}
