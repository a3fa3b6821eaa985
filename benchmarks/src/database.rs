//! Files of SQLite.

use std::ffi::OsString;
use std::path::Path;

use crate::failure::Outcome;

/// Removes a database with its companions; what is not there need not be removed.
///
/// # Errors
/// When one is there and cannot be removed.
pub fn remove(path: &Path) -> Outcome<()> {
    for ending in ["", "-wal", "-shm"] {
        let mut path = OsString::from(path);
        path.push(ending);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}
