//! Tells whether another connection has committed to the file.

use rusqlite::Connection;

/// A number that stays the same as long as no other connection, mostly of another process, commits
/// to the file. Read in a transaction it holds until that ends.
pub(crate) fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("PRAGMA data_version")?
        .query_row([], |row| row.get(0))
}
