//! What the rows of lanes are known to hold, because this connection wrote it.

use std::collections::HashMap;

use projectionist_core::{Claim, Commit, Epoch, Offset, ProjectionId, Result};
use rusqlite::Connection;

use crate::data_version::data_version;
use crate::error::read_error;
use crate::lane_row;

/// What the rows of lanes are known to hold.
///
/// A transaction that is lent begins with a look at the lane's row. After one that this connection
/// committed itself, the row holds what was written then, unless another connection has committed
/// since: to ask for that finds no row and binds no value, and is as good inside the transaction,
/// where nobody else can write. The commit compares the row itself in any case.
#[derive(Debug, Default)]
pub(crate) struct KnownRows {
    rows: HashMap<ProjectionId, KnownRow>,
}

/// Two columns of a row, and when it held them.
#[derive(Debug)]
struct KnownRow {
    epoch: Epoch,
    offset: Option<Offset>,
    data_version: i64,
}

impl KnownRows {
    /// Compares the row of a claim's lane with the claim's epoch and the expected offset.
    /// `connection` is in a transaction that may write.
    pub(crate) fn check(
        &mut self,
        connection: &Connection,
        claim: &Claim,
        expected: Option<&Offset>,
    ) -> Result<()> {
        let version =
            data_version(connection).map_err(|error| read_error("version of the file", error))?;
        let known = self.rows.get_mut(&claim.lane);
        if let Some(row) = &known
            && row.data_version == version
            && row.epoch == claim.epoch
            && row.offset.as_ref() == expected
        {
            return Ok(());
        }
        lane_row::check(connection, claim, expected)?;
        let row = KnownRow {
            epoch: claim.epoch,
            offset: expected.cloned(),
            data_version: version,
        };
        match known {
            Some(known) => *known = row,
            None => {
                self.rows.insert(claim.lane.clone(), row);
            }
        }
        Ok(())
    }

    /// A transaction that began with a [`check`](Self::check) of this claim has committed `commit`.
    pub(crate) fn committed(&mut self, claim: &Claim, commit: &Commit) {
        let Some(row) = self.rows.get_mut(&claim.lane) else {
            return;
        };
        if commit.reset || row.epoch != claim.epoch {
            self.forget(&claim.lane);
        } else if commit.offset.is_some() {
            row.offset.clone_from(&commit.offset);
        }
    }

    /// Something else may have written the row of this lane.
    pub(crate) fn forget(&mut self, lane: &ProjectionId) {
        self.rows.remove(lane);
    }
}
