//! Tells whether someone else may have recorded sequence numbers of a projection.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::data_version::data_version;

/// The versions of the sequence numbers of each projection, as one writing connection sees them.
///
/// SQLite tells that another connection, mostly of another process, has committed to the file, but
/// not what. What is recorded through this connection is counted by projection, so that several
/// projections of one process do not disturb each other. A version is the sum of both counts:
/// neither ever goes down, so it changes with either of them. A rollback takes no count back, and
/// so only makes someone read again what he knew.
#[derive(Debug, Default)]
pub(crate) struct GuardVersions {
    /// What SQLite answered last.
    data_version: Option<i64>,
    /// How often that answer was another one than before.
    foreign_changes: u64,
    /// How often numbers of a projection were recorded through this connection.
    records: HashMap<Box<str>, u64>,
}

impl GuardVersions {
    /// The numbers of any projection may be others now.
    pub(crate) fn forget(&mut self) {
        self.foreign_changes += 1;
    }

    /// Numbers of `projection` are recorded through this connection.
    pub(crate) fn recording(&mut self, projection: &str) {
        match self.records.get_mut(projection) {
            Some(records) => *records += 1,
            None => {
                self.records.insert(projection.into(), 1);
            }
        }
    }

    /// The version of the numbers of `projection`. `connection` is in a transaction, so that the
    /// answer holds until that ends.
    pub(crate) fn version(
        &mut self,
        connection: &Connection,
        projection: &str,
    ) -> rusqlite::Result<u64> {
        let data_version = data_version(connection)?;
        let before = self.data_version.replace(data_version);
        if before.is_some_and(|before| before != data_version) {
            self.foreign_changes += 1;
        }
        let records = self.records.get(projection).copied().unwrap_or_default();
        Ok(self.foreign_changes + records)
    }
}
