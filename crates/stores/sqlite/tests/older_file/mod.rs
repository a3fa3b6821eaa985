//! A file that an older build has written, and what must be found in it.
#![expect(
    clippy::unwrap_used,
    reason = "the helpers belong to tests: a step that fails must name its line"
)]

use std::path::Path;

use rusqlite::Connection;

/// Writes a file as a build with version 5 of the tables left it.
pub(crate) fn write_version_5(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(include_str!("version_5.sql"))
        .unwrap();
}
